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

/** Return the choice in the query of an address; what is missing or unknown gets its default. */
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
