// The tasks of the gallery: which of them match a search, and under which headings they stand.
import type { TaskEntry } from "../api";

export interface Search {
  words: string;
  level: number | null;
  tag: string | null;
}

export interface Group {
  key: string;
  heading: string;
  tasks: TaskEntry[];
}

// The topics of the ten levels of the testbed.
export const LEVELS: Record<number, string> = {
  1: "Food",
  2: "Preferences",
  3: "Obstacles",
  4: "Avoidance",
  5: "Space",
  6: "Generalisation",
  7: "Models of the world",
  8: "Memory",
  9: "Numbers",
  10: "Causes",
};

export function levelName(level: number): string {
  return LEVELS[level] ? `Level ${level} · ${LEVELS[level]}` : `Level ${level}`;
}

// Without accents, in lower case.
function normalize(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Return the tasks that have the level, the tag and all words of a search. */
export function matchingTasks(tasks: TaskEntry[], search: Search): TaskEntry[] {
  const words = normalize(search.words).split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    if (search.level !== null && task.level !== search.level) return false;
    if (search.tag !== null && !task.tags.includes(search.tag)) return false;
    const text = normalize([task.name, task.title, task.description, ...task.tags].join(" "));
    return words.every((word) => text.includes(word));
  });
}

export function levelsOf(tasks: TaskEntry[]): number[] {
  const levels = new Set(tasks.flatMap((task) => (task.level === null ? [] : [task.level])));
  return [...levels].sort((one, other) => one - other);
}

export function tagsOf(tasks: TaskEntry[]): string[] {
  return [...new Set(tasks.flatMap((task) => task.tags))].sort((one, other) => one.localeCompare(other, "en"));
}

/** Return the tasks in groups: files from the command line, single tasks, the levels, then folders by name. */
export function groupTasks(tasks: TaskEntry[]): Group[] {
  const groups = new Map<string, Group & { rank: number }>();
  for (const task of tasks) {
    const { heading, rank } = groupOf(task);
    const group = groups.get(heading) ?? { key: heading, heading, tasks: [], rank };
    groups.set(heading, group);
    group.tasks.push(task);
  }
  return [...groups.values()].sort((one, other) => one.rank - other.rank || one.heading.localeCompare(other.heading, "en"));
}

function groupOf(task: TaskEntry): { heading: string; rank: number } {
  if (task.name.startsWith("file:")) return { heading: "Your file", rank: -1 };
  if (task.level !== null) return { heading: levelName(task.level), rank: task.level };
  if (!task.name.includes("/")) return { heading: "Experiments", rank: 0 };
  return { heading: folderTitle(task.name.slice(0, task.name.indexOf("/"))), rank: 1000 };
}

function folderTitle(folder: string): string {
  const words = folder.replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
