import { describe, expect, test } from "vitest";
import type { Pad } from "../lib/input";
import { valuesOf, type Control } from "./controls";
import { decodeFrame, FrameFlag } from "./frame";
import { FRAME_HEX } from "./frame.fixture";
import { Ledger, snapshotFrom } from "./ledger";
import { RATE, Wave, WINDOW_SECONDS } from "./sound";
import { resultText } from "./text";

const WALK: Control = { name: "walk", more: "forwards", less: "backwards", more_keys: ["KeyW", "ArrowUp"], less_keys: ["KeyS"], axis: 1, more_buttons: [12], less_buttons: [13] };
const ACT: Control = { name: "act", more: "act", less: "", more_keys: ["Space"], less_keys: [], axis: null, more_buttons: [7], less_buttons: [] };

function bytes(): ArrayBuffer {
  return Uint8Array.from(FRAME_HEX.match(/../g)!, (pair) => parseInt(pair, 16)).buffer;
}

describe("a frame", () => {
  test("is read as the server has written it", () => {
    const frame = decodeFrame(bytes());
    expect({ ...frame, left: [...frame.left], right: [...frame.right], pictures: frame.pictures.map((each) => [...each]) }).toEqual({
      flags: FrameFlag.OVER | FrameFlag.PASSED, step: 70_000, key: 5, reward: 0.5, total: -1.25,
      action: [1, -0.25, 0.20000000298023224], left: [1, -2, 32767], right: [-32768, 0, 4], pictures: [[1, 2, 3], [], [255]],
    });
  });

  test("that is too long, too short or of another kind is refused", () => {
    const whole = new Uint8Array(bytes());
    expect(() => decodeFrame(whole.slice(0, 10).buffer)).toThrow("not a frame");
    expect(() => decodeFrame(new Uint8Array([...whole, 0]).buffer)).toThrow("bytes");
    expect(() => decodeFrame(new Uint8Array([9, ...whole.slice(1)]).buffer)).toThrow("not a frame");
  });
});

describe("controls", () => {
  const pad = (axes: number[], pressed: Record<number, number> = {}): Pad => ({
    axes, buttons: Array.from({ length: 16 }, (_, i) => ({ pressed: (pressed[i] ?? 0) > 0.5, value: pressed[i] ?? 0 })),
  });

  test("keys of both directions cancel each other", () => {
    expect(valuesOf([WALK, ACT], new Set(["KeyW"]), [])).toEqual([1, 0]);
    expect(valuesOf([WALK, ACT], new Set(["ArrowUp", "KeyS", "Space"]), [])).toEqual([0, 1]);
  });

  test("a stick and a trigger count by degrees, and a resting stick does not count", () => {
    expect(valuesOf([WALK, ACT], new Set(), [pad([0, -0.5], { 7: 0.25 })])).toEqual([0.5, 0.25]);
    expect(valuesOf([WALK, ACT], new Set(), [pad([0, 0.1])])).toEqual([0, 0]);
    expect(valuesOf([WALK], new Set(["KeyW"]), [pad([0, -1], { 12: 1 })])).toEqual([1]);
  });
});

describe("the ledger", () => {
  test("keeps the actions that are not stored, over a reload", () => {
    const ledger = new Ledger();
    ledger.begin("e1", 0);
    [[1], [0.5], [0]].forEach((action, i) => ledger.note(i + 1, action));
    ledger.confirm(1);
    const text = JSON.stringify(ledger.snapshot());
    expect(JSON.parse(text)).toEqual({ episode: "e1", step: 1, actions: [[0.5], [0]] });
    const other = new Ledger();
    other.restore(snapshotFrom(text)!);
    expect(other.snapshot()).toEqual(ledger.snapshot());
  });

  test("forgets an episode that is over once all of it is stored", () => {
    const ledger = new Ledger();
    ledger.begin("e1", 0);
    ledger.note(1, [1]);
    ledger.end();
    expect(ledger.snapshot()).not.toBeNull();
    ledger.confirm(1);
    expect(ledger.snapshot()).toBeNull();
  });

  test("reads nothing from a text that is no snapshot", () => {
    for (const text of [null, "", "{}", "[1]", '{"episode": 3}']) expect(snapshotFrom(text)).toBeNull();
  });
});

test("a wave has the lowest and the highest sample of each part, the oldest first", () => {
  const wave = new Wave();
  const half = (RATE * WINDOW_SECONDS) / 2;
  wave.add(new Int16Array(half).fill(16_384));
  wave.add(Int16Array.from({ length: half }, (_, i) => (i % 2 ? -8_192 : 8_192)));
  const { low, high } = wave.columns(2);
  expect([[...low], [...high]]).toEqual([[0.5, -0.25], [0.5, 0.25]]);
  expect(wave.level).toBeCloseTo(0.25);
});

test("the result of an episode is a sentence", () => {
  const ended = { step: 30, passed: true, return: 1, cause: "completed", reason: "", measures: {} };
  expect(resultText(ended)).toBe("Passed: reward +1.00 after 2.0 s");
  expect(resultText({ ...ended, passed: false, cause: "time" })).toBe("Time is up: reward +1.00 after 2.0 s");
});
