// An arena from above as shapes of an SVG: x to the right, z up, one unit a metre.
import type { Part, SceneMessage } from "../scene/decode";
import { POSE_NUMBERS } from "../scene/decode";
import { Kind, State } from "../scene/layout";
import type { WorldEvent } from "../lib/api";

export interface Footprint {
  points: string; // of a polygon; empty for a disc
  x: number;
  y: number;
  radius: number;
  fill: string;
  opacity: number;
  top: number; // height, for the order of painting
}

const OVERHEAD = 1.5;
const ROUND: number[] = [Kind.BALL, Kind.CYLINDER, Kind.CAPSULE, Kind.ELLIPSOID, Kind.HULL];

type Vector = [number, number, number];

export function footprints(scene: SceneMessage): Footprint[] {
  const depth = scene.surroundings.size[1];
  const found: Footprint[] = [];
  for (const part of scene.parts) {
    if (part.thing < 0 || scene.animals.includes(part.thing)) continue;
    if (scene.states[part.thing] & State.HIDDEN) continue;
    found.push(footprint(part, scene, depth));
  }
  return found.sort((one, other) => one.top - other.top);
}

function footprint(part: Part, scene: SceneMessage, depth: number): Footprint {
  const pose = scene.poses.subarray(part.thing * POSE_NUMBERS, (part.thing + 1) * POSE_NUMBERS);
  const turn: [number, number, number, number] = [pose[3], pose[4], pose[5], pose[6]];
  const place = (point: Vector): Vector => {
    const inThing = added(rotated(part.turn, point), part.at as Vector);
    return added(rotated(turn, inThing), [pose[0], pose[1], pose[2]]);
  };
  const [x, y, z] = place([0, 0, 0]);
  // What hangs above the animal's head, like the crown of a tree, must not hide what is below it.
  const above = y - part.half[1] > OVERHEAD ? 0.3 : 1;
  const look = { fill: hex(part.color), opacity: above * Math.max(0.25, Math.min(1, part.color[3])), top: y + part.half[1] };
  if (ROUND.includes(part.kind)) return { ...look, points: "", x, y: depth - z, radius: (part.half[0] + part.half[2]) / 2 };
  const corners: [number, number][] = [];
  for (const a of [-1, 1])
    for (const b of [-1, 1])
      for (const c of [-1, 1]) {
        const corner = place([a * part.half[0], b * part.half[1], c * part.half[2]]);
        corners.push([corner[0], depth - corner[2]]);
      }
  const points = hull(corners).map(([u, v]) => `${u.toFixed(2)},${v.toFixed(2)}`).join(" ");
  return { ...look, points, x, y: depth - z, radius: 0 };
}

function added(one: Vector, other: Vector): Vector {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
}

// By a unit quaternion w, x, y, z.
function rotated(turn: readonly number[], point: Vector): Vector {
  const [w, x, y, z] = turn;
  const [px, py, pz] = point;
  const tx = 2 * (y * pz - z * py);
  const ty = 2 * (z * px - x * pz);
  const tz = 2 * (x * py - y * px);
  return [px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx];
}

// The outline of some points: Andrew's monotone chain.
export function hull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const turns = (o: number[], a: number[], b: number[]) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (order: [number, number][]) => {
    const chain: [number, number][] = [];
    for (const point of order) {
      while (chain.length > 1 && turns(chain[chain.length - 2], chain[chain.length - 1], point) <= 1e-9) chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// Colours of a scene are linear; those of a page are not.
export function hex(color: readonly number[]): string {
  const channel = (value: number) => {
    const clear = Math.max(0, Math.min(1, value));
    const shown = clear <= 0.0031308 ? 12.92 * clear : 1.055 * clear ** (1 / 2.4) - 0.055;
    return Math.round(shown * 255).toString(16).padStart(2, "0");
  };
  return `#${channel(color[0])}${channel(color[1])}${channel(color[2])}`;
}

/** The rows of `steps`, from the first to before the last, and the events of the arena that is played in row `now`.
 * In the step an arena merges into the next one, the animal is in the next one already. */
export function stretch(steps: readonly number[], events: WorldEvent[], now: number): { from: number; to: number; events: WorldEvent[] } {
  let [from, first] = [0, 0];
  for (const [place, event] of events.entries()) {
    if (event.kind !== "merged") continue;
    const row = steps.indexOf(event.step);
    if (row < 0) continue;
    if (row > now) return { from, to: row, events: events.slice(first, place) };
    [from, first] = [row, place + 1];
  }
  return { from, to: steps.length, events: events.slice(first) };
}

// A path through the places of an episode, with no more corners than can be seen.
export function trail(xs: number[], zs: number[], depth: number, most = 2000): string {
  const every = Math.max(1, Math.ceil(xs.length / most));
  let path = "";
  for (let place = 0; place < xs.length; place += every) path += `${path ? "L" : "M"}${xs[place].toFixed(2)} ${(depth - zs[place]).toFixed(2)}`;
  return path;
}
