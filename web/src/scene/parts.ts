// Draws the parts of a Scene: one instanced mesh for all parts of a form, opaque and see-through ones apart.
import {
  BufferGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Matrix4, Quaternion, Vector3,
  type Camera, type ShaderMaterial,
} from "three";
import { POSE_NUMBERS, type Part, type PartsMessage, type SceneMessage } from "./decode";
import { Flag, Kind, MASK, Pattern, State } from "./layout";
import { Daylight, partMaterial, symbols } from "./materials";
import { lookOf } from "./palette";
import { shapeKey, shapeOf } from "./shapes";

/** A place of the Scene in three's axes. */
export function mirroredPlace(out: Vector3, x: number, y: number, z: number): Vector3 {
  return out.set(x, y, -z);
}
/** A turn of the Scene (w first) in three's axes. */
export function mirroredTurn(out: Quaternion, w: number, x: number, y: number, z: number): Quaternion {
  return out.set(-x, -y, z, w);
}

/** Instances of one form, with the numbers the shader paints them by. */
export class Instances {
  readonly mesh: InstancedMesh;
  private readonly attributes: Record<"aColor" | "aOther" | "aHalf" | "aMeta", InstancedBufferAttribute>;

  constructor(readonly shape: BufferGeometry, material: ShaderMaterial, readonly capacity: number) {
    // Every mesh has its own copy of the form: buffers that are shared would go with the first mesh that goes.
    const geometry = shape.clone();
    const attribute = () => new InstancedBufferAttribute(new Float32Array(4 * capacity), 4).setUsage(DynamicDrawUsage);
    this.attributes = { aColor: attribute(), aOther: attribute(), aHalf: attribute(), aMeta: attribute() };
    for (const [name, each] of Object.entries(this.attributes)) geometry.setAttribute(name, each);
    this.mesh = new InstancedMesh(geometry, material, capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.receiveShadow = true;
  }

  paint(slot: number, part: Paint): void {
    const { aColor, aOther, aHalf, aMeta } = this.attributes;
    aColor.setXYZW(slot, part.color[0], part.color[1], part.color[2], part.color[3]);
    aOther.setXYZW(slot, part.other[0], part.other[1], part.other[2], part.other[3]);
    aHalf.setXYZW(slot, part.half[0], part.half[1], part.half[2], Math.floor(Math.max(0, part.first) / MASK));
    aMeta.setXYZW(slot, part.pattern, part.kind, part.flags, part.value);
    for (const each of [aColor, aOther, aHalf, aMeta]) each.needsUpdate = true;
  }

  value(slot: number, value: number): void {
    if (this.attributes.aMeta.getW(slot) === value) return;
    this.attributes.aMeta.setW(slot, value);
    this.attributes.aMeta.needsUpdate = true;
  }

  place(slot: number, matrix: Matrix4): void {
    matrix.toArray(this.mesh.instanceMatrix.array, 16 * slot);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.dispose();
  }
}

export type Paint = Pick<Part, "other" | "half" | "pattern" | "kind" | "first"> & {
  color: readonly number[];
  flags: number;
  value: number;
};

interface Placed {
  part: Part;
  group: FormGroup;
  slot: number;
  matrix: Matrix4;
  value: number;
}
interface FormGroup {
  instances: Instances;
  members: number[]; // rows of parts, in the order of their slots
  seeThrough: boolean;
}

const HIDDEN = new Matrix4().makeScale(0, 0, 0);

export class Parts {
  readonly group = new Group();
  private readonly materials: { opaque: ShaderMaterial; through: ShaderMaterial };
  private readonly groups = new Map<string, FormGroup>();
  private placed: Placed[] = [];
  private ofThing: number[][] = [];
  private names: string[] = [];
  private poses: Float32Array = new Float32Array(0);
  private states: Uint32Array = new Uint32Array(0);
  private hidden = -1;
  private colourBlind = false;
  private sortedFrom = new Vector3(Infinity, 0, 0);

  constructor(daylight: Daylight) {
    this.materials = { opaque: partMaterial(daylight, false), through: partMaterial(daylight, true) };
  }

  /** The material the fence is painted with, too. */
  get material(): ShaderMaterial {
    return this.materials.opaque;
  }

  /** New tables. `poses` and `states` are those shown, which change in place. */
  begin(scene: SceneMessage, poses: Float32Array, states: Uint32Array): void {
    this.poses = poses;
    this.states = states;
    this.names = scene.names;
    const texture = symbols(scene.pixels);
    for (const material of Object.values(this.materials)) {
      const before = material.uniforms.uSymbols.value;
      material.uniforms.uSymbols.value = texture;
      if (before !== texture) before.dispose();
    }
    const rowsOf = new Map<string, number[]>();
    scene.parts.forEach((part, row) => {
      const planes = part.kind === Kind.HULL ? scene.planes.subarray(4 * part.first, 4 * (part.first + part.count)) : undefined;
      const form = shapeKey(part, part.pattern === Pattern.SPINES && part.kind === Kind.ELLIPSOID, planes);
      const key = `${part.flags & Flag.SEE_THROUGH ? "through" : "opaque"} ${form}`;
      if (!rowsOf.has(key)) rowsOf.set(key, []);
      rowsOf.get(key)!.push(row);
    });
    for (const [key, group] of this.groups) {
      if (!rowsOf.has(key) || rowsOf.get(key)!.length > group.instances.capacity) {
        group.instances.dispose();
        this.groups.delete(key);
      }
    }
    this.placed = new Array(scene.parts.length);
    this.ofThing = scene.owners.map(() => []);
    scene.parts.forEach((part, row) => this.ofThing[part.thing]?.push(row));
    for (const [key, rows] of rowsOf) this.fillGroup(key, rows, scene.parts);
    for (let thing = 0; thing < this.ofThing.length; thing++) this.move(thing);
    this.sortedFrom.set(Infinity, 0, 0);
  }

