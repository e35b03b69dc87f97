import { expect, test } from "vitest";
import { pairAddress, type About } from "../api";
import { choiceOf, mistakesOf, otherNumber, withinFolder } from "./choice";

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

test("a link says which of its values are wrong and what is allowed", () => {
  const mistakes = (query: string) => mistakesOf(new URLSearchParams(query), about);
  expect(mistakes("")).toEqual([]);
  expect(mistakes("task=preference&number=7&seed=3&shapes=new&view=three-d&observer=parts-0&judgement=x&participant=P07")).toEqual([]);
  expect(mistakes("task=preferense")).toEqual(['There is no task "preferense"; allowed: preference, background/preference.']);
  expect(mistakes("number=-1")).toEqual(['The number "-1" is not allowed; it must be a whole number from 0 to 1000.']);
  expect(mistakes("number=1001&seed=1e9&shapes=old&view=side&observer=../x&source=elsewhere")).toHaveLength(6);
  expect(mistakes("observer=video")).toEqual(['There is no observer "video"; allowed: inverse-planner, parts-0.']);
  expect(mistakes("episode=3")[0]).toContain('no value named "episode"; allowed: source, task, number');
  expect(mistakes("source=films&number=5")).toEqual([]);
  expect(mistakes("source=films&number=4")).toEqual(["films has no pair 4 of preference; allowed: 2, 5, 9."]);
  expect(mistakes("task=background/preference&shapes=new")).toEqual(["There are no new shapes in background/preference; allowed: familiar."]);
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
