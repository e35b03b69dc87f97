// Decodes the binary messages of docs/reference/studio-protocol.md.
import {
  ACTIONS_HEAD, CAMERA_HEAD, FRAME_HEAD, FRAME_ROW, MASK, Message as MessageKind, PART, PARTS_HEAD, PARTS_ROW, POSE,
  RAYS_HEAD, SCENE_HEAD, SURFACE, SURROUNDINGS,
} from "./layout";

export { FrameFlag } from "./layout";

export type Triple = [number, number, number];
export type Quad = [number, number, number, number];

/** One visible part of a thing; puzzlebox.scene.scene describes its numbers. */
export interface Part {
  thing: number;
  kind: number;
  pattern: number;
  flags: number;
  mark: number;
  at: Triple;
  turn: Quad; // w x y z
  half: Triple;
  color: Quad;
  other: Quad;
  first: number;
  count: number;
}

export interface Surface {
  color: Triple;
  other: Triple;
  pattern: number;
  scale: number;
}

export interface Surroundings {
  size: [number, number];
  floorTop: number;
  fenceTop: number;
  postTop: number;
  postWidth: number;
  panels: [number, number];
  ceiling: number;
  light: number;
  sun: Triple;
  sunlight: Triple;
  above: Triple;
  beside: Triple;
  below: Triple;
  halo: Triple;
  floor: Surface;
  fence: Surface;
  sky: Surface;
  lid: Surface;
}

/** The numbers of one pose: at (3), turn (4, w first), value (1). */
export const POSE_NUMBERS = 8;

export interface SceneMessage {
  kind: 1;
  step: number;
  version: number;
  animals: number[];
  owners: number[];
  names: string[];
  parts: Part[];
  poses: Float32Array; // POSE_NUMBERS for each row
  states: Uint32Array; // one for each row
  planes: Float32Array; // four for each row
  pixels: Uint8Array; // MASK for each row
  surroundings: Surroundings;
}

export interface FrameMessage {
  kind: 2;
  flags: number;
  step: number;
  key: number;
  action: number;
  health: number;
  total: number;
  left: number; // physics steps until the time limit; -1: no limit
  heading: number; // degrees
  rows: Uint16Array;
  states: Uint16Array;
  numbers: Float32Array; // POSE_NUMBERS for each row
}

export interface PartsMessage {
  kind: 3;
  changes: { row: number; at: Triple; half: Triple; color: Quad }[];
}

export interface CameraMessage {
  kind: 4;
  pixels: Uint8Array;
}

export interface RaysMessage {
  kind: 5;
  rays: { degrees: number; metres: number; tag: string }[];
}

export interface ActionsMessage {
  kind: 6;
  first: number;
  actions: Uint8Array;
}

export type Message = SceneMessage | FrameMessage | PartsMessage | CameraMessage | RaysMessage | ActionsMessage;

export function decode(buffer: ArrayBuffer): Message {
  const view = new DataView(buffer);
  const kind = view.getUint8(0);
  switch (kind) {
    case MessageKind.SCENE: return decodeScene(view);
    case MessageKind.FRAME: return decodeFrame(view);
    case MessageKind.PARTS: return decodeParts(view);
    case MessageKind.CAMERA: return { kind: 4, pixels: new Uint8Array(buffer, CAMERA_HEAD.bytes) };
    case MessageKind.RAYS: return decodeRays(view);
    case MessageKind.ACTIONS: {
      const actions = new Uint8Array(buffer, ACTIONS_HEAD.bytes, view.getUint16(ACTIONS_HEAD.count, true));
      return { kind: 6, first: view.getUint32(ACTIONS_HEAD.first, true), actions };
    }
    default: throw new Error(`a message of unknown kind ${kind} was received; kinds are 1 to 6`);
  }
}

function floats(view: DataView, at: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
}
const triple = (view: DataView, at: number) => floats(view, at, 3) as Triple;
const quad = (view: DataView, at: number) => floats(view, at, 4) as Quad;

interface Header {
  step: number;
  version: number;
  animals: number[];
  owners: number[];
  names: string[];
  tables: Record<"parts" | "poses" | "planes" | "pixels" | "surroundings", [number, number]>;
}

function decodeScene(view: DataView): SceneMessage {
  const length = view.getUint32(SCENE_HEAD.header, true);
  const header: Header = JSON.parse(new TextDecoder().decode(new Uint8Array(view.buffer, SCENE_HEAD.bytes, length)));
  const start = SCENE_HEAD.bytes + length;
  const table = (name: keyof Header["tables"]) => [start + header.tables[name][0], header.tables[name][1]] as const;

  const [partsAt, partRows] = table("parts");
  const parts = Array.from({ length: partRows }, (_, row) => decodePart(view, partsAt + row * PART.bytes));

  const [posesAt, poseRows] = table("poses");
  const poses = new Float32Array(poseRows * POSE_NUMBERS);
  const states = new Uint32Array(poseRows);
  for (let row = 0; row < poseRows; row++) {
    const at = posesAt + row * POSE.bytes;
    for (let i = 0; i < POSE_NUMBERS; i++) poses[row * POSE_NUMBERS + i] = view.getFloat32(at + 4 * i, true);
    states[row] = view.getUint32(at + POSE.flags, true);
  }

  const [planesAt, planeRows] = table("planes");
  const planes = Float32Array.from(floats(view, planesAt, 4 * planeRows));
  const [pixelsAt, pixelRows] = table("pixels");
  // A copy, so that the message's buffer can be freed.
  const pixels = new Uint8Array(view.buffer, pixelsAt, pixelRows * MASK).slice();
  const { step, version, animals, owners, names } = header;
  const surroundings = decodeSurroundings(view, table("surroundings")[0]);
  return { kind: 1, step, version, animals, owners, names, parts, poses, states, planes, pixels, surroundings };
}

