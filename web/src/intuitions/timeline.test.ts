import { expect, test } from "vitest";
import { Timeline } from "./timeline";

const pair = new Timeline([[10, 20, 30], [12, 20, 25]]);

test("a trial is as long as the longer of two films", () => {
  expect(pair.lengths).toEqual([12, 20, 30]);
  expect(pair.starts).toEqual([0, 12, 32]);
  expect(pair.total).toBe(62);
});

test("each position is a frame of a trial", () => {
  expect(pair.at(0)).toEqual({ trial: 0, frame: 0 });
  expect(pair.at(11.9)).toEqual({ trial: 0, frame: 11 });
  expect(pair.at(12)).toEqual({ trial: 1, frame: 0 });
  expect(pair.at(61)).toEqual({ trial: 2, frame: 29 });
  for (let position = 0; position < pair.total; position++) expect(pair.position(pair.at(position))).toBe(position);
});

test("positions outside are the first and the last frame", () => {
  expect(pair.at(-5)).toEqual({ trial: 0, frame: 0 });
  expect(pair.at(1000)).toEqual({ trial: 2, frame: 29 });
  expect(pair.position({ trial: 2, frame: 500 })).toBe(61);
});

test("jumps lead from trial to trial", () => {
  expect(pair.after(3)).toBe(12);
  expect(pair.after(40)).toBe(61);
  expect(pair.before(20, 5)).toBe(12);
  expect(pair.before(14, 5)).toBe(0);
  expect(pair.before(2, 5)).toBe(0);
});

test("a single film, and none", () => {
  expect(new Timeline([[5, 6]]).total).toBe(11);
  expect(new Timeline([]).total).toBe(0);
});
