import { expect, test } from "vitest";
import { playRequestFrom } from "./playRequest";

test("the address of the play page names what to play", () => {
  const request = (text: string) => playRequestFrom(new URLSearchParams(text));
  const nothing = { task: null, arena: null, seed: null, agent: null, participant: null };
  expect(request("")).toEqual(nothing);
  expect(request("task=a/b&arena=2&seed=0&agent=random")).toEqual({ ...nothing, task: "a/b", arena: 2, seed: 0, agent: "random" });
  expect(request("task=&arena=-1&seed=x")).toEqual({ ...nothing, arena: "-1", seed: "x" });
  expect(request("participant=P07")).toEqual({ ...nothing, participant: "P07" });
  expect(request("participant=")).toEqual({ ...nothing, participant: "" });
});
