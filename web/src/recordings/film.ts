// A recorded episode in memory, so that any moment of it can be shown at once. A frame holds only what has moved since the
// one before. The complete state is therefore kept at regular intervals, and other moments are computed from there.
import { splitMessages } from "../lib/blocks";
import { decode, type SceneMessage } from "../scene/decode";
import { FRAME_HEAD, FRAME_ROW, Message, PARTS_HEAD, PARTS_ROW, POSE, SCENE_HEAD } from "../scene/layout";

/** Moments from one complete state that is kept to the next. */
const KEYFRAME_INTERVAL = 64;

/** The complete state of a moment: a frame row for every thing, and the rows of the parts that changed, by number. */
interface Keyframe {
  things: Uint8Array;
  parts: Map<number, Uint8Array>;
}

/** The moments that share one scene message. */
interface Chapter {
  scene: Uint8Array;
  first: number; // index of its first moment
  things: Uint8Array; // a frame row for every thing, with the poses of the scene
  decoded?: SceneMessage;
  keyframes: Keyframe[]; // the states before moments first, first + KEYFRAME_INTERVAL, ...
}

interface Moment {
  step: number;
  chapter: number;
  frame: Uint8Array;
  parts: Uint8Array[];
}

/** The numbers of one moment. */
export interface Reading {
  step: number;
  flags: number;
  action: number;
  health: number;
  total: number;
  left: number;
  heading: number;
}

export class Film {
  private readonly chapters: Chapter[] = [];
  private readonly moments: Moment[] = [];

  constructor(bytes: ArrayBuffer) {
    let parts: Uint8Array[] = [];
    for (const message of splitMessages(bytes)) {
      if (message[0] === Message.SCENE) {
        this.chapters.push({ scene: message, first: this.moments.length, things: thingsOf(message), keyframes: [] });
        parts = [];
      } else if (message[0] === Message.PARTS) {
        parts.push(message);
      } else if (message[0] === Message.FRAME && this.chapters.length > 0) {
        const step = viewOf(message).getUint32(FRAME_HEAD.step, true);
        this.moments.push({ step, chapter: this.chapters.length - 1, frame: message, parts });
        parts = [];
      }
    }
    this.storeKeyframes();
  }

  get length(): number {
    return this.moments.length;
  }

  stepAt(index: number): number {
    return this.moments[index]?.step ?? 0;
  }

  /** Return the index of the last moment that is not after a step. */
  indexOf(step: number): number {
    let low = 0;
    let high = this.moments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.moments[middle].step <= step) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  readingAt(index: number): Reading {
    const view = viewOf(this.moments[index].frame);
    return {
      step: view.getUint32(FRAME_HEAD.step, true),
      flags: view.getUint8(FRAME_HEAD.flags),
      action: view.getUint8(FRAME_HEAD.action),
      health: view.getFloat32(FRAME_HEAD.health, true),
      total: view.getFloat32(FRAME_HEAD.return, true),
      left: view.getFloat32(FRAME_HEAD.left, true),
      heading: view.getFloat32(FRAME_HEAD.heading, true),
    };
  }

  /** Return the scene of a moment: the same object for all moments that share it. */
  sceneAt(index: number): SceneMessage {
    const chapter = this.chapters[this.moments[index].chapter];
    chapter.decoded ??= decode(copyOf(chapter.scene)) as SceneMessage;
    return chapter.decoded;
  }

  /** Return the messages that change a view from moment `current` (-1: an empty view) to moment `index`. */
  messages(index: number, current: number): ArrayBuffer[] {
    const moment = this.moments[index];
    if (!moment || index === current) return [];
    const same = current >= 0 && this.moments[current].chapter === moment.chapter;
    if (same && index === current + 1) return [...moment.parts, moment.frame].map(copyOf);
    const chapter = this.chapters[moment.chapter];
    const { things, parts } = this.stateAt(index);
    // Going back, parts may have to change to what the scene message says: it is sent again.
    const sendScene = !same || (index < current && this.partsChanged(moment.chapter));
    const messages = sendScene ? [copyOf(chapter.scene)] : [];
    if (parts.size > 0) messages.push(partsMessage(parts));
    messages.push(frameMessage(moment.frame, things));
    return messages;
  }

