// Where things are shown: between the moments the server told of, a little behind the newest.
import { POSE_NUMBERS, type FrameMessage, type SceneMessage } from "./decode";

/** Further than this in one physics step nothing moves by itself: it was put there. */
const LEAP_METRES = 1.5;
/** How many messages the picture is behind: one and a half, so that the next is there when it is needed. */
const BEHIND = 1.5;
/** Arrivals the pace is measured over, and the pace assumed before. */
const WINDOW = 24;
const STEPS_PER_MS = 0.05;
const PAUSE_MS = 400;

export class Motion {
  /** What is to be shown now: POSE_NUMBERS a row. */
  shown = new Float32Array(0);
  states = new Uint32Array(0);
  /** The newest step the server told of. */
  latest = 0;
  private before = new Float32Array(0);
  private after = new Float32Array(0);
  private from = 0;
  private to = 0;
  private playhead = 0;
  private moved: number[] = [];
  private stale = new Set<number>();
  private waiting: FrameMessage[] = [];
  private arrivals: { at: number; step: number }[] = [];
  private lastNow = -1;
  private owners: number[] = [];

  /** Things came or went: rows have another meaning. Who was there before moves on from where it was shown. */
  begin(scene: SceneMessage): void {
    const goesOn = scene.step >= this.latest && scene.step - this.latest < 50 && this.shown.length > 0;
    const known = new Map(goesOn ? this.owners.map((owner, row) => [owner, row]) : []);
    const rows = scene.owners.length;
    const before = scene.poses.slice();
    this.moved = [];
    for (let row = 0; row < rows; row++) {
      const old = known.get(scene.owners[row]);
      if (old === undefined) continue;
      const pose = this.shown.subarray(old * POSE_NUMBERS, (old + 1) * POSE_NUMBERS);
      if (gap(pose, 0, scene.poses, row * POSE_NUMBERS) > LEAP_METRES) continue;
      before.set(pose, row * POSE_NUMBERS);
      this.moved.push(row);
    }
    this.before = before;
    this.after = scene.poses.slice();
    this.shown = before.slice();
    this.states = scene.states.slice();
    this.owners = scene.owners.slice();
    this.waiting = [];
    this.stale = new Set(Array.from({ length: rows }, (_, row) => row));
    if (!goesOn) {
      this.playhead = scene.step;
      this.arrivals = [];
    }
    this.from = this.playhead;
    this.to = this.latest = scene.step;
  }

  /** A moment arrived. One that is not later than the last (a recording wound back) is shown at once. */
  push(frame: FrameMessage, now: number): void {
    const leaps = frame.step < this.latest || frame.step - this.latest > 100;
    this.latest = frame.step;
    if (leaps) {
      for (const each of this.waiting) this.take(each);
      this.waiting = [];
      this.take(frame);
      for (const row of frame.rows) copy(this.after, this.before, row);
      this.from = this.to = this.playhead = frame.step;
      this.arrivals = [];
      return;
    }
    this.waiting.push(frame);
    // After a pause the old pace says nothing.
    const previous = this.arrivals[this.arrivals.length - 1];
    if (previous && now - previous.at > PAUSE_MS) this.arrivals = [];
    this.arrivals.push({ at: now, step: frame.step });
    if (this.arrivals.length > WINDOW) this.arrivals.shift();
  }

  /** Move on to the moment of a display frame; gives the rows whose pose is another than before. */
  advance(now: number): Iterable<number> {
    const elapsed = this.lastNow < 0 ? 0 : Math.min(now - this.lastNow, 250);
    this.lastNow = now;
    const { pace, stride } = this.measured();
    const wanted = BEHIND * stride;
    const late = this.latest - this.playhead;
    if (late > 6 * wanted) this.playhead = this.latest - wanted;
    else this.playhead += elapsed * pace * Math.min(2, Math.max(0.5, 1 + (0.4 * (late - wanted)) / wanted));
    this.playhead = Math.min(this.playhead, this.latest);
    while (this.waiting.length > 0 && this.playhead >= this.to) {
      for (const row of this.moved) {
        copy(this.after, this.before, row);
        copy(this.after, this.shown, row);
        this.stale.add(row);
      }
      this.from = this.to;
      this.take(this.waiting.shift()!);
    }
    const share = this.to > this.from ? Math.min(1, Math.max(0, (this.playhead - this.from) / (this.to - this.from))) : 1;
    for (const row of this.moved) {
      between(this.before, this.after, row, share, this.shown);
      this.stale.add(row);
    }
    if (share === 1 && this.moved.length > 0) {
      for (const row of this.moved) copy(this.after, this.before, row);
      this.moved = [];
    }
    const rows = this.stale;
    this.stale = new Set();
    return rows;
  }

  private take(frame: FrameMessage): void {
    const steps = Math.max(1, frame.step - this.to);
    this.moved = [];
    frame.rows.forEach((row, i) => {
      if (row >= this.states.length) return;
      this.after.set(frame.numbers.subarray(i * POSE_NUMBERS, (i + 1) * POSE_NUMBERS), row * POSE_NUMBERS);
      if (this.states[row] !== frame.states[i]) this.states[row] = frame.states[i];
      if (gap(this.before, row * POSE_NUMBERS, this.after, row * POSE_NUMBERS) > LEAP_METRES * steps) {
        copy(this.after, this.before, row);
      }
      this.moved.push(row);
      this.stale.add(row);
    });
    this.to = frame.step;
  }

  /** Steps a millisecond, and steps from one message to the next. */
  private measured(): { pace: number; stride: number } {
    const first = this.arrivals[0];
    const last = this.arrivals[this.arrivals.length - 1];
    if (!first || last.at - first.at < 60 || last.step === first.step) return { pace: STEPS_PER_MS, stride: 1 };
    const steps = last.step - first.step;
    const pace = Math.min(0.5, Math.max(0.002, steps / (last.at - first.at)));
    return { pace, stride: steps / (this.arrivals.length - 1) };
  }
}

function gap(a: Float32Array, i: number, b: Float32Array, j: number): number {
  return Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]);
}

function copy(source: Float32Array, target: Float32Array, row: number): void {
  const start = row * POSE_NUMBERS;
  for (let i = start; i < start + POSE_NUMBERS; i++) target[i] = source[i];
}

/** Straight between two places; turns by the shorter way. */
function between(a: Float32Array, b: Float32Array, row: number, share: number, out: Float32Array): void {
  const i = row * POSE_NUMBERS;
  for (const j of [i, i + 1, i + 2, i + 7]) out[j] = a[j] + (b[j] - a[j]) * share;
  const same = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6];
  const sign = same < 0 ? -1 : 1;
  let length = 0;
  for (let j = i + 3; j < i + 7; j++) {
    out[j] = a[j] + (sign * b[j] - a[j]) * share;
    length += out[j] * out[j];
  }
  const scale = length > 0 ? 1 / Math.sqrt(length) : 1;
  for (let j = i + 3; j < i + 7; j++) out[j] *= scale;
}
