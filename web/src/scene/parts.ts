// Draws the parts of a Scene: one instanced mesh for all opaque parts of the same shape, and one for the transparent ones.
import {
  BufferGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh, Matrix4, Quaternion, Vector3,
  type Camera, type ShaderMaterial,
} from "three";
import { POSE_NUMBERS, type Part, type PartsMessage, type SceneMessage } from "./decode";
import { Flag, Kind, MASK, Pattern, State } from "./layout";
import { Daylight, partMaterial, symbolTexture } from "./materials";
import { lookOf } from "./palette";
import { shapeKey, shapeOf } from "./shapes";

/** Set a vector to a position of the Scene, in three's axes. */
function setPosition(out: Vector3, x: number, y: number, z: number): Vector3 {
  return out.set(x, y, -z);
}
/** Set a quaternion to a rotation of the Scene (w first), in three's axes. */
function setRotation(out: Quaternion, w: number, x: number, y: number, z: number): Quaternion {
  return out.set(-x, -y, z, w);
}

/** The instances of one shape, with the attributes that the shader reads. */
export class Instances {
  readonly mesh: InstancedMesh;
  private readonly attributes: Record<"aColor" | "aOther" | "aHalf" | "aMeta", InstancedBufferAttribute>;

  constructor(readonly shape: BufferGeometry, material: ShaderMaterial, readonly capacity: number) {
    // Each mesh has its own copy of the shape: disposing of one mesh would free shared buffers.
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

  setValue(slot: number, value: number): void {
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

interface PlacedPart {
  part: Part;
  group: ShapeGroup;
  slot: number;
  matrix: Matrix4;
  value: number;
}
interface ShapeGroup {
  instances: Instances;
  members: number[]; // rows of parts, in the order of their slots
  seeThrough: boolean;
}

const HIDDEN = new Matrix4().makeScale(0, 0, 0);

export class Parts {
  readonly group = new Group();
  private readonly materials: { opaque: ShaderMaterial; transparent: ShaderMaterial };
  private readonly groups = new Map<string, ShapeGroup>();
  private placed: PlacedPart[] = [];
  private rowsOfThing: number[][] = [];
  private names: string[] = [];
  private poses: Float32Array = new Float32Array(0);
  private states: Uint32Array = new Uint32Array(0);
  private hidden = -1;
  private colourBlind = false;
  private sortedFrom = new Vector3(Infinity, 0, 0);

  constructor(daylight: Daylight) {
    this.materials = { opaque: partMaterial(daylight, false), transparent: partMaterial(daylight, true) };
  }

  /** The material of opaque parts, which the fence uses as well. */
  get material(): ShaderMaterial {
    return this.materials.opaque;
  }

  /** Start with a new scene. `poses` and `states` are the ones to show; they change in place. */
  begin(scene: SceneMessage, poses: Float32Array, states: Uint32Array): void {
    this.poses = poses;
    this.states = states;
    this.names = scene.names;
    const texture = symbolTexture(scene.pixels);
    for (const material of Object.values(this.materials)) {
      const previous = material.uniforms.uSymbols.value;
      material.uniforms.uSymbols.value = texture;
      if (previous !== texture) previous.dispose();
    }
    const rowsOf = new Map<string, number[]>();
    scene.parts.forEach((part, row) => {
      const planes = part.kind === Kind.HULL ? scene.planes.subarray(4 * part.first, 4 * (part.first + part.count)) : undefined;
      const shape = shapeKey(part, part.pattern === Pattern.SPINES && part.kind === Kind.ELLIPSOID, planes);
      const key = `${part.flags & Flag.SEE_THROUGH ? "transparent" : "opaque"} ${shape}`;
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
    this.rowsOfThing = scene.owners.map(() => []);
    scene.parts.forEach((part, row) => this.rowsOfThing[part.thing]?.push(row));
    for (const [key, rows] of rowsOf) this.fillGroup(key, rows, scene.parts);
    for (let thing = 0; thing < this.rowsOfThing.length; thing++) this.move(thing);
    this.sortedFrom.set(Infinity, 0, 0);
  }

  private fillGroup(key: string, rows: number[], parts: Part[]): void {
    let group = this.groups.get(key);
    const seeThrough = key.startsWith("transparent ");
    if (!group) {
      const shape = shapeOf(key.slice(key.indexOf(" ") + 1));
      // With room for things that appear later.
      const capacity = rows.length + 4 + Math.ceil(rows.length / 4);
      const material = seeThrough ? this.materials.transparent : this.materials.opaque;
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

  /** Place the parts of a thing whose pose has changed. */
  move(thing: number): void {
    const rows = this.rowsOfThing[thing];
    if (!rows) return;
    const i = thing * POSE_NUMBERS;
    const p = this.poses;
    setPosition(position, p[i], p[i + 1], p[i + 2]);
    setRotation(rotation, p[i + 3], p[i + 4], p[i + 5], p[i + 6]);
    thingMatrix.compose(position, rotation, ONE);
    const hidden = thing === this.hidden || (this.states[thing] & State.HIDDEN) !== 0;
    for (const row of rows) {
      const placed = this.placed[row];
      const { part } = placed;
      setPosition(position, part.at[0], part.at[1], part.at[2]);
      setRotation(rotation, part.turn[0], part.turn[1], part.turn[2], part.turn[3]);
      if (part.kind === Kind.HULL) scale.set(1, 1, 1);
      else if (part.kind === Kind.CAPSULE) scale.setScalar(part.half[0]);
      else scale.set(part.half[0], part.half[1], part.half[2]);
      placed.matrix.compose(position, rotation, scale).premultiply(thingMatrix);
      placed.group.instances.place(placed.slot, hidden ? HIDDEN : placed.matrix);
      placed.value = p[i + 7];
      placed.group.instances.setValue(placed.slot, placed.value);
    }
  }

  /** Change the position, size and colour of parts. */
  change(message: PartsMessage): void {
    for (const { row, at, half, color } of message.changes) {
      const placed = this.placed[row];
      if (!placed) continue;
      placed.part = { ...placed.part, at, half, color };
      this.repaint(row);
      this.move(placed.part.thing);
    }
  }

  /** Do not draw a thing, through whose eye the picture is seen (-1: draw all things). */
  hide(thing: number): void {
    if (thing === this.hidden) return;
    const previous = this.hidden;
    this.hidden = thing;
    this.move(previous);
    this.move(thing);
  }

  setColourBlind(on: boolean): void {
    if (on === this.colourBlind) return;
    this.colourBlind = on;
    for (let row = 0; row < this.placed.length; row++) this.repaint(row);
  }

  /** Sort transparent parts, farthest first, if the camera has moved. */
  sort(camera: Camera): void {
    if (camera.position.distanceToSquared(this.sortedFrom) < 0.04) return;
    this.sortedFrom.copy(camera.position);
    for (const group of this.groups.values()) {
      if (!group.seeThrough || group.members.length < 2) continue;
      const distance = (row: number) => position.setFromMatrixPosition(this.placed[row].matrix).distanceToSquared(camera.position);
      const order = group.members.map((row) => ({ row, distance: distance(row) })).sort((a, b) => b.distance - a.distance);
      if (order.every(({ row }, slot) => row === group.members[slot])) continue;
      group.members = order.map(({ row }) => row);
      group.members.forEach((row, slot) => {
        this.placed[row].slot = slot;
        this.repaint(row);
      });
      for (const thing of new Set(group.members.map((row) => this.placed[row].part.thing))) this.move(thing);
    }
  }

  /** Yield all opaque parts, which block the camera, except those of one thing. */
  *solids(except: number): Iterable<{ part: Part; matrix: Matrix4 }> {
    for (const { part, matrix } of this.placed) {
      if (part.thing === except || part.flags & Flag.SEE_THROUGH || this.states[part.thing] & State.HIDDEN) continue;
      yield { part, matrix };
    }
  }

  /** Yield the parts of the things with a name. */
  *named(name: string): Iterable<{ part: Part; matrix: Matrix4 }> {
    for (const { part, matrix } of this.placed) if (this.names[part.thing] === name) yield { part, matrix };
  }

  dispose(): void {
    for (const group of this.groups.values()) group.instances.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
  }
}

// Reused, so that drawing a frame allocates nothing.
const ONE = new Vector3(1, 1, 1);
const position = new Vector3();
const scale = new Vector3();
const rotation = new Quaternion();
const thingMatrix = new Matrix4();