  private partsChanged(chapter: number): boolean {
    const next = this.chapters[chapter + 1]?.first ?? this.moments.length;
    for (let index = this.chapters[chapter].first; index < next; index++)
      if (this.moments[index].parts.length > 0) return true;
    return false;
  }

  private storeKeyframes(): void {
    this.chapters.forEach((chapter, number) => {
      const things = chapter.things.slice();
      const parts = new Map<number, Uint8Array>();
      const next = this.chapters[number + 1]?.first ?? this.moments.length;
      for (let index = chapter.first; index < next; index++) {
        if ((index - chapter.first) % KEYFRAME_INTERVAL === 0)
          chapter.keyframes.push({ things: things.slice(), parts: new Map(parts) });
        applyMoment(this.moments[index], things, parts);
      }
    });
  }

  private stateAt(index: number): Keyframe {
    const chapter = this.chapters[this.moments[index].chapter];
    const number = Math.floor((index - chapter.first) / KEYFRAME_INTERVAL);
    const keyframe = chapter.keyframes[number];
    const things = keyframe.things.slice();
    const parts = new Map(keyframe.parts);
    for (let each = chapter.first + number * KEYFRAME_INTERVAL; each <= index; each++) applyMoment(this.moments[each], things, parts);
    return { things, parts };
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}

/** Return the poses of a scene message as frame rows. */
function thingsOf(scene: Uint8Array): Uint8Array {
  const view = viewOf(scene);
  const length = view.getUint32(SCENE_HEAD.header, true);
  const start = SCENE_HEAD.bytes + length;
  const header = JSON.parse(new TextDecoder().decode(scene.subarray(SCENE_HEAD.bytes, start)));
  const [offset, rows] = header.tables.poses as [number, number];
  const things = new Uint8Array(rows * FRAME_ROW.bytes);
  const writer = viewOf(things);
  for (let row = 0; row < rows; row++) {
    const from = start + offset + row * POSE.bytes;
    const to = row * FRAME_ROW.bytes;
    writer.setUint16(to + FRAME_ROW.row, row, true);
    writer.setUint16(to + FRAME_ROW.state, view.getUint32(from + POSE.flags, true), true);
    things.set(scene.subarray(from, from + POSE.flags), to + FRAME_ROW.at);
  }
  return things;
}

/** Change a state in place to what it is after a moment. */
function applyMoment(moment: Moment, things: Uint8Array, parts: Map<number, Uint8Array>): void {
  for (const message of moment.parts) {
    const view = viewOf(message);
    for (let i = 0; i < view.getUint16(PARTS_HEAD.rows, true); i++) {
      const from = PARTS_HEAD.bytes + i * PARTS_ROW.bytes;
      parts.set(view.getUint16(from + PARTS_ROW.row, true), message.subarray(from, from + PARTS_ROW.bytes));
    }
  }
  const view = viewOf(moment.frame);
  for (let i = 0; i < view.getUint16(FRAME_HEAD.rows, true); i++) {
    const from = FRAME_HEAD.bytes + i * FRAME_ROW.bytes;
    const to = view.getUint16(from + FRAME_ROW.row, true) * FRAME_ROW.bytes;
    if (to < things.length) things.set(moment.frame.subarray(from, from + FRAME_ROW.bytes), to);
  }
}

function partsMessage(parts: Map<number, Uint8Array>): ArrayBuffer {
  const message = new Uint8Array(PARTS_HEAD.bytes + parts.size * PARTS_ROW.bytes);
  message[PARTS_HEAD.kind] = Message.PARTS;
  viewOf(message).setUint16(PARTS_HEAD.rows, parts.size, true);
  let at: number = PARTS_HEAD.bytes;
  for (const row of parts.values()) {
    message.set(row, at);
    at += PARTS_ROW.bytes;
  }
  return message.buffer;
}

function frameMessage(frame: Uint8Array, things: Uint8Array): ArrayBuffer {
  const message = new Uint8Array(FRAME_HEAD.bytes + things.length);
  message.set(frame.subarray(0, FRAME_HEAD.bytes));
  viewOf(message).setUint16(FRAME_HEAD.rows, things.length / FRAME_ROW.bytes, true);
  message.set(things, FRAME_HEAD.bytes);
  return message.buffer;
}