function decodePart(view: DataView, at: number): Part {
  const f = PART;
  return {
    thing: view.getInt32(at + f.thing, true),
    kind: view.getUint8(at + f.kind),
    pattern: view.getUint8(at + f.pattern),
    flags: view.getUint8(at + f.flags),
    mark: view.getUint8(at + f.mark),
    at: triple(view, at + f.at),
    turn: quad(view, at + f.turn),
    half: triple(view, at + f.half),
    color: quad(view, at + f.color),
    other: quad(view, at + f.other),
    first: view.getInt32(at + f.first, true),
    count: view.getInt32(at + f.count, true),
  };
}

function decodeSurface(view: DataView, at: number): Surface {
  const f = SURFACE;
  return {
    color: triple(view, at + f.color),
    other: triple(view, at + f.other),
    pattern: view.getFloat32(at + f.pattern, true),
    scale: view.getFloat32(at + f.scale, true),
  };
}

function decodeSurroundings(view: DataView, at: number): Surroundings {
  const f = SURROUNDINGS;
  const one = (field: number) => view.getFloat32(at + field, true);
  const two = (field: number) => floats(view, at + field, 2) as [number, number];
  const three = (field: number) => triple(view, at + field);
  const surface = (field: number) => decodeSurface(view, at + field);
  return {
    size: two(f.size),
    floorTop: one(f.floor_top),
    fenceTop: one(f.fence_top),
    postTop: one(f.post_top),
    postWidth: one(f.post_width),
    panels: two(f.panels),
    ceiling: one(f.ceiling),
    light: one(f.light),
    sun: three(f.sun),
    sunlight: three(f.sunlight),
    above: three(f.above),
    beside: three(f.beside),
    below: three(f.below),
    halo: three(f.halo),
    floor: surface(f.floor),
    fence: surface(f.fence),
    sky: surface(f.sky),
    lid: surface(f.lid),
  };
}

function decodeFrame(view: DataView): FrameMessage {
  const head = FRAME_HEAD;
  const count = view.getUint16(head.rows, true);
  const rows = new Uint16Array(count);
  const states = new Uint16Array(count);
  const numbers = new Float32Array(count * POSE_NUMBERS);
  for (let i = 0; i < count; i++) {
    const at = head.bytes + i * FRAME_ROW.bytes;
    rows[i] = view.getUint16(at + FRAME_ROW.row, true);
    states[i] = view.getUint16(at + FRAME_ROW.state, true);
    for (let j = 0; j < POSE_NUMBERS; j++) {
      numbers[i * POSE_NUMBERS + j] = view.getFloat32(at + FRAME_ROW.at + 4 * j, true);
    }
  }
  return {
    kind: 2,
    flags: view.getUint8(head.flags),
    step: view.getUint32(head.step, true),
    key: view.getUint32(head.key, true),
    action: view.getUint8(head.action),
    health: view.getFloat32(head.health, true),
    total: view.getFloat32(head.return, true),
    left: view.getFloat32(head.left, true),
    heading: view.getFloat32(head.heading, true),
    rows,
    states,
    numbers,
  };
}

function decodeParts(view: DataView): PartsMessage {
  const count = view.getUint16(PARTS_HEAD.rows, true);
  const changes = Array.from({ length: count }, (_, i) => {
    const at = PARTS_HEAD.bytes + i * PARTS_ROW.bytes;
    return {
      row: view.getUint16(at + PARTS_ROW.row, true),
      at: triple(view, at + PARTS_ROW.at),
      half: triple(view, at + PARTS_ROW.half),
      color: quad(view, at + PARTS_ROW.color),
    };
  });
  return { kind: 3, changes };
}

function decodeRays(view: DataView): RaysMessage {
  const count = view.getUint16(RAYS_HEAD.count, true);
  const rays: RaysMessage["rays"] = [];
  let at: number = RAYS_HEAD.bytes;
  for (let i = 0; i < count; i++) {
    const length = view.getUint8(at + 8);
    const tag = new TextDecoder().decode(new Uint8Array(view.buffer, at + 9, length));
    rays.push({ degrees: view.getFloat32(at, true), metres: view.getFloat32(at + 4, true), tag });
    at += 9 + length;
  }
  return { kind: 5, rays };
}
