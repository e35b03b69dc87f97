// The events of an episode as text, and which of them are marked on a curve.
import type { WorldEvent } from "../lib/api";
import { signedText } from "../lib/format";

export type Tone = "good" | "bad" | "plain";

/** Return an event as text, without its time. */
export function eventText(event: WorldEvent): string {
  const details = event.details ?? {};
  const name = event.name ?? "a thing";
  const value = typeof details.value === "number" ? ` (${signedText(details.value)})` : "";
  switch (event.kind) {
    case "started": return "the episode begins";
    case "unplaced": return `${name} could not be placed`;
    case "collected": return `ate ${name}${value}`;
    case "entered": return `entered ${zoneText(name, details)}`;
    case "left": return `left ${zoneText(name, details)}`;
    case "pressed": return `pressed ${name}`;
    case "dispensed": return `${name} was dispensed`;
    case "appeared": return `${name} appeared`;
    case "vanished": return `${name} vanished`;
    case "granted": return `received reward${value}`;
    case "froze": return `was frozen for ${details.steps ?? "some"} steps`;
    case "lights": return details.on ? "the light went on" : "the light went off";
    case "finished": return typeof details.passed !== "boolean" ? "finished" : details.passed ? "finished: passed" : "finished: not passed";
    case "merged": return "the arena merges into the next one";
    case "notified": return details.success ? "notification: passed" : "notification: not passed";
    case "ended": return `the episode ends${typeof details.cause === "string" ? `: ${causeText(details.cause)}` : ""}`;
    case "error": return `the physics failed${typeof details.reason === "string" ? `: ${details.reason}` : ""}`;
    default: return event.kind;
  }
}

const CAUSES: Record<string, string> = {
  completed: "completed",
  health: "no health left",
  time: "time limit reached",
  limit: "longest length reached",
  restart: "restarted",
  next: "skipped",
  left: "left early",
};

/** Return why an episode ended, as text. */
export function causeText(cause: string | null): string {
  return CAUSES[cause ?? ""] ?? (cause ?? "not finished").replaceAll("_", " ");
}

function zoneText(name: string, details: Record<string, unknown>): string {
  return typeof details.zone_id === "string" && details.zone_id ? `${name} “${details.zone_id}”` : name;
}

/** Return whether an event is good or bad for the animal. */
export function toneOf(event: WorldEvent): Tone {
  const value = event.details?.value;
  if (typeof value === "number" && value !== 0) return value > 0 ? "good" : "bad";
  if (event.kind === "error") return "bad";
  if (event.kind === "finished" || event.kind === "notified") {
    const verdict = event.details?.passed ?? event.details?.success;
    return typeof verdict !== "boolean" ? "plain" : verdict ? "good" : "bad";
  }
  return "plain";
}

/** Return the events of an episode as text. Only the first arena of merged ones begins the episode. */
export function eventTexts(events: WorldEvent[]): string[] {
  const merged = events.findIndex((event) => event.kind === "merged");
  return events.map((event, index) => (event.kind === "started" && merged >= 0 && index > merged ? "the next arena begins" : eventText(event)));
}

/** Return the events to mark on a curve: all but those that only report the start and the end. */
export function markedEvents(events: WorldEvent[]): WorldEvent[] {
  return events.filter((event) => !["started", "unplaced", "finished", "notified"].includes(event.kind));
}
