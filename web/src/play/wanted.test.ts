import { expect, test } from "vitest";
import { wantedFrom } from "./wanted";

test("the address says what to play", () => {
  const wanted = (text: string) => wantedFrom(new URLSearchParams(text));
  expect(wanted("")).toEqual({ task: null, arena: null, seed: null, agent: null });
  expect(wanted("task=a/b&arena=2&seed=0&agent=random")).toEqual({ task: "a/b", arena: 2, seed: 0, agent: "random" });
  expect(wanted("task=&arena=-1&seed=x")).toEqual({ task: null, arena: null, seed: null, agent: null });
});
