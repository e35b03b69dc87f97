// The floor, fence, sky, ceiling and sun of an arena.
import {
  DirectionalLight, Group, Matrix4, Mesh, PlaneGeometry, Quaternion, SphereGeometry, Vector3, type ShaderMaterial,
} from "three";
import type { Surface, Surroundings } from "./decode";
import { Kind, Pattern } from "./layout";
import { levelMaterial, skyMaterial, type Daylight } from "./materials";
import { FENCE } from "./paint.glsl";
import { Instances, type Paint } from "./parts";
import { shapeOf } from "./shapes";

/** How far floor and ceiling extend behind the fence, in metres. */
const MARGIN = 1;
/** Sizes of the fence in metres: thickness of the boards, distance of the backing behind them, half height of the rails. */
const BOARD = 0.12;
const BACKING = 0.1;
const RAIL = 0.16;

interface Box {
  at: [number, number, number];
  half: [number, number, number];
  color: readonly number[];
  pattern: number;
  value: number; // relative brightness of a board, 0 to 1; -1: a fence without boards
}

export class SurroundingsView {
  readonly group = new Group();
  readonly sun = new DirectionalLight(0xffffff, 1);
  private disposables: { dispose(): void }[] = [];
  private current = ""; // the surroundings that are built, as JSON

  constructor() {
    this.sun.castShadow = true;
    this.sun.shadow.normalBias = 0.06;
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.radius = 1.4;
  }

  /** Build the surroundings, unless they are the same as before. */
  set(surroundings: Surroundings, daylight: Daylight, fenceMaterial: ShaderMaterial): void {
    const text = JSON.stringify(surroundings);
    if (text === this.current) return;
    this.current = text;
    this.clear();
    daylight.set(surroundings);
    const [width, depth] = surroundings.size;

    const ground = this.level(width, depth, levelMaterial(daylight, surroundings.floor, 1, surroundings.size));
    ground.rotateX(-Math.PI / 2);
    ground.position.y = surroundings.floorTop;
    ground.receiveShadow = true;
    if (surroundings.ceiling > 0) {
      const lid = this.level(width, depth, levelMaterial(daylight, surroundings.lid, -1, surroundings.size));
      lid.rotateX(Math.PI / 2);
      lid.position.y = surroundings.ceiling;
    }
    const sky = new Mesh(new SphereGeometry(1, 48, 24), skyMaterial(daylight, surroundings, surroundings.sky.pattern === Pattern.GRADIENT));
    sky.frustumCulled = false;
    sky.renderOrder = -1;
    this.keep(sky);
    this.fence(surroundings, fenceMaterial);
    this.aim(surroundings);
    this.group.add(this.sun, this.sun.target);
  }

  private level(width: number, depth: number, material: ShaderMaterial): Mesh {
    const mesh = new Mesh(new PlaneGeometry(width + 2 * MARGIN, depth + 2 * MARGIN), material);
    mesh.position.set(width / 2, 0, -depth / 2);
    this.keep(mesh);
    return mesh;
  }

  private keep(mesh: Mesh): void {
    this.group.add(mesh);
    this.disposables.push(mesh.geometry, mesh.material as ShaderMaterial);
  }

  private aim(surroundings: Surroundings): void {
    const [width, depth] = surroundings.size;
    const middle = new Vector3(width / 2, 0, -depth / 2);
    const towards = new Vector3(surroundings.sun[0], surroundings.sun[1], -surroundings.sun[2]).normalize();
    const reach = Math.hypot(width, depth) / 2 + 1;
    this.sun.position.copy(middle).addScaledVector(towards, 60);
    this.sun.target.position.copy(middle);
    const eye = this.sun.shadow.camera;
    [eye.left, eye.right, eye.top, eye.bottom, eye.near, eye.far] = [-reach, reach, reach, -reach, 10, 60 + reach + 10];
    eye.updateProjectionMatrix();
    this.sun.updateMatrixWorld();
    this.sun.target.updateMatrixWorld();
  }

