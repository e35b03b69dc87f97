import { expect, test } from "vitest";
import { wantedFrom } from "./playRequest";

test("the address says what to play", () => {
  const wanted = (text: string) => wantedFrom(new URLSearchParams(text));
  const nothing = { task: null, arena: null, seed: null, agent: null, participant: null };
  expect(wanted("")).toEqual(nothing);
  expect(wanted("task=a/b&arena=2&seed=0&agent=random")).toEqual({ ...nothing, task: "a/b", arena: 2, seed: 0, agent: "random" });
  expect(wanted("task=&arena=-1&seed=x")).toEqual(nothing);
  expect(wanted("participant=P07")).toEqual({ ...nothing, participant: "P07" });
  expect(wanted("participant=")).toEqual({ ...nothing, participant: "" });
});
