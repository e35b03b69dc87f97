// The decoder reads the messages that Python wrote (`make generated`).
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decode, type Message } from "./decode";
import expected from "./fixture.json";

const bytes = Uint8Array.from(readFileSync("src/scene/fixture.bin"));

function messages(): Message[] {
  const decoded: Message[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true);
    decoded.push(decode(bytes.slice(at + 4, at + 4 + length).buffer));
    at += 4 + length;
  }
  return decoded;
}
const byKind = new Map(messages().map((message) => [message.kind, message]));
function get<K extends Message["kind"]>(kind: K): Extract<Message, { kind: K }> {
  return byKind.get(kind) as Extract<Message, { kind: K }>;
}

describe("the messages that Python wrote", () => {
  test("the scene", () => {
    const scene = get(1);
    const { header, parts, poses, planes, pixels, surroundings } = expected.scene;
    expect({ ...header }).toMatchObject({
      step: scene.step, version: scene.version, animals: scene.animals, owners: scene.owners, names: scene.names,
    });
    expect(scene.parts).toEqual(parts);
    expect(scene.states).toEqual(Uint32Array.from(poses.map((pose: any) => pose.flags)));
    expect([...scene.poses]).toEqual(poses.flatMap((pose: any) => [...pose.at, ...pose.turn, pose.value]));
    expect([...scene.planes]).toEqual(planes.flat());
    expect(scene.pixels.length).toBe(128 * pixels.rows);
    const set = [...scene.pixels.entries()].filter(([, value]) => value > 0).map(([i]) => [Math.floor(i / 128), i % 128]);
    expect(set).toEqual(pixels.set);
    const around = scene.surroundings;
    expect(around).toMatchObject({
      size: surroundings.size, floorTop: surroundings.floor_top, fenceTop: surroundings.fence_top,
      postTop: surroundings.post_top, postWidth: surroundings.post_width, panels: surroundings.panels,
      ceiling: surroundings.ceiling, light: surroundings.light, sun: surroundings.sun,
      sunlight: surroundings.sunlight, above: surroundings.above, beside: surroundings.beside,
      below: surroundings.below, halo: surroundings.halo, floor: surroundings.floor, fence: surroundings.fence,
      sky: surroundings.sky, lid: surroundings.lid,
    });
  });

  test("a frame", () => {
    const frame = get(2);
    const { rows, return: total, ...head } = expected.frame;
    expect(frame).toMatchObject({ ...head, total });
    expect([...frame.rows]).toEqual(rows.map((row: any) => row.row));
    expect([...frame.states]).toEqual(rows.map((row: any) => row.state));
    expect([...frame.numbers]).toEqual(rows.flatMap((row: any) => [...row.at, ...row.turn, row.value]));
  });

  test("parts that changed, the actions in between, and an agent's senses", () => {
    expect(get(3).changes).toEqual(expected.parts);
    expect(get(6).first).toBe(expected.actions.first);
    expect([...get(6).actions]).toEqual(expected.actions.actions);
    expect([...get(4).pixels]).toEqual(expected.camera);
    expect(get(5).rays).toEqual(expected.rays);
  });

  test("an unknown kind is refused", () => {
    expect(() => decode(new Uint8Array([9, 0, 0, 0]).buffer)).toThrow("kind 9");
  });
});