  private fence(surroundings: Surroundings, material: ShaderMaterial): void {
    const boxes: Box[] = [];
    const [width, depth] = surroundings.size;
    // Each side has its own axes: `along` it from 0 to `length`, and `out`, the distance behind it.
    const sides: [number, number, (along: number, out: number) => [number, number], boolean][] = [
      [width, surroundings.panels[0], (along, out) => [along, -out], false],
      [width, surroundings.panels[0], (along, out) => [along, depth + out], false],
      [depth, surroundings.panels[1], (along, out) => [-out, along], true],
      [depth, surroundings.panels[1], (along, out) => [width + out, along], true],
    ];
    for (const [length, panels, toArena, across] of sides) {
      const put = (along: number, out: number, y: number, half: [number, number, number], color: readonly number[], value = 0.5, pattern: number = Pattern.PLAIN) => {
        const [x, z] = toArena(along, out);
        boxes.push({ at: [x, y, z], half: across ? [half[2], half[1], half[0]] : half, color, pattern, value });
      };
      if (surroundings.fence.pattern === Pattern.PICKETS) pickets(surroundings, length, panels, put);
      else {
        const top = surroundings.fenceTop;
        put(length / 2, 0.15, top / 2, [length / 2 + 0.3, top / 2, 0.15], surroundings.fence.color, -1, surroundings.fence.pattern);
      }
    }
    const instances = new Instances(shapeOf("box"), material, boxes.length);
    boxes.forEach((box, slot) => {
      instances.paint(slot, paintOf(box, surroundings.fence));
      instances.place(slot, new Matrix4().compose(
        new Vector3(box.at[0], box.at[1], -box.at[2]), new Quaternion(), new Vector3(...box.half),
      ));
    });
    instances.mesh.count = boxes.length;
    this.group.add(instances.mesh);
    this.disposables.push(instances);
  }

  /** Set the side of the shadow map in pixels; 0: no shadows. */
  setShadows(pixels: number): void {
    this.sun.castShadow = pixels > 0;
    if (pixels > 0 && this.sun.shadow.mapSize.x !== pixels) {
      this.sun.shadow.mapSize.set(pixels, pixels);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
  }

  private clear(): void {
    this.group.clear();
    for (const each of this.disposables) each.dispose();
    this.disposables = [];
  }

  dispose(): void {
    this.clear();
    this.sun.dispose();
  }
}

function paintOf(box: Box, fence: Surface): Paint {
  return {
    color: [...box.color, 1],
    other: [...fence.other, fence.scale],
    half: box.half,
    pattern: box.pattern,
    kind: Kind.BOX,
    first: 0,
    flags: FENCE,
    value: box.value,
  };
}

type Put = (
  along: number, out: number, y: number, half: [number, number, number], color: readonly number[], value?: number,
) => void;

/** Build upright boards with gaps, two rails, a backing, and posts between the panels, with the heights of the native camera. */
function pickets(surroundings: Surroundings, length: number, panels: number, put: Put): void {
  const { color, other, scale } = surroundings.fence;
  const top = surroundings.fenceTop;
  const gap = 0.22 * scale;
  const darker = other.map((channel) => channel * 0.93);
  // If the second colour is black, the gaps are open.
  if (Math.max(...other) > 0) put(length / 2, BACKING + BOARD, top / 2, [length / 2 + BACKING, top / 2, BOARD / 2], darker);
  for (let start = gap, i = 0; start < length; start += scale, i++) {
    const end = Math.min(start + scale - gap, length);
    const shade = ((i * 0.618) % 1 + 1) % 1;
    if (end - start > 0.02) put((start + end) / 2, BOARD / 2, top / 2, [(end - start) / 2, top / 2, BOARD / 2], color, shade);
  }
  for (const height of [0.2, 0.84]) {
    put(length / 2, BOARD * 0.62, height * top, [length / 2, RAIL, BOARD / 2], color);
  }
  if (surroundings.postWidth <= 0) return;
  const panel = length / Math.max(1, panels);
  for (let i = 0; i <= Math.round(panels); i++) {
    put(i * panel, BOARD / 2, surroundings.postTop / 2, [surroundings.postWidth / 2, surroundings.postTop / 2, BOARD / 2 + 0.02], color, 0.7);
  }
}
