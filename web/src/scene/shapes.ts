// The shapes of parts as meshes in three's axes, with half sizes of one unit.
//
// The Scene's axes are left-handed (z forwards), three's are right-handed: the page shows (x, y, -z). Shapes that are not
// symmetric along z are therefore built mirrored.
import { BoxGeometry, BufferGeometry, CylinderGeometry, Float32BufferAttribute, SphereGeometry, Vector3 } from "three";
import { Kind, TUBE_RATIO } from "./layout";

const TUBE_SIDES = 48;
/** The length of a hedgehog's spines, as a share of its radius, and their number. */
const SPINE_LENGTH = 0.15;
const SPINE_COUNT = 1000;

type Point = readonly [number, number, number];

/** Collects triangles that are given in the Scene's axes; in the mesh they are counterclockwise, seen from outside. */
class MeshBuilder {
  private positions: number[] = [];
  private normals: number[] = [];

  /** Add a flat convex face that looks `outwards`. Its corners may go either way round. */
  face(corners: Point[], outwards: Point): void {
    const mirrored = corners.map(([x, y, z]) => new Vector3(x, y, -z));
    const normal = new Vector3(outwards[0], outwards[1], -outwards[2]).normalize();
    // Corners may coincide: only the sum over the whole outline gives its orientation.
    const turn = new Vector3();
    mirrored.forEach((corner, i) => {
      const next = mirrored[(i + 1) % mirrored.length];
      turn.add(corner.clone().sub(mirrored[0]).cross(next.clone().sub(mirrored[0])));
    });
    if (turn.dot(normal) < 0) mirrored.reverse();
    for (let i = 1; i + 1 < mirrored.length; i++) {
      for (const corner of [mirrored[0], mirrored[i], mirrored[i + 1]]) {
        this.positions.push(corner.x, corner.y, corner.z);
        this.normals.push(normal.x, normal.y, normal.z);
      }
    }
  }

  /** Add a smooth four-sided face with a normal at each corner. */
  patch(corners: Point[], outwards: Point[]): void {
    const at = (i: number) => new Vector3(corners[i][0], corners[i][1], -corners[i][2]);
    const normal = new Vector3();
    for (const each of outwards) normal.add(new Vector3(each[0], each[1], -each[2]));
    const turn = new Vector3().crossVectors(at(1).sub(at(0)), at(2).sub(at(1)));
    const order = turn.dot(normal) < 0 ? [0, 2, 1, 0, 3, 2] : [0, 1, 2, 0, 2, 3];
    for (const i of order) {
      this.positions.push(corners[i][0], corners[i][1], -corners[i][2]);
      this.normals.push(outwards[i][0], outwards[i][1], -outwards[i][2]);
    }
  }

  build(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(this.positions, 3));
    geometry.setAttribute("normal", new Float32BufferAttribute(this.normals, 3));
    return geometry;
  }
}

function wedge(): BufferGeometry {
  const builder = new MeshBuilder();
  const [a, b, c, d]: Point[] = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]];
  const [e, f]: Point[] = [[-1, -1, 1], [1, -1, 1]];
  builder.face([a, b, c, d], [0, 0, -1]);
  builder.face([a, b, f, e], [0, -1, 0]);
  builder.face([d, c, f, e], [0, 1, 1]);
  builder.face([a, d, e], [-1, 0, 0]);
  builder.face([b, c, f], [1, 0, 0]);
  return builder.build();
}

function tube(): BufferGeometry {
  const builder = new MeshBuilder();
  const inner = TUBE_RATIO;
  for (let i = 0; i < TUBE_SIDES; i++) {
    const [one, two] = [(i / TUBE_SIDES) * Math.PI, ((i + 1) / TUBE_SIDES) * Math.PI];
    const [c1, s1, c2, s2] = [Math.cos(one), Math.sin(one), Math.cos(two), Math.sin(two)];
    const ring = (radius: number): Point[] => [
      [radius * c1, radius * s1, -1], [radius * c2, radius * s2, -1],
      [radius * c2, radius * s2, 1], [radius * c1, radius * s1, 1],
    ];
    builder.patch(ring(1), [[c1, s1, 0], [c2, s2, 0], [c2, s2, 0], [c1, s1, 0]]);
    builder.patch(ring(inner), [[-c1, -s1, 0], [-c2, -s2, 0], [-c2, -s2, 0], [-c1, -s1, 0]]);
    for (const z of [-1, 1]) {
      builder.face([[c1, s1, z], [c2, s2, z], [inner * c2, inner * s2, z], [inner * c1, inner * s1, z]], [0, 0, z]);
    }
  }
  for (const x of [-1, 1]) builder.face([[x, 0, -1], [x, 0, 1], [x * inner, 0, 1], [x * inner, 0, -1]], [0, -1, 0]);
  return builder.build();
}

/** Return an upright capsule with a radius of 1; `straight` is half the height of its cylinder. */
function capsule(straight: number): BufferGeometry {
  const geometry = new SphereGeometry(1, 32, 24);
  const position = geometry.getAttribute("position");
  for (let i = 0; i < position.count; i++) {
    position.setY(i, position.getY(i) + (position.getY(i) >= 0 ? straight : -straight));
  }
  return geometry;
}

