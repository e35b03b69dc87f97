// The cameras of the large picture: the animal's eye, a camera behind it, and one above the arena.
import { MathUtils, Matrix4, PerspectiveCamera, Vector3 } from "three";
import type { Part, Surroundings } from "./decode";
import { CAMERAS, Kind, TUBE_RATIO } from "./layout";

export type ViewName = "first" | "third" | "top";
export const VIEWS: readonly ViewName[] = ["first", "third", "top"];
export const VIEW_LABELS: Record<ViewName, string> = { first: "First person", third: "Third person", top: "Bird's eye" };

/** Vertical fields of view and angles in degrees, distances in metres: the numbers of puzzlebox.render. */
const { eye_fov: EYE_FOV, fov: FOV, pitch: PITCH, nearest: NEAREST, margin: MARGIN } = CAMERAS;
/** The distance of the camera behind the animal (metres), and its angle above the animal (degrees). */
const ARM = Math.hypot(CAMERAS.behind, CAMERAS.above);
const RISE = MathUtils.radToDeg(Math.atan2(CAMERAS.above, CAMERAS.behind));
/** The angles that are tried in turn if the camera would be too near to the animal (degrees). */
const RISES = [RISE, ...CAMERAS.higher];
/** The share of the free distance to an obstacle that the camera uses. */
const FREE_SHARE = 0.9;
/** The rate at which the camera approaches its place, per second. */
const FOLLOW_RATE = 10;
/** The least horizontal fields of view, which count on narrow screens (degrees). */
const EYE_LEAST_WIDTH = 72;
const LEAST_WIDTH = 62;

/** The position and heading of the animal. */
export interface Standpoint {
  x: number;
  y: number;
  z: number; // in the Scene's axes
  heading: number; // degrees, clockwise from above
}
export type Solids = Iterable<{ part: Part; matrix: Matrix4 }>;

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.05, 300);
  private arm = ARM;
  private rise = RISE;
  private jump = true; // place the camera at once in the next picture

  /** Let the camera jump to its place in the next picture, instead of gliding there. */
  cut(): void {
    this.jump = true;
  }

  place(view: ViewName, eye: Standpoint, surroundings: Surroundings, solids: () => Solids, aspect: number, seconds: number): void {
    const camera = this.camera;
    camera.aspect = aspect;
    camera.fov = view === "first" ? fovFor(EYE_FOV, EYE_LEAST_WIDTH, aspect) : view === "third" ? fovFor(FOV, LEAST_WIDTH, aspect) : FOV;
    const heading = MathUtils.degToRad(eye.heading);
    camera.rotation.order = "YXZ";
    if (view === "top") {
      const [width, depth] = surroundings.size;
      const half = Math.tan(MathUtils.degToRad(FOV / 2));
      const height = Math.max(depth / 2 + MARGIN, (width / 2 + MARGIN) / aspect) / half;
      camera.position.set(width / 2, height, -depth / 2);
      camera.rotation.set(-Math.PI / 2, 0, 0);
      camera.far = height + 120;
    } else if (view === "first") {
      camera.position.set(eye.x, eye.y, -eye.z);
      camera.rotation.set(0, -heading, 0);
      camera.far = 150;
    } else {
      this.follow(eye, surroundings, solids, seconds);
    }
    // The eye is at the centre of a ball with a radius of half a metre: nothing solid comes nearer.
    camera.near = view === "first" ? 0.04 : view === "top" ? 5 : 0.1;
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    if (view !== "third") this.jump = true;
  }

  private follow(eye: Standpoint, surroundings: Surroundings, solids: () => Solids, seconds: number): void {
    const heading = MathUtils.degToRad(eye.heading);
    const middle = new Vector3(eye.x, eye.y, -eye.z);
    const list = [...solids()];
    let [arm, rise] = [0, RISE];
    for (const candidate of RISES) {
      const free = freeLength(middle, backwards(heading, candidate), surroundings, list);
      if (free > arm + 0.05) [arm, rise] = [free, candidate];
      if (free >= NEAREST) break;
    }
    arm = Math.max(1, arm);
    const share = this.jump ? 1 : 1 - Math.exp(-FOLLOW_RATE * seconds);
    this.arm += (arm - this.arm) * share;
    this.rise += (rise - this.rise) * share;
    this.jump = false;
    this.camera.position.copy(middle).addScaledVector(backwards(heading, this.rise), this.arm);
    this.camera.rotation.set(MathUtils.degToRad(PITCH + RISE - this.rise), -heading, 0);
    this.camera.far = 200;
  }
}

