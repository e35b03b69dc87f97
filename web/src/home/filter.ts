// Which tasks are shown, and under which headings. Pure, so that it can be tested without a page.
import type { TaskEntry } from "../lib/api";

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
  1: "Finding food",
  2: "Preferences",
  3: "Obstacles",
  4: "Avoidance",
  5: "Space and support",
  6: "Looking different",
  7: "In the dark",
  8: "Out of sight",
  9: "Counting",
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

// Tasks that stand alone come first, then the levels, then the folders as they are called.
export function grouped(tasks: TaskEntry[]): Group[] {
  const groups = new Map<string, Group & { rank: number }>();
  for (const task of tasks) {
    const folder = task.name.includes("/") ? task.name.slice(0, task.name.indexOf("/")) : "";
    const leveled = task.level !== null;
    const key = leveled ? `level-${task.level}` : `folder-${folder}`;
    let group = groups.get(key);
    if (!group) {
      const heading = leveled ? levelName(task.level!) : folder ? spoken(folder) : "Experiments";
      group = { key, heading, tasks: [], rank: leveled ? task.level! : folder ? 1000 : 0 };
      groups.set(key, group);
    }
    group.tasks.push(task);
  }
  return [...groups.values()].sort((one, other) => one.rank - other.rank || one.heading.localeCompare(other.heading, "en"));
}

function spoken(folder: string): string {
  const words = folder.replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