/** Return a ball with spines on its back. Only spines are further from the centre than 1. */
function spiny(): BufferGeometry {
  const ball = new SphereGeometry(1, 32, 22).toNonIndexed();
  const positions = [...ball.getAttribute("position").array];
  const normals = [...ball.getAttribute("normal").array];
  const golden = Math.PI * (3 - Math.sqrt(5));
  for (let i = 0; i < SPINE_COUNT; i++) {
    const y = 1 - (2 * (i + 0.5)) / SPINE_COUNT;
    const ring = Math.sqrt(1 - y * y);
    const out = new Vector3(ring * Math.cos(i * golden), y, ring * Math.sin(i * golden));
    // Face and belly have no spines; the animal looks along -z here.
    if (out.z < -0.62 + 0.25 * Math.max(0, out.y) || out.y < -0.5) continue;
    // Spines point a little backwards.
    const tip = out.clone().multiplyScalar(1 + SPINE_LENGTH).add(new Vector3(0, 0.01, 0.07));
    const side = new Vector3(0, 1, 0).cross(out).normalize();
    const up = new Vector3().crossVectors(out, side);
    const foot = [0, 1, 2, 3].map((corner) => {
      const angle = (corner / 4) * 2 * Math.PI;
      return out.clone().multiplyScalar(0.985)
        .addScaledVector(side, 0.05 * Math.cos(angle)).addScaledVector(up, 0.05 * Math.sin(angle));
    });
    for (let corner = 0; corner < 4; corner++) {
      const [a, b] = [foot[corner], foot[(corner + 1) % 4]];
      const normal = b.clone().sub(a).cross(tip.clone().sub(a)).normalize().lerp(out, 0.45).normalize();
      for (const point of [a, b, tip]) {
        positions.push(point.x, point.y, point.z);
        normals.push(normal.x, normal.y, normal.z);
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  return geometry;
}

/** Return the convex shape within some planes (normal and offset: four numbers each). Each face is a large square, cut by all
 * other planes. */
export function hull(planes: Float32Array): BufferGeometry {
  const builder = new MeshBuilder();
  const count = planes.length / 4;
  const normal = (i: number) => new Vector3(planes[4 * i], planes[4 * i + 1], planes[4 * i + 2]);
  for (let i = 0; i < count; i++) {
    const n = normal(i);
    const side = Math.abs(n.y) < 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    const u = side.clone().cross(n).normalize().multiplyScalar(1e3);
    const v = n.clone().cross(u);
    const middle = n.clone().multiplyScalar(planes[4 * i + 3]);
    let corners = [
      middle.clone().add(u).add(v), middle.clone().sub(u).add(v),
      middle.clone().sub(u).sub(v), middle.clone().add(u).sub(v),
    ];
    for (let j = 0; j < count && corners.length > 0; j++) {
      if (j !== i) corners = cut(corners, normal(j), planes[4 * j + 3]);
    }
    if (corners.length >= 3) builder.face(corners.map((corner) => [corner.x, corner.y, corner.z]), [n.x, n.y, n.z]);
  }
  return builder.build();
}

function cut(corners: Vector3[], normal: Vector3, offset: number): Vector3[] {
  const remaining: Vector3[] = [];
  corners.forEach((corner, i) => {
    const next = corners[(i + 1) % corners.length];
    const [distance, nextDistance] = [normal.dot(corner) - offset, normal.dot(next) - offset];
    if (distance <= 1e-6) remaining.push(corner);
    if (distance < -1e-6 !== nextDistance < -1e-6 && Math.abs(distance - nextDistance) > 1e-9) {
      remaining.push(corner.clone().lerp(next, distance / (distance - nextDistance)));
    }
  });
  return remaining;
}

/** Names the mesh of a part; parts with the same key share it. */
export type ShapeKey = string;

const builders: Record<string, () => BufferGeometry> = {
  box: () => new BoxGeometry(2, 2, 2),
  ball: () => new SphereGeometry(1, 36, 24),
  bead: () => new SphereGeometry(1, 20, 14),
  wedge,
  tube,
  cylinder: () => new CylinderGeometry(1, 1, 2, 32),
  spiny,
};
const NO_PLANES = new Float32Array(0);
const meshes = new Map<ShapeKey, BufferGeometry>();

export function shapeKey(
  part: { kind: number; half: readonly number[] }, spines: boolean, planes: Float32Array = NO_PLANES,
): ShapeKey {
  switch (part.kind) {
    case Kind.BALL:
    case Kind.ELLIPSOID:
      return spines ? "spiny" : Math.max(...part.half) < 0.16 ? "bead" : "ball";
    case Kind.WEDGE: return "wedge";
    case Kind.TUBE: return "tube";
    case Kind.CYLINDER: return "cylinder";
    case Kind.CAPSULE: return `capsule ${(part.half[1] / Math.max(part.half[0], 1e-6)).toFixed(2)}`;
    case Kind.HULL: return `hull ${planes.join(" ")}`;
    default: return "box";
  }
}

/** Return the mesh of a key. Hulls are not kept, since each arena may have others. */
export function shapeOf(key: ShapeKey): BufferGeometry {
  if (key.startsWith("hull ")) return hull(Float32Array.from(key.slice(5).split(" "), Number));
  let geometry = meshes.get(key);
  if (!geometry) {
    geometry = key.startsWith("capsule") ? capsule(Number(key.split(" ")[1])) : builders[key]();
    meshes.set(key, geometry);
  }
  return geometry;
}
