// The poses at which things are shown: interpolated between the moments that the server sent, a little behind the newest.
import { STEPS_PER_SECOND } from "../lib/time";
import { POSE_NUMBERS, type FrameMessage, type SceneMessage } from "./decode";

/** A thing that moves further than this in one physics step was placed there: its motion is not interpolated. */
const LEAP_METRES = 1.5;
/** The delay of the picture, in messages, so that the next message has arrived when it is needed. */
const DELAY_MESSAGES = 1.5;
/** The number of last messages over which the pace is measured, and the pace that is assumed before that. */
const PACE_MESSAGES = 24;
const DEFAULT_STEPS_PER_MS = STEPS_PER_SECOND / 1000;
/** After a longer gap between messages, the pace is measured anew. */
const PAUSE_MS = 400;

export class Motion {
  /** The poses to show now: POSE_NUMBERS for each row. */
  poses = new Float32Array(0);
  states = new Uint32Array(0);
  /** The newest step that the server sent. */
  latest = 0;
  private previous = new Float32Array(0);
  private next = new Float32Array(0);
  private from = 0;
  private to = 0;
  private playhead = 0;
  private moved: number[] = [];
  private changedRows = new Set<number>();
  private queue: FrameMessage[] = [];
  private arrivals: { at: number; step: number }[] = [];
  private lastNow = -1;
  private owners: number[] = [];

  /** Start with a new scene, in which rows may stand for other things. Things of the old scene move on from their current poses. */
  begin(scene: SceneMessage): void {
    const continues = scene.step >= this.latest && scene.step - this.latest < 50 && this.poses.length > 0;
    const oldRows = new Map(continues ? this.owners.map((owner, row) => [owner, row]) : []);
    const rows = scene.owners.length;
    const previous = scene.poses.slice();
    this.moved = [];
    for (let row = 0; row < rows; row++) {
      const old = oldRows.get(scene.owners[row]);
      if (old === undefined) continue;
      const pose = this.poses.subarray(old * POSE_NUMBERS, (old + 1) * POSE_NUMBERS);
      if (distance(pose, 0, scene.poses, row * POSE_NUMBERS) > LEAP_METRES) continue;
      previous.set(pose, row * POSE_NUMBERS);
      this.moved.push(row);
    }
    this.previous = previous;
    this.next = scene.poses.slice();
    this.poses = previous.slice();
    this.states = scene.states.slice();
    this.owners = scene.owners.slice();
    this.queue = [];
    this.changedRows = new Set(Array.from({ length: rows }, (_, row) => row));
    if (!continues) {
      this.playhead = scene.step;
      this.arrivals = [];
    }
    this.from = this.playhead;
    this.to = this.latest = scene.step;
  }

  /** Add a frame. One that is earlier than the last (a recording played backwards) or much later is shown at once. */
  push(frame: FrameMessage, now: number): void {
    const leaps = frame.step < this.latest || frame.step - this.latest > 100;
    this.latest = frame.step;
    if (leaps) {
      for (const each of this.queue) this.take(each);
      this.queue = [];
      this.take(frame);
      for (const row of frame.rows) copy(this.next, this.previous, row);
      this.from = this.to = this.playhead = frame.step;
      this.arrivals = [];
      return;
    }
    this.queue.push(frame);
    const previous = this.arrivals[this.arrivals.length - 1];
    if (previous && now - previous.at > PAUSE_MS) this.arrivals = [];
    this.arrivals.push({ at: now, step: frame.step });
    if (this.arrivals.length > PACE_MESSAGES) this.arrivals.shift();
  }

  /** Advance to the time of a display frame; return the rows whose pose has changed. */
  advance(now: number): Iterable<number> {
    const elapsed = this.lastNow < 0 ? 0 : Math.min(now - this.lastNow, 250);
    this.lastNow = now;
    const { pace, stride } = this.measurePace();
    const target = DELAY_MESSAGES * stride;
    const delay = this.latest - this.playhead;
    if (delay > 6 * target) this.playhead = this.latest - target;
    else this.playhead += elapsed * pace * Math.min(2, Math.max(0.5, 1 + (0.4 * (delay - target)) / target));
    this.playhead = Math.min(this.playhead, this.latest);
    while (this.queue.length > 0 && this.playhead >= this.to) {
      for (const row of this.moved) {
        copy(this.next, this.previous, row);
        copy(this.next, this.poses, row);
        this.changedRows.add(row);
      }
      this.from = this.to;
      this.take(this.queue.shift()!);
    }
    const share = this.to > this.from ? Math.min(1, Math.max(0, (this.playhead - this.from) / (this.to - this.from))) : 1;
    for (const row of this.moved) {
      interpolate(this.previous, this.next, row, share, this.poses);
      this.changedRows.add(row);
    }
    if (share === 1 && this.moved.length > 0) {
      for (const row of this.moved) copy(this.next, this.previous, row);
      this.moved = [];
    }
    const rows = this.changedRows;
    this.changedRows = new Set();
    return rows;
  }

  private take(frame: FrameMessage): void {
    const steps = Math.max(1, frame.step - this.to);
    this.moved = [];
    frame.rows.forEach((row, i) => {
      if (row >= this.states.length) return;
      this.next.set(frame.numbers.subarray(i * POSE_NUMBERS, (i + 1) * POSE_NUMBERS), row * POSE_NUMBERS);
      if (this.states[row] !== frame.states[i]) this.states[row] = frame.states[i];
      if (distance(this.previous, row * POSE_NUMBERS, this.next, row * POSE_NUMBERS) > LEAP_METRES * steps) {
        copy(this.next, this.previous, row);
      }
      this.moved.push(row);
      this.changedRows.add(row);
    });
    this.to = frame.step;
  }

  /** Return the pace in steps per millisecond, and the steps from one message to the next. */
  private measurePace(): { pace: number; stride: number } {
    const first = this.arrivals[0];
    const last = this.arrivals[this.arrivals.length - 1];
    if (!first || last.at - first.at < 60 || last.step === first.step) return { pace: DEFAULT_STEPS_PER_MS, stride: 1 };
    const steps = last.step - first.step;
    const pace = Math.min(0.5, Math.max(0.002, steps / (last.at - first.at)));
    return { pace, stride: steps / (this.arrivals.length - 1) };
  }
}

function distance(a: Float32Array, i: number, b: Float32Array, j: number): number {
  return Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]);
}

function copy(source: Float32Array, target: Float32Array, row: number): void {
  const start = row * POSE_NUMBERS;
  for (let i = start; i < start + POSE_NUMBERS; i++) target[i] = source[i];
}

/** Interpolate a row between two poses: positions on a straight line, rotations by the shorter way. */
function interpolate(a: Float32Array, b: Float32Array, row: number, share: number, out: Float32Array): void {
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
