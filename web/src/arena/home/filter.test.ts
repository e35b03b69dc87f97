import { expect, it } from "vitest";
import type { TaskEntry } from "../api";
import { groupTasks, levelsOf, matchingTasks, tagsOf } from "./filter";

function task(name: string, level: number | null, tags: string[], title = name): TaskEntry {
  return { name, title, level, tags, description: "", condition: null, arenas: 1, agents: 1, thumbnail: "" };
}

const TASKS = [
  task("foraging", null, ["patience"], "Foraging under a tree"),
  task("testbed/wall", 3, ["wall"], "A détour"),
  task("testbed/food", 1, ["food"]),
  task("operant-curriculum/1", null, ["button"]),
  task("file:mine", 3, []),
];
const names = (tasks: TaskEntry[]) => tasks.map((each) => each.name);

it("finds tasks that contain all words, in any order, without regard to accents", () => {
  expect(names(matchingTasks(TASKS, { words: "TREE patience", level: null, tag: null }))).toEqual(["foraging"]);
  expect(names(matchingTasks(TASKS, { words: "detour", level: null, tag: null }))).toEqual(["testbed/wall"]);
  expect(matchingTasks(TASKS, { words: "tree wall", level: null, tag: null })).toEqual([]);
});

it("narrows by level and tag", () => {
  expect(names(matchingTasks(TASKS, { words: "", level: 1, tag: null }))).toEqual(["testbed/food"]);
  expect(names(matchingTasks(TASKS, { words: "", level: null, tag: "button" }))).toEqual(["operant-curriculum/1"]);
  expect(levelsOf(TASKS)).toEqual([1, 3]);
  expect(tagsOf(TASKS)).toEqual(["button", "food", "patience", "wall"]);
});

it("puts the user's file first, then single tasks, levels, and folders", () => {
  expect(groupTasks(TASKS).map((group) => group.heading)).toEqual([
    "Your file", "Experiments", "Level 1 · Food", "Level 3 · Obstacles", "Operant curriculum",
  ]);
});
