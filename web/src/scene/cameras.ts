// From where one looks: with the animal's eye, from behind it, or from above.
import { MathUtils, Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { Part, Surroundings } from "./decode";
import { CAMERAS, Kind } from "./layout";
import { TUBE_RATIO } from "./shapes";

export type ViewName = "first" | "third" | "top";
export const VIEWS: readonly ViewName[] = ["first", "third", "top"];

/** Fields of view upwards in degrees, and how the camera hangs behind the animal: the same numbers as in Python. */
const { eye_fov: EYE_FOV, fov: FOV, pitch: PITCH, nearest: NEAREST, margin: MARGIN } = CAMERAS;
const ARM = Math.hypot(CAMERAS.behind, CAMERAS.above);
const RISE = MathUtils.radToDeg(Math.atan2(CAMERAS.above, CAMERAS.behind));
/** Where it is too near, the camera rises (degrees). */
const RISES = [RISE, ...CAMERAS.higher];
const CLEAR = 0.9;
/** How fast it follows, a second. */
const QUICK = 10;
/** On a narrow screen at least so much is seen sideways (degrees). */
const EYE_WIDE = 72;
const WIDE = 62;

export interface Standpoint {
  x: number;
  y: number;
  z: number; // of the Scene
  heading: number; // degrees, clockwise from above
}
export type Solids = Iterable<{ part: Part; matrix: Matrix4 }>;

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.05, 300);
  private arm = ARM;
  private rise = RISE;
  private fresh = true;

  /** The next picture is of another place: do not glide there. */
  cut(): void {
    this.fresh = true;
  }

  place(view: ViewName, eye: Standpoint, around: Surroundings, solids: () => Solids, aspect: number, seconds: number): void {
    const camera = this.camera;
    camera.aspect = aspect;
    camera.fov = view === "first" ? fovFor(EYE_FOV, EYE_WIDE, aspect) : view === "third" ? fovFor(FOV, WIDE, aspect) : FOV;
    const heading = MathUtils.degToRad(eye.heading);
    camera.rotation.order = "YXZ";
    if (view === "top") {
      const [width, depth] = around.size;
      const half = Math.tan(MathUtils.degToRad(FOV / 2));
      const high = Math.max(depth / 2 + MARGIN, (width / 2 + MARGIN) / aspect) / half;
      camera.position.set(width / 2, high, -depth / 2);
      camera.rotation.set(-Math.PI / 2, 0, 0);
      camera.far = high + 120;
    } else if (view === "first") {
      camera.position.set(eye.x, eye.y, -eye.z);
      camera.rotation.set(0, -heading, 0);
      camera.far = 150;
    } else {
      this.follow(eye, around, solids, seconds);
    }
    // First person is at the middle of a ball of half a metre: nothing solid comes nearer than that.
    camera.near = view === "first" ? 0.04 : view === "top" ? 5 : 0.1;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    if (view !== "third") this.fresh = true;
  }

  private follow(eye: Standpoint, around: Surroundings, solids: () => Solids, seconds: number): void {
    const heading = MathUtils.degToRad(eye.heading);
    const middle = new Vector3(eye.x, eye.y, -eye.z);
    const list = [...solids()];
    let [arm, rise] = [0, RISE];
    for (const candidate of RISES) {
      const free = freeLength(middle, backwards(heading, candidate), around, list);
      if (free > arm + 0.05) [arm, rise] = [free, candidate];
      if (free >= NEAREST) break;
    }
    arm = Math.max(1, arm);
    const share = this.fresh ? 1 : 1 - Math.exp(-QUICK * seconds);
    this.arm += (arm - this.arm) * share;
    this.rise += (rise - this.rise) * share;
    this.fresh = false;
    this.camera.position.copy(middle).addScaledVector(backwards(heading, this.rise), this.arm);
    this.camera.rotation.set(MathUtils.degToRad(PITCH + RISE - this.rise), -heading, 0);
    this.camera.far = 200;
  }
}

