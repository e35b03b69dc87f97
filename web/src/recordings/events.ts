// Events of a world in words, and which of them are worth a mark.
import type { WorldEvent } from "../lib/api";
import { signed } from "../lib/format";

export type Tone = "good" | "bad" | "plain";

export function said(event: WorldEvent): string {
  const details = event.details ?? {};
  const name = event.name ?? "a thing";
  const value = typeof details.value === "number" ? ` (${signed(details.value)})` : "";
  switch (event.kind) {
    case "started": return "the episode begins";
    case "unplaced": return `${name} found no place`;
    case "collected": return `ate ${name}${value}`;
    case "entered": return `entered ${zone(name, details)}`;
    case "left": return `left ${zone(name, details)}`;
    case "pressed": return `pressed ${name}`;
    case "dispensed": return `${name} fell`;
    case "appeared": return `${name} appeared`;
    case "vanished": return `${name} vanished`;
    case "granted": return `was given reward${value}`;
    case "froze": return `stood still for ${details.steps ?? "some"} steps`;
    case "lights": return details.on ? "the light went on" : "the light went off";
    case "finished": return typeof details.passed !== "boolean" ? "finished" : details.passed ? "finished: passed" : "finished: not passed";
    case "merged": return "the next arena takes over";
    case "notified": return details.success ? "was told: passed" : "was told: not passed";
    case "ended": return `the end${typeof details.cause === "string" ? `: ${causeOf(details.cause)}` : ""}`;
    case "error": return `the physics failed${typeof details.reason === "string" ? `: ${details.reason}` : ""}`;
    default: return event.kind;
  }
}

export function causeOf(cause: string | null): string {
  return (cause ?? "not finished").replaceAll("_", " ");
}

function zone(name: string, details: Record<string, unknown>): string {
  return typeof details.zone_id === "string" && details.zone_id ? `${name} “${details.zone_id}”` : name;
}

export function tone(event: WorldEvent): Tone {
  const value = event.details?.value;
  if (typeof value === "number" && value !== 0) return value > 0 ? "good" : "bad";
  if (event.kind === "error") return "bad";
  if (event.kind === "finished" || event.kind === "notified") {
    const verdict = event.details?.passed ?? event.details?.success;
    return typeof verdict !== "boolean" ? "plain" : verdict ? "good" : "bad";
  }
  return "plain";
}

/** The events of an episode in words, one after the other: only its first arena begins it. */
export function allSaid(events: WorldEvent[]): string[] {
  const merged = events.findIndex((event) => event.kind === "merged");
  return events.map((event, place) => (event.kind === "started" && merged >= 0 && place > merged ? "the next arena begins" : said(event)));
}

// The start and the bookkeeping of the end would only crowd a time line.
export function marked(events: WorldEvent[]): WorldEvent[] {
  return events.filter((event) => !["started", "unplaced", "finished", "notified"].includes(event.kind));
}
