import { afterEach, expect, test, vi } from "vitest";
import { Filmstrip, pictureAt, TrialPictures } from "./filmstrip";

function block(...messages: (string | Uint8Array)[]): ArrayBuffer {
  const pieces = messages.map((each) => (typeof each === "string" ? new TextEncoder().encode(each) : each));
  const bytes = new Uint8Array(pieces.reduce((sum, each) => sum + 4 + each.length, 0));
  let at = 0;
  for (const piece of pieces) {
    new DataView(bytes.buffer).setUint32(at, piece.length, true);
    bytes.set(piece, at + 4);
    at += 4 + piece.length;
  }
  return bytes.buffer;
}

const PICTURE = new Uint8Array([1, 2, 3]);
const trial = () => block('{"frames": 100, "starts": [0, 31, 32], "lengths": [100, 90]}', PICTURE, PICTURE, PICTURE);

afterEach(() => vi.unstubAllGlobals());

test("the picture of a frame is the last one that begins before it", () => {
  const starts = [0, 31, 32, 40];
  expect([0, 30, 31, 32, 39, 40, 99].map((frame) => pictureAt(starts, frame))).toEqual([0, 0, 1, 2, 2, 3, 3]);
  expect(pictureAt([0], 7)).toBe(0);
});

test("a trial stands still after its last frame", () => {
  const pictures = new TrialPictures(trial());
  expect(pictures.frames).toBe(100);
  expect(pictures.index(31)).toBe(1);
  expect(pictures.index(5000)).toBe(2);
});

test("a block that was cut short is refused", () => {
  const whole = trial();
  expect(() => new TrialPictures(whole.slice(0, whole.byteLength - 1))).toThrow("incomplete");
  expect(() => new TrialPictures(new ArrayBuffer(0))).toThrow("incomplete");
});

test("a trial is fetched once, and again only if that failed", async () => {
  const answers = [new Response("no", { status: 503 }), new Response(trial()), new Response(trial())];
  const fetched = vi.fn(async (_: string) => answers.shift()!);
  vi.stubGlobal("fetch", fetched);
  const film = new Filmstrip((number) => `/film?trial=${number}`);
  await expect(film.trial(3)).rejects.toThrow();
  expect(film.ready(3)).toBe(false);
  expect((await film.trial(3)).starts).toEqual([0, 31, 32]);
  await film.trial(3);
  expect(film.ready(3)).toBe(true);
  expect(fetched.mock.calls.map(([address]) => address)).toEqual(["/film?trial=3", "/film?trial=3"]);
});