  private fillGroup(key: string, rows: number[], parts: Part[]): void {
    let group = this.groups.get(key);
    const seeThrough = key.startsWith("through ");
    if (!group) {
      const shape = shapeOf(key.slice(key.indexOf(" ") + 1));
      // Some room for things that come later.
      const capacity = rows.length + 4 + Math.ceil(rows.length / 4);
      const material = seeThrough ? this.materials.through : this.materials.opaque;
      group = { instances: new Instances(shape, material, capacity), members: [], seeThrough };
      group.instances.mesh.castShadow = !seeThrough;
      group.instances.mesh.renderOrder = seeThrough ? 2 : 0;
      this.groups.set(key, group);
      this.group.add(group.instances.mesh);
    }
    group.members = rows;
    group.instances.mesh.count = rows.length;
    rows.forEach((row, slot) => {
      const part = parts[row];
      const value = this.poses[part.thing * POSE_NUMBERS + 7];
      this.placed[row] = { part, group, slot, matrix: new Matrix4(), value };
      this.repaint(row);
    });
  }

  private repaint(row: number): void {
    const { part, group, slot, value } = this.placed[row];
    const look = lookOf(part, this.names[part.thing] ?? "", this.colourBlind);
    group.instances.paint(slot, { ...part, color: look.color, flags: part.flags | look.mark, value });
  }

  /** A thing stands elsewhere now. */
  move(thing: number): void {
    const rows = this.ofThing[thing];
    if (!rows) return;
    const i = thing * POSE_NUMBERS;
    const p = this.poses;
    mirroredPlace(position, p[i], p[i + 1], p[i + 2]);
    mirroredTurn(rotation, p[i + 3], p[i + 4], p[i + 5], p[i + 6]);
    stand.compose(position, rotation, ONE);
    const gone = thing === this.hidden || (this.states[thing] & State.HIDDEN) !== 0;
    for (const row of rows) {
      const placed = this.placed[row];
      const { part } = placed;
      mirroredPlace(position, part.at[0], part.at[1], part.at[2]);
      mirroredTurn(rotation, part.turn[0], part.turn[1], part.turn[2], part.turn[3]);
      if (part.kind === Kind.HULL) scale.set(1, 1, 1);
      else if (part.kind === Kind.CAPSULE) scale.setScalar(part.half[0]);
      else scale.set(part.half[0], part.half[1], part.half[2]);
      placed.matrix.compose(position, rotation, scale).premultiply(stand);
      placed.group.instances.place(placed.slot, gone ? HIDDEN : placed.matrix);
      placed.value = p[i + 7];
      placed.group.instances.value(placed.slot, placed.value);
    }
  }

  /** Things changed colour or size. */
  change(message: PartsMessage): void {
    for (const { row, at, half, color } of message.changes) {
      const placed = this.placed[row];
      if (!placed) continue;
      placed.part = { ...placed.part, at, half, color };
      this.repaint(row);
      this.move(placed.part.thing);
    }
  }

  /** Whose eye it is: that thing is not drawn (-1: nobody's). */
  hide(thing: number): void {
    if (thing === this.hidden) return;
    const before = this.hidden;
    this.hidden = thing;
    this.move(before);
    this.move(thing);
  }

  setColourBlind(on: boolean): void {
    if (on === this.colourBlind) return;
    this.colourBlind = on;
    for (let row = 0; row < this.placed.length; row++) this.repaint(row);
  }

  /** Bring what one sees through into order, farthest first; only where the eye has moved. */
  sort(camera: Camera): void {
    if (camera.position.distanceToSquared(this.sortedFrom) < 0.04) return;
    this.sortedFrom.copy(camera.position);
    for (const group of this.groups.values()) {
      if (!group.seeThrough || group.members.length < 2) continue;
      const far = (row: number) => position.setFromMatrixPosition(this.placed[row].matrix).distanceToSquared(camera.position);
      const order = group.members.map((row) => ({ row, away: far(row) })).sort((a, b) => b.away - a.away);
      if (order.every(({ row }, slot) => row === group.members[slot])) continue;
      group.members = order.map(({ row }) => row);
      group.members.forEach((row, slot) => {
        this.placed[row].slot = slot;
        this.repaint(row);
      });
      for (const thing of new Set(group.members.map((row) => this.placed[row].part.thing))) this.move(thing);
    }
  }

  /** Everything opaque, for cameras that must not look through it. */
  *solids(except: number): Iterable<{ part: Part; matrix: Matrix4 }> {
    for (const { part, matrix } of this.placed) {
      if (part.thing === except || part.flags & Flag.SEE_THROUGH || this.states[part.thing] & State.HIDDEN) continue;
      yield { part, matrix };
    }
  }

  /** The parts of the things of one name. */
  *named(name: string): Iterable<{ part: Part; matrix: Matrix4 }> {
    for (const { part, matrix } of this.placed) if (this.names[part.thing] === name) yield { part, matrix };
  }

  dispose(): void {
    for (const group of this.groups.values()) group.instances.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
  }
}

// Used again and again: nothing is allocated in the frame.
const ONE = new Vector3(1, 1, 1);
const position = new Vector3();
const scale = new Vector3();
const rotation = new Quaternion();
const stand = new Matrix4();
