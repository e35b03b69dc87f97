import { expect, test } from "vitest";
import { distinctNumbers, extent, frameAt, path, shortNumber, ticks } from "./chart";

test("the scale holds all values, and 0 unless it is far away", () => {
  expect(extent([[1, null, 3], [2]])).toEqual([0, 3]);
  expect(extent([[10, null, 11], [12]])).toEqual([9.8, 12.2]);
  expect(extent([[10, 10]])).toEqual([9, 11]);
  expect(extent([[-2, -1]])).toEqual([-2, 0]);
  expect(extent([[null], []])).toEqual([0, 1]);
  expect(extent([[0, 0]])).toEqual([0, 1]);
});

test("ticks are round numbers within the scale", () => {
  expect(ticks(0, 7)).toEqual([0, 2, 4, 6]);
  expect(ticks(0, 0.0031).map((each) => each.toFixed(4))).toEqual(["0.0000", "0.0010", "0.0020", "0.0030"]);
  expect(ticks(-2, 2)).toEqual([-2, -1, 0, 1, 2]);
});

test("numbers have three digits", () => {
  expect([0, 1.23456, 12.3456, -0.04567, 0.000012, 12345].map((each) => shortNumber(each))).toEqual(["0", "1.23", "12.3", "−0.0457", "1.2e−5", "1.2e+4"]);
});

test("numbers that differ look different, and equal ones equal", () => {
  expect(distinctNumbers([0.54412, 0.54438])).toEqual(["0.5441", "0.5444"]);
  expect(distinctNumbers([0.54412, 0.54412])).toEqual(["0.544", "0.544"]);
  expect(distinctNumbers([0.00001234, 0.00001239])).toEqual(["1.23e−5", "1.24e−5"]);
  expect(distinctNumbers([0.5, 0.5 + 1e-15])).toEqual(["0.5", "0.5"]);
  expect(distinctNumbers([1, 2.5])).toEqual(["1", "2.5"]);
});

test("a curve has gaps where nothing was judged", () => {
  expect(path([null, 0, 10, null, 5], 5, [0, 10], 100, 50)).toBe("M25.0 50.0L50.0 0.0M100.0 25.0");
  expect(path([], 5, [0, 1], 100, 50)).toBe("");
});

test("of a level run only the ends are drawn", () => {
  expect(path([2, 2, 2, 2, 4], 5, [0, 4], 4, 4)).toBe("M0.0 2.0L3.0 2.0L4.0 0.0");
});

test("a place in the chart is a frame", () => {
  expect([-0.2, 0, 0.5, 1, 3].map((share) => frameAt(share, 101))).toEqual([0, 0, 50, 100, 100]);
});