/** Upwards, so much that sideways there is enough. */
function fovFor(fov: number, wide: number, aspect: number): number {
  const needed = 2 * Math.atan(Math.tan(MathUtils.degToRad(wide / 2)) / aspect);
  return Math.max(fov, MathUtils.radToDeg(needed));
}

function backwards(heading: number, rise: number): Vector3 {
  const up = MathUtils.degToRad(rise);
  return new Vector3(-Math.sin(heading) * Math.cos(up), Math.sin(up), Math.cos(heading) * Math.cos(up));
}

/** How long the arm from the animal to the camera can be; all in three's axes. */
function freeLength(from: Vector3, way: Vector3, around: Surroundings, solids: { part: Part; matrix: Matrix4 }[]): number {
  let nearest = Infinity;
  const [width, depth] = around.size;
  if (way.x < 0) nearest = Math.min(nearest, -from.x / way.x);
  if (way.x > 0) nearest = Math.min(nearest, (width - from.x) / way.x);
  if (way.z > 0) nearest = Math.min(nearest, -from.z / way.z);
  if (way.z < 0) nearest = Math.min(nearest, (-depth - from.z) / way.z);
  if (around.ceiling > 0 && way.y > 0) nearest = Math.min(nearest, (around.ceiling - from.y) / way.y);
  for (const { part, matrix } of solids) nearest = Math.min(nearest, hit(from, way, part, matrix));
  return nearest > ARM / CLEAR ? ARM : CLEAR * Math.max(0, nearest);
}

const inverse = new Matrix4();
const start = new Vector3();
const along = new Vector3();

/** How far along a ray a part is met; round small things (goals, animals) are not in the way of a camera. */
export function hit(from: Vector3, way: Vector3, part: Part, matrix: Matrix4): number {
  if (part.kind !== Kind.BOX && part.kind !== Kind.WEDGE && part.kind !== Kind.TUBE) return Infinity;
  inverse.copy(matrix).invert();
  start.copy(from).applyMatrix4(inverse);
  along.copy(from).add(way).applyMatrix4(inverse).sub(start);
  return part.kind === Kind.TUBE ? hitTube() : hitBox(part.kind === Kind.WEDGE);
}

function hitBox(wedge: boolean): number {
  let [enter, leave] = [-Infinity, Infinity];
  const slab = (place: number, speed: number) => {
    if (Math.abs(speed) < 1e-9) {
      if (Math.abs(place) > 1) enter = Infinity;
      return;
    }
    const [a, b] = [(-1 - place) / speed, (1 - place) / speed];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  };
  slab(start.x, along.x);
  slab(start.y, along.y);
  slab(start.z, along.z);
  if (wedge) {
    // Inside is where y - z <= 0 in three's axes: high at +z.
    const [place, speed] = [start.y - start.z, along.y - along.z];
    if (Math.abs(speed) < 1e-9) {
      if (place > 0) return Infinity;
    } else if (speed > 0) leave = Math.min(leave, -place / speed);
    else enter = Math.max(enter, -place / speed);
  }
  return enter < leave && enter > 0 ? enter : Infinity;
}

function hitTube(): number {
  let nearest = Infinity;
  for (const radius of [1, TUBE_RATIO]) {
    const a = along.x ** 2 + along.y ** 2;
    const b = start.x * along.x + start.y * along.y;
    const root = b * b - a * (start.x ** 2 + start.y ** 2 - radius ** 2);
    if (a < 1e-9 || root < 0) continue;
    for (const t of [(-b - Math.sqrt(root)) / a, (-b + Math.sqrt(root)) / a]) {
      const inside = start.y + t * along.y > 0 && Math.abs(start.z + t * along.z) < 1;
      if (t > 0 && inside) nearest = Math.min(nearest, t);
    }
  }
  return nearest;
}
