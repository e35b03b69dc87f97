// A recorded episode in memory, so that any moment of it can be shown at once. Frames say only what has moved; going
// back therefore needs whole moments, which are kept every so often and put together from there.
import { decode, type SceneMessage } from "../scene/decode";
import { FRAME_HEAD, FRAME_ROW, Message, PARTS_HEAD, PARTS_ROW, POSE, SCENE_HEAD } from "../scene/layout";

const KEPT_EVERY = 64;

interface Chapter {
  scene: Uint8Array;
  first: number; // its first moment
  things: Uint8Array; // a row of a frame for every thing, as the scene has them
  decoded?: SceneMessage;
  kept: { things: Uint8Array; parts: Map<number, Uint8Array> }[]; // before moments first, first + 64, ...
}

interface Moment {
  step: number;
  chapter: number;
  frame: Uint8Array;
  parts: Uint8Array[];
}

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
    for (const message of apart(bytes)) {
      if (message[0] === Message.SCENE) {
        this.chapters.push({ scene: message, first: this.moments.length, things: thingsOf(message), kept: [] });
        parts = [];
      } else if (message[0] === Message.PARTS) {
        parts.push(message);
      } else if (message[0] === Message.FRAME && this.chapters.length > 0) {
        const step = over(message).getUint32(FRAME_HEAD.step, true);
        this.moments.push({ step, chapter: this.chapters.length - 1, frame: message, parts });
        parts = [];
      }
    }
    this.keepWholeMoments();
  }

  get length(): number {
    return this.moments.length;
  }

  stepAt(index: number): number {
    return this.moments[index]?.step ?? 0;
  }

  // The last moment that is not after this step.
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
    const view = over(this.moments[index].frame);
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

  // The same object for all moments that share it.
  sceneAt(index: number): SceneMessage {
    const chapter = this.chapters[this.moments[index].chapter];
    chapter.decoded ??= decode(copied(chapter.scene)) as SceneMessage;
    return chapter.decoded;
  }

  // What a view must be told that shows moment `shown` (-1: nothing) to show moment `index`.
  messages(index: number, shown: number): ArrayBuffer[] {
    const moment = this.moments[index];
    if (!moment || index === shown) return [];
    const same = shown >= 0 && this.moments[shown].chapter === moment.chapter;
    if (same && index === shown + 1) return [...moment.parts, moment.frame].map(copied);
    const chapter = this.chapters[moment.chapter];
    const { things, parts } = this.wholeAt(index);
    // Parts that changed once and are not in an earlier moment are as the scene has them: tell it anew.
    const afresh = !same || (index < shown && this.partsChanged(moment.chapter));
    const told = afresh ? [copied(chapter.scene)] : [];
    if (parts.size > 0) told.push(partsMessage(parts));
    told.push(frameMessage(moment.frame, things));
    return told;
  }

  private partsChanged(chapter: number): boolean {
    const next = this.chapters[chapter + 1]?.first ?? this.moments.length;
    for (let index = this.chapters[chapter].first; index < next; index++)
      if (this.moments[index].parts.length > 0) return true;
    return false;
  }

  private keepWholeMoments(): void {
    this.chapters.forEach((chapter, number) => {
      const things = chapter.things.slice();
      const parts = new Map<number, Uint8Array>();
      const next = this.chapters[number + 1]?.first ?? this.moments.length;
      for (let index = chapter.first; index < next; index++) {
        if ((index - chapter.first) % KEPT_EVERY === 0)
          chapter.kept.push({ things: things.slice(), parts: new Map(parts) });
        bring(this.moments[index], things, parts);
      }
    });
  }

  private wholeAt(index: number): { things: Uint8Array; parts: Map<number, Uint8Array> } {
    const chapter = this.chapters[this.moments[index].chapter];
    const place = Math.floor((index - chapter.first) / KEPT_EVERY);
    const kept = chapter.kept[place];
    const things = kept.things.slice();
    const parts = new Map(kept.parts);
    for (let each = chapter.first + place * KEPT_EVERY; each <= index; each++) bring(this.moments[each], things, parts);
    return { things, parts };
  }
}

function over(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function copied(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}

// Each message stands after its length; a text among them begins with `{`, which is no kind.
export function* apart(bytes: ArrayBuffer): Generator<Uint8Array> {
  const view = new DataView(bytes);
  let at = 0;
  while (at + 4 <= bytes.byteLength) {
    const length = view.getUint32(at, true);
    if (at + 4 + length > bytes.byteLength) return; // cut short while it was sent
    yield new Uint8Array(bytes, at + 4, length);
    at += 4 + length;
  }
}

// The poses of a scene as the rows of a frame.
function thingsOf(scene: Uint8Array): Uint8Array {
  const view = over(scene);
  const length = view.getUint32(SCENE_HEAD.header, true);
  const start = SCENE_HEAD.bytes + length;
  const header = JSON.parse(new TextDecoder().decode(scene.subarray(SCENE_HEAD.bytes, start)));
  const [offset, rows] = header.tables.poses as [number, number];
  const made = new Uint8Array(rows * FRAME_ROW.bytes);
  const writer = over(made);
  for (let row = 0; row < rows; row++) {
    const from = start + offset + row * POSE.bytes;
    const to = row * FRAME_ROW.bytes;
    writer.setUint16(to + FRAME_ROW.row, row, true);
    writer.setUint16(to + FRAME_ROW.state, view.getUint32(from + POSE.flags, true), true);
    made.set(scene.subarray(from, from + POSE.flags), to + FRAME_ROW.at);
  }
  return made;
}

function bring(moment: Moment, things: Uint8Array, parts: Map<number, Uint8Array>): void {
  for (const message of moment.parts) {
    const view = over(message);
    for (let place = 0; place < view.getUint16(PARTS_HEAD.rows, true); place++) {
      const from = PARTS_HEAD.bytes + place * PARTS_ROW.bytes;
      parts.set(view.getUint16(from + PARTS_ROW.row, true), message.subarray(from, from + PARTS_ROW.bytes));
    }
  }
  const view = over(moment.frame);
  for (let place = 0; place < view.getUint16(FRAME_HEAD.rows, true); place++) {
    const from = FRAME_HEAD.bytes + place * FRAME_ROW.bytes;
    const to = view.getUint16(from + FRAME_ROW.row, true) * FRAME_ROW.bytes;
    if (to < things.length) things.set(moment.frame.subarray(from, from + FRAME_ROW.bytes), to);
  }
}

function partsMessage(parts: Map<number, Uint8Array>): ArrayBuffer {
  const made = new Uint8Array(PARTS_HEAD.bytes + parts.size * PARTS_ROW.bytes);
  made[PARTS_HEAD.kind] = Message.PARTS;
  over(made).setUint16(PARTS_HEAD.rows, parts.size, true);
  let at: number = PARTS_HEAD.bytes;
  for (const row of parts.values()) {
    made.set(row, at);
    at += PARTS_ROW.bytes;
  }
  return made.buffer;
}

function frameMessage(frame: Uint8Array, things: Uint8Array): ArrayBuffer {
  const made = new Uint8Array(FRAME_HEAD.bytes + things.length);
  made.set(frame.subarray(0, FRAME_HEAD.bytes));
  over(made).setUint16(FRAME_HEAD.rows, things.length / FRAME_ROW.bytes, true);
  made.set(things, FRAME_HEAD.bytes);
  return made.buffer;
}
