// The course of a judging: which pair comes next, what is written about it, and the sending of answers.
import { request, RequestError } from "../../lib/api";

export const ANSWERS = ["first", "second", "cannot tell"] as const;
export type Answer = (typeof ANSWERS)[number];

/** What the server sends at the start (docs/reference/studio-protocol.md). */
export interface Judging {
  pairs: number;
  done: number[];
  together: boolean;
  speed: number;
  view: string;
  participant: string | null;
  visit: string;
}

export type Place = number | "practice";

/** Return the pair that comes next; null after the last one. Whoever has judged before needs no practice. */
export function nextPlace(judging: Judging, done: ReadonlySet<number>, practised: boolean): Place | null {
  if (done.size >= judging.pairs) return null;
  if (!practised && done.size === 0) return "practice";
  for (let place = 0; place < judging.pairs; place++) if (!done.has(place)) return place;
  return null;
}

export function progressText(place: Place, done: number, pairs: number): string {
  return place === "practice" ? "Practice" : `Pair ${done + 1} of ${pairs}`;
}

/** Return how a film is called: films that play at the same time are left and right. */
export function filmName(film: number, together: boolean): string {
  return together ? ["Left film", "Right film"][film] : ["First film", "Second film"][film];
}

/** Return about how many minutes some pairs take: nine trials of about six seconds in each film. */
export function minutesFor(pairs: number, together: boolean, speed: number): number {
  const seconds = (pairs * (together ? 1 : 2) * 9 * 6) / speed + pairs * 5;
  return Math.max(1, Math.round(seconds / 60));
}

/** Return the query of the page's address for requests, so that a participant's link counts for them as well. */
export function judgingQuery(search: string, more: Record<string, string | number> = {}): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return query.toString();
}

export async function fetchJudging(search: string): Promise<Judging> {
  return (await request(`/api/intuitions/judging?${judgingQuery(search)}`)).json();
}

/** Milliseconds from a failed attempt to store an answer to the next one. */
const PAUSE = 2000;

/** Send an answer until the server has stored it. Only an answer that it refuses for good makes this fail. */
export async function storeAnswer(search: string, answer: object, onTrouble: (sentence: string) => void, pause = PAUSE): Promise<void> {
  for (;;) {
    try {
      const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(answer) };
      await request(`/api/intuitions/judging?${judgingQuery(search)}`, options);
      onTrouble("");
      return;
    } catch (error) {
      const refused = error instanceof RequestError && error.status >= 400 && error.status < 500;
      onTrouble((error as Error).message);
      if (refused) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
