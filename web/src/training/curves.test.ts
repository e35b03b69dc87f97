// @vitest-environment jsdom
import { expect, test } from "vitest";
import { routeOf, trainingAddress } from "../lib/route";
import { pathOf, percentText, pointsOf, rangeOf, stepsText } from "./curves";

test("moments without a value are no points", () => {
  expect(pointsOf([1, 2, 3], [0.5, null, 1])).toEqual([{ step: 1, value: 0.5 }, { step: 3, value: 1 }]);
  expect(pointsOf([1, 2], undefined)).toEqual([]);
});

test("a curve is drawn over the decisions of the whole run", () => {
  const points = pointsOf([0, 50], [0, 1]);
  expect(pathOf(points, 100, rangeOf(points), 200, 10)).toBe("M0.0 10.0L100.0 0.0");
  expect(pathOf([], 100, [0, 1], 200, 10)).toBe("");
});

test("a flat curve lies in the middle", () => {
  const flat = pointsOf([0, 10], [2, 2]);
  expect(rangeOf(flat)).toEqual([1.5, 2.5]);
  expect(rangeOf()).toEqual([0, 1]);
});

test("numbers are written as people say them", () => {
  expect([950, 25_000, 1_500_000].map(stepsText)).toEqual(["950", "25 k", "1.5 M"]);
  expect([null, 0.256].map(percentText)).toEqual(["–", "26 %"]);
});

test("a run in a folder has an address that leads back to it", () => {
  const address = trainingAddress("my runs/ppo");
  expect(address).toBe("/training/my%20runs/ppo");
  expect(routeOf({ pathname: address, search: "" })).toMatchObject({ page: "training", id: "my runs/ppo" });
});
