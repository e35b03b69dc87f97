import type { Steps } from "../lib/api";

/** Return the steps of an episode as CSV text. (`puzzlebox export` writes all columns of all episodes.) */
export function stepsCsv(steps: Steps): string {
  const names = Object.keys(steps) as (keyof Steps)[];
  const rows = steps.step.map((_, row) => names.map((name) => steps[name][row]).join(","));
  return [names.join(","), ...rows].join("\n") + "\n";
}