/** Return the vertical field of view: `fov`, or more if the horizontal one would be less than `leastWidth` (all in degrees). */
function fovFor(fov: number, leastWidth: number, aspect: number): number {
  const necessary = 2 * Math.atan(Math.tan(MathUtils.degToRad(leastWidth / 2)) / aspect);
  return Math.max(fov, MathUtils.radToDeg(necessary));
}

/** Return the direction from the animal to a camera behind it, `rise` degrees above the horizontal. */
function backwards(heading: number, rise: number): Vector3 {
  const up = MathUtils.degToRad(rise);
  return new Vector3(-Math.sin(heading) * Math.cos(up), Math.sin(up), Math.cos(heading) * Math.cos(up));
}

/** Return how far from the animal the camera can be, in a direction; all in three's axes. */
function freeLength(from: Vector3, direction: Vector3, surroundings: Surroundings, solids: { part: Part; matrix: Matrix4 }[]): number {
  let nearest = Infinity;
  const [width, depth] = surroundings.size;
  if (direction.x < 0) nearest = Math.min(nearest, -from.x / direction.x);
  if (direction.x > 0) nearest = Math.min(nearest, (width - from.x) / direction.x);
  if (direction.z > 0) nearest = Math.min(nearest, -from.z / direction.z);
  if (direction.z < 0) nearest = Math.min(nearest, (-depth - from.z) / direction.z);
  if (surroundings.ceiling > 0 && direction.y > 0) nearest = Math.min(nearest, (surroundings.ceiling - from.y) / direction.y);
  for (const { part, matrix } of solids) nearest = Math.min(nearest, hit(from, direction, part, matrix));
  return nearest > ARM / FREE_SHARE ? ARM : FREE_SHARE * Math.max(0, nearest);
}

const inverse = new Matrix4();
const start = new Vector3();
const along = new Vector3();

/** Return the distance at which a ray hits a part. Round parts (goals, animals) do not block a camera. */
export function hit(from: Vector3, direction: Vector3, part: Part, matrix: Matrix4): number {
  if (part.kind !== Kind.BOX && part.kind !== Kind.WEDGE && part.kind !== Kind.TUBE) return Infinity;
  inverse.copy(matrix).invert();
  start.copy(from).applyMatrix4(inverse);
  along.copy(from).add(direction).applyMatrix4(inverse).sub(start);
  return part.kind === Kind.TUBE ? hitTube() : hitBox(part.kind === Kind.WEDGE);
}

function hitBox(wedge: boolean): number {
  let [enter, leave] = [-Infinity, Infinity];
  const slab = (start: number, speed: number) => {
    if (Math.abs(speed) < 1e-9) {
      if (Math.abs(start) > 1) enter = Infinity;
      return;
    }
    const [a, b] = [(-1 - start) / speed, (1 - start) / speed];
    enter = Math.max(enter, Math.min(a, b));
    leave = Math.min(leave, Math.max(a, b));
  };
  slab(start.x, along.x);
  slab(start.y, along.y);
  slab(start.z, along.z);
  if (wedge) {
    // A wedge is high at +z in three's axes: inside is where y - z <= 0.
    const [height, speed] = [start.y - start.z, along.y - along.z];
    if (Math.abs(speed) < 1e-9) {
      if (height > 0) return Infinity;
    } else if (speed > 0) leave = Math.min(leave, -height / speed);
    else enter = Math.max(enter, -height / speed);
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
