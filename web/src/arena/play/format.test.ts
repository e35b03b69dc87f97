import { describe, expect, test } from "vitest";
import { healthColour, healthWord, rewardText, sentenceText, stepsText, timeText, titleText } from "./format";

const channels = (text: string) => text.match(/\d+/g)!.map(Number);
const strongest = (text: string) => {
  const [red, green, blue] = channels(text);
  return red > green && red > blue ? "red" : green > blue ? "green" : "blue";
};

describe("health", () => {
  test("goes from blue over green and orange to red", () => {
    expect(strongest(healthColour(100))).toBe("blue");
    expect(strongest(healthColour(65))).toBe("green");
    const [red, green, blue] = channels(healthColour(40));
    expect(red > green && green > blue && green > 100).toBe(true);
    expect(strongest(healthColour(5))).toBe("red");
  });

  test("is clamped to its range", () => {
    expect(healthColour(-5)).toBe(healthColour(0));
    expect(healthColour(130)).toBe(healthColour(100));
  });

  test("differs in lightness with the colour-blind setting", () => {
    const light = [0, 35, 70].map((health) => {
      const [red, green, blue] = channels(healthColour(health, true));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
    expect(light[1]).toBeGreaterThan(light[0] + 30);
    expect(light[2]).toBeGreaterThan(light[1] + 30);
    expect([90, 50, 30, 10, 0].map(healthWord)).toEqual(["well", "fine", "weak", "very weak", "none"]);
  });
});

test("messages and counts become text", () => {
  expect(sentenceText("the disk is full; make room on it")).toBe("The disk is full; make room on it.");
  expect(sentenceText("This link is not valid.")).toBe("This link is not valid.");
  expect([0, 1, 2].map(stepsText)).toEqual(["0 steps", "1 step", "2 steps"]);
});

test("rewards, times and titles become text", () => {
  expect([1.5, -0.1239, -0.0001, 0].map(rewardText)).toEqual(["1.500", "−0.124", "0.000", "0.000"]);
  expect([0, 49, 51, 3000, 6049].map(timeText)).toEqual(["0 s", "1 s", "2 s", "1:00", "2:01"]);
  expect(["Foraging", "upload:12ab", "file:mine"].map(titleText)).toEqual(["Foraging", "Your task", "mine"]);
});
