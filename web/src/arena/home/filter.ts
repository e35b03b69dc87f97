// Which tasks are shown, and under which headings. Pure, so that it can be tested without a page.
import type { TaskEntry } from "../../lib/api";

export interface Wish {
  words: string;
  level: number | null;
  tag: string | null;
}

export interface Group {
  key: string;
  heading: string;
  tasks: TaskEntry[];
}

// What the ten levels of the testbed are about.
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

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

export function matching(tasks: TaskEntry[], wish: Wish): TaskEntry[] {
  const words = plain(wish.words).split(/\s+/).filter(Boolean);
  return tasks.filter((task) => {
    if (wish.level !== null && task.level !== wish.level) return false;
    if (wish.tag !== null && !task.tags.includes(wish.tag)) return false;
    const text = plain([task.name, task.title, task.description, ...task.tags].join(" "));
    return words.every((word) => text.includes(word));
  });
}

export function levelsOf(tasks: TaskEntry[]): number[] {
  const found = new Set(tasks.flatMap((task) => (task.level === null ? [] : [task.level])));
  return [...found].sort((one, other) => one - other);
}

export function tagsOf(tasks: TaskEntry[]): string[] {
  return [...new Set(tasks.flatMap((task) => task.tags))].sort((one, other) => one.localeCompare(other, "en"));
}

// What the command line named comes first, then tasks that stand alone, the levels, and folders as they are called.
export function grouped(tasks: TaskEntry[]): Group[] {
  const groups = new Map<string, Group & { rank: number }>();
  for (const task of tasks) {
    const { heading, rank } = shelf(task);
    const group = groups.get(heading) ?? { key: heading, heading, tasks: [], rank };
    groups.set(heading, group);
    group.tasks.push(task);
  }
  return [...groups.values()].sort((one, other) => one.rank - other.rank || one.heading.localeCompare(other.heading, "en"));
}

function shelf(task: TaskEntry): { heading: string; rank: number } {
  if (task.name.startsWith("file:")) return { heading: "Your file", rank: -1 };
  if (task.level !== null) return { heading: levelName(task.level), rank: task.level };
  if (!task.name.includes("/")) return { heading: "Experiments", rank: 0 };
  return { heading: spoken(task.name.slice(0, task.name.indexOf("/"))), rank: 1000 };
}

function spoken(folder: string): string {
  const words = folder.replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
