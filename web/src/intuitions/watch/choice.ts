// What the page shows, as its address names it.
import { GENERATED, type About, type Shapes, type View, type Wanted } from "../api";

export interface Choice extends Wanted {
  view: View;
  observer: string;
}

export const LARGEST_SEED = 999_999_999_999;

/** Return a whole number of a query within limits, or the default. */
function numberIn(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const text = query.get(name) ?? "";
  return /^\d{1,12}$/.test(text) && Number(text) <= most ? Number(text) : otherwise;
}

/** Return the choice in the query of an address; what is missing or wrong gets its default, see `mistakesOf`. */
export function choiceOf(query: URLSearchParams, about: About): Choice {
  const folder = about.folders.find((each) => each.id === query.get("source"));
  const tasks = folder ? Object.keys(folder.pairs) : about.tasks.map((each) => each.name);
  const task = tasks.includes(query.get("task") ?? "") ? (query.get("task") as string) : tasks[0];
  const observer = query.get("observer") ?? "";
  const number = numberIn(query, "number", 0, about.most);
  return withinFolder(
    {
      source: folder?.id ?? GENERATED,
      task,
      number,
      seed: numberIn(query, "seed", 1, LARGEST_SEED),
      shapes: query.get("shapes") === "new" ? "new" : "familiar",
      view: query.get("view") === "three-d" ? "three-d" : "flat",
      observer: about.observers.some((each) => each.id === observer) ? observer : about.observers[0].id,
    },
    about,
  );
}

/** What a link to the page may name, beside what every page of the studio may. */
const NAMES = ["source", "task", "number", "seed", "shapes", "view", "observer", "judgement", "participant"];
const VALUES: Record<"shapes" | "view", string[]> = { shapes: ["familiar", "new"], view: ["flat", "three-d"] };

/** Return a sentence for each value of an address that cannot be shown: which it is, and what is allowed. */
export function mistakesOf(query: URLSearchParams, about: About): string[] {
  const found: string[] = [];
  const check = (name: string, allowed: string[], what = name) => {
    const value = query.get(name);
    if (value !== null && !allowed.includes(value)) found.push(`There is no ${what} ${quoted(value)}; allowed: ${allowed.join(", ")}.`);
  };
  for (const name of new Set(query.keys())) {
    if (!NAMES.includes(name)) found.push(`A link to this page has no value named ${quoted(name)}; allowed: ${NAMES.join(", ")}.`);
  }
  const folder = about.folders.find((each) => each.id === query.get("source"));
  check("source", [GENERATED, ...about.folders.map((each) => each.id)], "source of films");
  check("task", folder ? Object.keys(folder.pairs) : about.tasks.map((each) => each.name), folder ? `task in ${folder.id}` : "task");
  for (const [name, most] of [["number", about.most], ["seed", LARGEST_SEED]] as const) {
    const value = query.get(name);
    if (value !== null && numberIn(query, name, -1, most) === -1) {
      found.push(`The ${name} ${quoted(value)} is not allowed; it must be a whole number from 0 to ${most}.`);
    }
  }
  const choice = choiceOf(query, about);
  const number = numberIn(query, "number", -1, about.most);
  if (folder && number !== -1 && number !== choice.number) {
    found.push(`${folder.id} has no pair ${number} of ${choice.task}; allowed: ${shortList(folder.pairs[choice.task])}.`);
  }
  check("shapes", VALUES.shapes);
  if (query.get("shapes") === "new" && choice.shapes !== "new") found.push(`There are no new shapes in ${choice.task}; allowed: familiar.`);
  check("view", VALUES.view);
  check("observer", about.observers.map((each) => each.id));
  return found;
}

const quoted = (text: string) => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`;

/** Return some numbers in words; of many, the first and the last ones. */
const shortList = (numbers: number[]) =>
  numbers.length <= 12 ? numbers.join(", ") : `${numbers.slice(0, 6).join(", ")}, … ${numbers[numbers.length - 1]}`;

/** Return a choice whose task and pair are in its folder, and whose shapes its task has. */
export function withinFolder(choice: Choice, about: About): Choice {
  const folder = about.folders.find((each) => each.id === choice.source);
  if (folder === undefined) {
    const background = about.tasks.find((each) => each.name === choice.task)?.kind === "background";
    return { ...choice, source: GENERATED, shapes: (background ? "familiar" : choice.shapes) as Shapes };
  }
  const task = choice.task in folder.pairs ? choice.task : Object.keys(folder.pairs)[0];
  const numbers = folder.pairs[task];
  return { ...choice, task, number: numbers.includes(choice.number) ? choice.number : numbers[0] };
}

/** Return the number of the next or previous pair; the same one where there is no other. */
export function otherNumber(choice: Choice, about: About, by: 1 | -1): number {
  const numbers = about.folders.find((each) => each.id === choice.source)?.pairs[choice.task];
  if (numbers === undefined) return Math.max(0, Math.min(about.most, choice.number + by));
  return numbers[Math.max(0, Math.min(numbers.length - 1, numbers.indexOf(choice.number) + by))];
}
