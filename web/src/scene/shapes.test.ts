import { Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { Kind } from "./layout";
import { hull, shapeKey, shapeOf } from "./shapes";

/** Return the volume of a closed mesh; it is smaller if some faces look inwards. */
function volume(geometry: ReturnType<typeof hull>): number {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute("position");
  let sum = 0;
  for (let i = 0; i < position.count; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromBufferAttribute(position, i + k));
    sum += a.dot(b.cross(c)) / 6;
  }
  return sum;
}

describe("shapes", () => {
  test("a wedge is half a box, its faces look outwards, and it is high at the back", () => {
    const wedge = shapeOf("wedge");
    expect(volume(wedge)).toBeCloseTo(4);
    const position = wedge.getAttribute("position");
    const high = Array.from({ length: position.count }, (_, i) => i).filter((i) => position.getY(i) > 0);
    expect(new Set(high.map((i) => position.getZ(i)))).toEqual(new Set([1])); // the Scene's -z
  });

  test("a hull is the space within its planes", () => {
    const cube = Float32Array.from([1, 0, 0, 1, -1, 0, 0, 1, 0, 1, 0, 2, 0, -1, 0, 2, 0, 0, 1, 3, 0, 0, -1, 3]);
    expect(volume(hull(cube))).toBeCloseTo(48, 3);
    const corner = 3 ** -0.5;
    const faces = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => [x * corner, y * corner, z * corner, corner])));
    expect(volume(hull(Float32Array.from(faces.flat())))).toBeCloseTo(4 / 3, 3);
  });

  test("half a tube is the space between two half circles", () => {
    const expected = (Math.PI / 2) * (1 - 0.7865 ** 2) * 2;
    expect(volume(shapeOf("tube")) / expected).toBeCloseTo(1, 2);
  });

  test("small balls are made of fewer faces, and hedgehogs have spines", () => {
    const ball = { kind: Kind.BALL, half: [0.1, 0.1, 0.1] };
    expect(shapeKey(ball, false)).toBe("bead");
    expect(shapeKey({ ...ball, half: [0.5, 0.5, 0.5] }, false)).toBe("ball");
    expect(shapeKey({ ...ball, half: [0.5, 0.5, 0.5] }, true)).toBe("spiny");
  });
});
