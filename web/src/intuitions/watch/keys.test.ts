// @vitest-environment jsdom
import { expect, test } from "vitest";
import { SPEEDS } from "../player.svelte";
import { commandOf, isForElement, otherSpeed } from "./keys";

test("keys play, step and jump", () => {
  expect(commandOf(" ", false, 9)).toEqual({ kind: "toggle" });
  expect(commandOf("ArrowLeft", false, 9)).toEqual({ kind: "step", by: -1 });
  expect(commandOf("ArrowRight", true, 9)).toEqual({ kind: "step", by: 10 });
  expect(commandOf("3", false, 9)).toEqual({ kind: "trial", number: 2 });
  expect(commandOf("t", false, 9)).toEqual({ kind: "trial", number: 8 });
  expect(commandOf("9", false, 4)).toBeNull();
  expect(commandOf("x", false, 9)).toBeNull();
});

test("speeds stop at both ends of the list", () => {
  expect(otherSpeed(SPEEDS, 1, true)).toBe(2);
  expect(otherSpeed(SPEEDS, SPEEDS[0], false)).toBe(SPEEDS[0]);
  expect(otherSpeed(SPEEDS, SPEEDS[SPEEDS.length - 1], true)).toBe(SPEEDS[SPEEDS.length - 1]);
});

test("keys of fields and buttons are left to them", () => {
  const make = (name: string, type = "") => Object.assign(document.createElement(name), type ? { type } : {});
  expect(isForElement("3", make("input", "number"))).toBe(true);
  expect(isForElement("ArrowDown", make("select"))).toBe(true);
  expect(isForElement("ArrowLeft", make("input", "range"))).toBe(true);
  expect(isForElement(" ", make("input", "range"))).toBe(false);
  expect(isForElement(" ", make("button"))).toBe(true);
  expect(isForElement("ArrowLeft", make("button"))).toBe(false);
  expect(isForElement(" ", null)).toBe(false);
});
