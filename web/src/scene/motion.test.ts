import { expect, test } from "vitest";
import type { FrameMessage, SceneMessage } from "./decode";
import { Motion } from "./motion";

function scene(step: number, owners: number[], xs: number[]): SceneMessage {
  const poses = Float32Array.from(xs.flatMap((x) => [x, 0.5, 0, 1, 0, 0, 0, 0]));
  return { kind: 1, step, owners, poses, states: new Uint32Array(xs.length) } as unknown as SceneMessage;
}
function frame(step: number, row: number, x: number): FrameMessage {
  return {
    kind: 2, step, rows: Uint16Array.of(row), states: Uint16Array.of(0),
    numbers: Float32Array.of(x, 0.5, 0, 1, 0, 0, 0, 0),
  } as unknown as FrameMessage;
}

test("even motion is shown as even motion, with a small delay", () => {
  const motion = new Motion();
  motion.begin(scene(0, [7], [0]));
  const shown: number[] = [];
  let step = 0;
  for (let now = 0; now < 2000; now += 5) {
    if (now % 20 === 0) motion.push(frame(++step, 0, 0.1 * step), now);
    for (const _ of motion.advance(now)) void _;
    if (now > 1000) shown.push(motion.poses[0]);
  }
  const moves = shown.slice(1).map((x, i) => x - shown[i]);
  // 0.1 m in 20 ms is 0.025 m in 5 ms.
  expect(Math.min(...moves)).toBeGreaterThan(0.015);
  expect(Math.max(...moves)).toBeLessThan(0.035);
  const behind = 0.1 * step - shown[shown.length - 1];
  expect(behind).toBeGreaterThan(0.02);
  expect(behind).toBeLessThan(0.3);
});

test("a thing that is placed elsewhere does not glide there", () => {
  const motion = new Motion();
  motion.begin(scene(0, [7], [0]));
  motion.push(frame(1, 0, 30), 0);
  motion.advance(0);
  motion.advance(25);
  motion.advance(50);
  expect(motion.poses[0]).toBe(30);
});

test("things keep their pose when they get another row", () => {
  const motion = new Motion();
  motion.begin(scene(0, [7, 8], [1, 2]));
  motion.begin(scene(1, [8], [2.1]));
  expect(motion.poses[0]).toBeCloseTo(2);
  for (let now = 0; now < 200; now += 16) motion.advance(now);
  expect(motion.poses[0]).toBeCloseTo(2.1);
});

test("an earlier frame is shown at once", () => {
  const motion = new Motion();
  motion.begin(scene(0, [7], [0]));
  for (let step = 1; step < 10; step++) motion.push(frame(step, 0, step), 20 * step);
  motion.push(frame(3, 0, 3), 200);
  motion.advance(201);
  expect(motion.poses[0]).toBe(3);
});
