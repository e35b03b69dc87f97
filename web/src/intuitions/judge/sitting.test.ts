import { afterEach, expect, test, vi } from "vitest";
import { filmName, judgingQuery, minutesFor, nextPlace, progressText, storeAnswer, type Judging } from "./sitting";

const judging: Judging = { pairs: 3, done: [], together: false, speed: 1, view: "flat", participant: "P07", visit: "0123456789abcdef" };

afterEach(() => vi.unstubAllGlobals());

test("practice comes first, then every pair once", () => {
  const done = new Set<number>();
  expect(nextPlace(judging, done, false)).toBe("practice");
  const seen = [];
  for (let place = nextPlace(judging, done, true); place !== null; place = nextPlace(judging, done, true)) {
    seen.push(place);
    done.add(place as number);
  }
  expect(seen).toEqual([0, 1, 2]);
});

test("whoever returns goes on at the first pair without an answer, without practice", () => {
  expect(nextPlace(judging, new Set([0, 2]), false)).toBe(1);
  expect(nextPlace(judging, new Set([0, 1, 2]), false)).toBeNull();
});

test("progress counts answers, in whatever order the pairs are", () => {
  expect(progressText("practice", 0, 3)).toBe("Practice");
  expect(progressText(2, 1, 3)).toBe("Pair 2 of 3");
});

test("films are called by their place", () => {
  expect([filmName(0, false), filmName(1, true)]).toEqual(["First film", "Right film"]);
});

test("the time that pairs take", () => {
  expect(minutesFor(18, false, 1)).toBe(34);
  expect(minutesFor(18, true, 1)).toBe(18);
  expect(minutesFor(1, true, 8)).toBe(1);
});

test("requests keep the query of a participant's link", () => {
  expect(judgingQuery("?task=a&participant=P07&key=x", { place: 3, trial: 0 })).toBe("task=a&participant=P07&key=x&place=3&trial=0");
});

test("an answer is sent until it is stored", async () => {
  const answers = [() => Promise.reject(new Error("down")), () => new Response('{"message": "the disk is full"}', { status: 503 }), () => new Response("{}")];
  const bodies: string[] = [];
  vi.stubGlobal("fetch", async (_: string, options: RequestInit) => {
    bodies.push(String(options.body));
    return answers.shift()!();
  });
  const trouble: string[] = [];
  await storeAnswer("?task=a", { place: 1 }, (sentence) => trouble.push(sentence), 1);
  expect(bodies).toEqual(['{"place":1}', '{"place":1}', '{"place":1}']);
  expect(trouble).toEqual(["The studio does not answer. Is it still running?", "the disk is full", ""]);
});

test("an answer that is refused is not sent again", async () => {
  const fetched = vi.fn(async () => new Response('{"message": "place is 9; it must be a whole number from 0 to 2"}', { status: 400 }));
  vi.stubGlobal("fetch", fetched);
  await expect(storeAnswer("", {}, () => undefined, 1)).rejects.toThrow("place is 9");
  expect(fetched).toHaveBeenCalledTimes(1);
});
