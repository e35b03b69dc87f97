// Numbers and times as people read them.
import type { Episode } from "./api";

const STEP_SECONDS = 0.02;

export function signed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

export function duration(steps: number): string {
  const tenths = Math.round(steps * STEP_SECONDS * 10);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(tenths / 10);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

// ISO text, or seconds since 1970.
export function moment(started: string | number): Date {
  return new Date(typeof started === "number" ? started * 1000 : started);
}

export function ago(started: string | number, now = Date.now()): string {
  const seconds = (now - moment(started).getTime()) / 1000;
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return "just now";
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  if (seconds < 5400) return words.format(-Math.round(seconds / 60), "minute");
  if (seconds < 36 * 3600) return words.format(-Math.round(seconds / 3600), "hour");
  if (seconds < 30 * 86400) return words.format(-Math.round(seconds / 86400), "day");
  return moment(started).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

export function who(episode: Episode): string {
  return episode.player === "agent" ? (episode.agent ?? "an agent") : "a person";
}

// The same with the id of a person, where there is one.
export function whoExactly(episode: Episode): string {
  return episode.participant ? `participant ${episode.participant}` : who(episode);
}

/** Which arena was played, where the task has several. */
export function whichArena(episode: Pick<Episode, "arena" | "arenas">): string {
  return (episode.arenas ?? 0) > 1 ? `Arena ${episode.arena + 1} of ${episode.arenas}` : "";
}

export type Outcome = "passed" | "failed" | "no result" | "not finished";

export function outcome(episode: Episode): Outcome {
  if (!episode.ended_by && !episode.finished) return "not finished";
  // Whoever left it early, or an error, left it undecided.
  if (episode.passed === null) return "no result";
  return episode.passed ? "passed" : "failed";
}
