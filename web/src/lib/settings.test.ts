// @vitest-environment jsdom
import { expect, test } from "vitest";
import { defaultSettings, loadSettings, saveSettings, settingsFrom } from "./settings";

test("saved settings are loaded again", () => {
  const settings = { ...defaultSettings(), colourBlind: true, quality: 2 as const };
  saveSettings(settings);
  expect(loadSettings()).toEqual(settings);
});

test("invalid stored settings are replaced by the default", () => {
  for (const text of [null, "", "{", "7", "null", '{"quality": 9, "stick": "maybe", "bindings": 4}']) {
    expect(settingsFrom(text)).toEqual(defaultSettings());
  }
});
