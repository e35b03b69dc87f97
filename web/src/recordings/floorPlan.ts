// An arena seen from above as SVG shapes: x to the right, z up, one unit for one metre.
import type { WorldEvent } from "../lib/api";
import type { Part, SceneMessage } from "../scene/decode";
import { POSE_NUMBERS } from "../scene/decode";
import { Kind, State } from "../scene/layout";

export interface Footprint {
  points: string; // corners of a polygon; empty for a disc
  x: number;
  y: number;
  radius: number;
  fill: string;
  opacity: number;
  top: number; // height in metres: lower shapes are painted first
}

/** Parts whose lower edge is above this height (metres) do not hide what is below them, such as the crown of a tree. */
const OVERHEAD_METRES = 1.5;
const ROUND: number[] = [Kind.BALL, Kind.CYLINDER, Kind.CAPSULE, Kind.ELLIPSOID, Kind.HULL];

type Vector = [number, number, number];

/** Return the shapes of all visible parts but the animals', lowest first. */
export function footprints(scene: SceneMessage): Footprint[] {
  const depth = scene.surroundings.size[1];
  const shapes: Footprint[] = [];
  for (const part of scene.parts) {
    if (part.thing < 0 || scene.animals.includes(part.thing)) continue;
    if (scene.states[part.thing] & State.HIDDEN) continue;
    shapes.push(footprint(part, scene, depth));
  }
  return shapes.sort((one, other) => one.top - other.top);
}

function footprint(part: Part, scene: SceneMessage, depth: number): Footprint {
  const pose = scene.poses.subarray(part.thing * POSE_NUMBERS, (part.thing + 1) * POSE_NUMBERS);
  const turn: [number, number, number, number] = [pose[3], pose[4], pose[5], pose[6]];
  const toArena = (point: Vector): Vector => {
    const inThing = add(rotate(part.turn, point), part.at as Vector);
    return add(rotate(turn, inThing), [pose[0], pose[1], pose[2]]);
  };
  const [x, y, z] = toArena([0, 0, 0]);
  const opacity = y - part.half[1] > OVERHEAD_METRES ? 0.3 : 1;
  const look = { fill: hexColour(part.color), opacity: opacity * Math.max(0.25, Math.min(1, part.color[3])), top: y + part.half[1] };
  if (ROUND.includes(part.kind)) return { ...look, points: "", x, y: depth - z, radius: (part.half[0] + part.half[2]) / 2 };
  const corners: [number, number][] = [];
  for (const a of [-1, 1])
    for (const b of [-1, 1])
      for (const c of [-1, 1]) {
        const corner = toArena([a * part.half[0], b * part.half[1], c * part.half[2]]);
        corners.push([corner[0], depth - corner[2]]);
      }
  const points = convexHull(corners).map(([u, v]) => `${u.toFixed(2)},${v.toFixed(2)}`).join(" ");
  return { ...look, points, x, y: depth - z, radius: 0 };
}

function add(one: Vector, other: Vector): Vector {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2]];
}

/** Rotate a point by a unit quaternion (w, x, y, z). */
function rotate(turn: readonly number[], point: Vector): Vector {
  const [w, x, y, z] = turn;
  const [px, py, pz] = point;
  const tx = 2 * (y * pz - z * py);
  const ty = 2 * (z * px - x * pz);
  const tz = 2 * (x * py - y * px);
  return [px + w * tx + y * tz - z * ty, py + w * ty + z * tx - x * tz, pz + w * tz + x * ty - y * tx];
}

/** Return the convex hull of some points, by Andrew's monotone chain. */
export function convexHull(points: [number, number][]): [number, number][] {
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

/** Return a linear colour of a Scene as a CSS colour (sRGB). */
export function hexColour(color: readonly number[]): string {
  const channel = (value: number) => {
    const linear = Math.max(0, Math.min(1, value));
    const srgb = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
    return Math.round(srgb * 255).toString(16).padStart(2, "0");
  };
  return `#${channel(color[0])}${channel(color[1])}${channel(color[2])}`;
}

/** Return the part of an episode that is played in the same arena as row `now`: its rows of `steps`, from `from` to before
 * `to`, and its events. In the step in which arenas merge, the animal is in the next one already. */
export function arenaSegment(steps: readonly number[], events: WorldEvent[], now: number): { from: number; to: number; events: WorldEvent[] } {
  let [from, first] = [0, 0];
  for (const [index, event] of events.entries()) {
    if (event.kind !== "merged") continue;
    const row = steps.indexOf(event.step);
    if (row < 0) continue;
    if (row > now) return { from, to: row, events: events.slice(first, index) };
    [from, first] = [row, index + 1];
  }
  return { from, to: steps.length, events: events.slice(first) };
}

/** Return the SVG path through some positions, with at most about `most` corners. */
export function pathData(xs: number[], zs: number[], depth: number, most = 2000): string {
  const every = Math.max(1, Math.ceil(xs.length / most));
  let path = "";
  for (let i = 0; i < xs.length; i += every) path += `${path ? "L" : "M"}${xs[i].toFixed(2)} ${(depth - zs[i]).toFixed(2)}`;
  return path;
}
