import { expect, test } from "vitest";
import { pairAddress, type About } from "../api";
import { choiceOf, otherNumber, withinFolder } from "./choice";

const about: About = {
  tasks: [
    { name: "preference", title: "Preference", question: "", kind: "evaluation" },
    { name: "background/preference", title: "No-navigation preference", question: "", kind: "background" },
  ],
  observers: [{ id: "inverse-planner", name: "inverse planner", about: "" }, { id: "parts-0", name: "parts", about: "" }],
  folders: [{ id: "films", pairs: { preference: [2, 5, 9] } }],
  most: 1000,
  fps: 25,
};
const of = (query: string) => choiceOf(new URLSearchParams(query), about);

test("an empty address shows the first pair of the set that is scored", () => {
  expect(of("")).toEqual({ source: "generated", task: "preference", number: 0, seed: 1, shapes: "familiar", view: "flat", observer: "inverse-planner" });
});

test("an address is read back as it was written", () => {
  const choice = of("task=preference&number=7&seed=3&shapes=new&view=three-d&observer=parts-0");
  expect(of(pairAddress(choice, choice.view, choice.observer).split("?")[1])).toEqual(choice);
  expect(choice.number).toBe(7);
});

test("what is unknown gets its default", () => {
  expect(of("task=x&number=-1&seed=1e9&shapes=old&view=side&observer=../x&source=elsewhere")).toEqual(of(""));
  expect(of("number=1001").number).toBe(0);
});

test("a folder has its own tasks and pairs", () => {
  expect(of("source=films&number=5").number).toBe(5);
  expect(of("source=films&number=4").number).toBe(2);
  expect(otherNumber(of("source=films&number=5"), about, 1)).toBe(9);
  expect(otherNumber(of("source=films&number=9"), about, 1)).toBe(9);
  expect(otherNumber(of("number=0"), about, -1)).toBe(0);
  expect(pairAddress(of("source=films&number=5"), "flat", "x")).toContain("source=films");
});

test("background tasks have familiar shapes only", () => {
  expect(withinFolder({ ...of("shapes=new"), task: "background/preference" }, about).shapes).toBe("familiar");
});
