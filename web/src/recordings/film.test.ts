import { describe, expect, it } from "vitest";
import { decode, type FrameMessage, type PartsMessage } from "../scene/decode";
import { FRAME_HEAD, FRAME_ROW, PARTS_HEAD, PARTS_ROW, POSE, SURROUNDINGS } from "../scene/layout";
import { splitMessages } from "../lib/blocks";
import { Film } from "./film";

const THINGS = 3;

function scene(step: number): Uint8Array {
  const poses = THINGS * POSE.bytes;
  const tables = { parts: [0, 0], poses: [0, THINGS], planes: [poses, 0], pixels: [poses, 0], surroundings: [poses, 1] };
  let header = JSON.stringify({ step, version: 0, animals: [0], owners: [0, 1, 2], names: ["Agent", "Wall", "Ramp"], tables });
  header += " ".repeat((4 - (header.length % 4)) % 4);
  const message = new Uint8Array(8 + header.length + poses + SURROUNDINGS.bytes);
  const view = new DataView(message.buffer);
  message[0] = 1;
  view.setUint32(4, header.length, true);
  message.set(new TextEncoder().encode(header), 8);
  for (let row = 0; row < THINGS; row++) view.setFloat32(8 + header.length + row * POSE.bytes, 100 + row, true);
  return message;
}

// A frame in which one thing is at x = step.
function frame(step: number, row: number): Uint8Array {
  const message = new Uint8Array(FRAME_HEAD.bytes + FRAME_ROW.bytes);
  const view = new DataView(message.buffer);
  message[0] = 2;
  view.setUint16(FRAME_HEAD.rows, 1, true);
  view.setUint32(FRAME_HEAD.step, step, true);
  view.setFloat32(FRAME_HEAD.health, 100 - step, true);
  view.setUint16(FRAME_HEAD.bytes + FRAME_ROW.row, row, true);
  view.setFloat32(FRAME_HEAD.bytes + FRAME_ROW.at, step, true);
  return message;
}

function parts(size: number): Uint8Array {
  const message = new Uint8Array(PARTS_HEAD.bytes + PARTS_ROW.bytes);
  const view = new DataView(message.buffer);
  message[0] = 3;
  view.setUint16(PARTS_HEAD.rows, 1, true);
  view.setFloat32(PARTS_HEAD.bytes + PARTS_ROW.half, size, true);
  return message;
}

function blockOf(messages: Uint8Array[]): ArrayBuffer {
  const block = new Uint8Array(messages.reduce((sum, each) => sum + 4 + each.length, 0));
  let at = 0;
  for (const message of messages) {
    new DataView(block.buffer).setUint32(at, message.length, true);
    block.set(message, at + 4);
    at += 4 + message.length;
  }
  return block.buffer;
}

// A view that only notes the positions of things, the size of the part, and the number of scenes it was sent.
class Viewer {
  positions: number[] = [];
  size = 0;
  scenes = 0;
  shown = -1;
  constructor(readonly film: Film) {}
  go(index: number): this {
    for (const buffer of this.film.messages(index, this.shown)) {
      const message = decode(buffer);
      if (message.kind === 1) {
        this.scenes++;
        this.size = 0;
        this.positions = Array.from({ length: THINGS }, (_, row) => message.poses[row * 8]);
      } else if (message.kind === 2) {
        (message as FrameMessage).rows.forEach((row, i) => (this.positions[row] = (message as FrameMessage).numbers[i * 8]));
      } else if (message.kind === 3) {
        this.size = (message as PartsMessage).changes[0].half[0];
      }
    }
    this.shown = index;
    return this;
  }
}

// Steps 0 to 199 are one scene: thing 0 moves in even steps, thing 1 in odd ones; a part grows from step 150 on. Then another scene.
function makeFilm(): Film {
  const messages = [scene(0)];
  for (let step = 0; step < 200; step++) {
    if (step >= 150) messages.push(parts(step));
    messages.push(frame(step, step % 2));
  }
  messages.push(new TextEncoder().encode('{"type":"events"}'), scene(200));
  for (let step = 200; step < 220; step++) messages.push(frame(step, 2));
  return new Film(blockOf(messages));
}

describe("a film", () => {
  it("finds its moments", () => {
    const film = makeFilm();
    expect(film.length).toBe(220);
    expect(film.stepAt(219)).toBe(219);
    expect(film.indexOf(57)).toBe(57);
    expect(film.indexOf(9999)).toBe(219);
    expect(film.readingAt(40).health).toBe(60);
    expect(film.sceneAt(3)).toBe(film.sceneAt(199));
    expect(film.sceneAt(3)).not.toBe(film.sceneAt(200));
  });

  it("shows the same state whether a moment is reached step by step or by a jump", () => {
    const film = makeFilm();
    const straight = new Viewer(film);
    const expected: [number[], number][] = [];
    for (let index = 0; index < film.length; index++) {
      straight.go(index);
      expected.push([[...straight.positions], straight.size]);
    }
    expect(expected[151]).toEqual([[150, 151, 102], 151]);
    expect(expected[210]).toEqual([[100, 101, 210], 0]);
    const jumping = new Viewer(film);
    for (const index of [63, 64, 65, 10, 199, 149, 150, 219, 151, 0, 200, 128, 127, 1]) {
      jumping.go(index);
      expect([index, jumping.positions, jumping.size]).toEqual([index, ...expected[index]]);
    }
  });

  it("sends the scene again only if necessary", () => {
    const viewer = new Viewer(makeFilm()).go(0).go(1).go(120);
    expect(viewer.scenes).toBe(1);
    expect(viewer.go(201).scenes).toBe(2);
  });

  it("reads the complete messages of a block that was cut short", () => {
    const block = blockOf([scene(0), frame(0, 0), frame(1, 0)]);
    expect([...splitMessages(block.slice(0, block.byteLength - 5))]).toHaveLength(2);
    expect(new Film(new ArrayBuffer(0)).length).toBe(0);
  });
});
