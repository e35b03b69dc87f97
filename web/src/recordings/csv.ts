// The steps of an episode as a table; `puzzlebox export` writes all columns of all episodes.
import type { Steps } from "../lib/api";

export function csv(steps: Steps): string {
  const names = Object.keys(steps) as (keyof Steps)[];
  const rows = steps.step.map((_, row) => names.map((name) => steps[name][row]).join(","));
  return [names.join(","), ...rows].join("\n") + "\n";
}
