import { expect, test } from "vitest";
import { Governor, LEVELS } from "./quality";

function run(governor: Governor, milliseconds: number, seconds: number): void {
  for (let spent = 0; spent < 1000 * seconds; spent += milliseconds) governor.measure(milliseconds);
}

test("a fast machine keeps the best quality", () => {
  const governor = new Governor();
  run(governor, 16.7, 30);
  expect(governor.level).toBe(0);
});

test("a slow machine gets cheaper pictures one level at a time, a very slow one the cheapest at once", () => {
  const slow = new Governor();
  run(slow, 33, 0.8);
  expect(slow.level).toBe(1);
  run(slow, 33, 5);
  expect(slow.level).toBe(LEVELS.length - 1);
  const crawling = new Governor();
  run(crawling, 200, 1);
  expect(crawling.level).toBe(LEVELS.length - 1);
});

test("a level that was too slow is not tried again, and a hidden tab does not count as slow", () => {
  const governor = new Governor();
  run(governor, 33, 0.8);
  run(governor, 16.7, 60);
  expect(governor.level).toBe(1);
  const hidden = new Governor();
  for (let i = 0; i < 20; i++) hidden.measure(30_000);
  expect(hidden.level).toBe(0);
});
