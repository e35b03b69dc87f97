// The requests to the server about films and observers (docs/reference/studio-protocol.md), and the types of their answers.
import { request } from "../lib/api";

export type Member = "e" | "u";
export type View = "flat" | "three-d";
export type Shapes = "familiar" | "new";

export interface TaskEntry {
  name: string;
  title: string;
  question: string;
  kind: "evaluation" | "background";
}

export interface ObserverEntry {
  id: string;
  name: string;
  about: string;
}

/** A folder of films that was named on the command line, with the numbers of its pairs by task. */
export interface Folder {
  id: string;
  pairs: Record<string, number[]>;
}

export interface About {
  tasks: TaskEntry[];
  observers: ObserverEntry[];
  folders: Folder[];
  most: number; // the largest number of a generated pair
  fps: number;
}

/** A pair as an address names it. */
export interface Wanted {
  source: string; // "generated", or a folder
  task: string;
  number: number;
  seed: number;
  shapes: Shapes;
}

export interface PairInfo {
  title: string;
  question: string;
  familiarisation: string;
  kind: string; // the pair type, or ""
  members: Partial<Record<Member, { level: string; test: string; frames: number[] }>>;
  same: boolean[]; // for each trial, whether it is the same in both films
}

/** What surprises an observer in each frame of a test; null where it judges nothing. */
export interface MemberSurprise {
  frames: (number | null)[];
  parts: Record<string, (number | null)[]>;
  peak: number; // the most unexpected frame
  maximum: number;
  mean: number;
}

export interface Surprise {
  observer: string;
  name: string;
  members: Partial<Record<Member, MemberSurprise>>;
  scores: Record<"maximum" | "mean", number | null>; // 1: right, 0.5: a tie, 0: wrong
  predicts: boolean;
}

export const GENERATED = "generated";

function queryOf(wanted: Wanted, more: Record<string, string | number> = {}): string {
  return new URLSearchParams(Object.entries({ ...wanted, ...more }).map(([name, value]) => [name, String(value)])).toString();
}

export async function fetchAbout(): Promise<About> {
  return (await request("/api/intuitions")).json();
}

export async function fetchPair(wanted: Wanted): Promise<PairInfo> {
  return (await request(`/api/intuitions/pair?${queryOf(wanted)}`)).json();
}

export async function fetchSurprise(wanted: Wanted, observer: string): Promise<Surprise> {
  return (await request(`/api/intuitions/surprise?${queryOf(wanted, { observer })}`)).json();
}

export async function fetchPredictions(wanted: Wanted, observer: string, member: Member): Promise<ArrayBuffer> {
  return (await request(`/api/intuitions/predictions?${queryOf(wanted, { observer, member })}`)).arrayBuffer();
}

export function filmAddress(wanted: Wanted, view: View, member: Member, trial: number): string {
  return `/api/intuitions/film?${queryOf(wanted, { view, member, trial })}`;
}

/** Return the address of the page that shows a pair. */
export function pairAddress(wanted: Wanted, view: View, observer: string): string {
  const query = new URLSearchParams({ task: wanted.task, number: String(wanted.number) });
  if (wanted.source === GENERATED) {
    query.set("seed", String(wanted.seed));
    query.set("shapes", wanted.shapes);
  } else query.set("source", wanted.source);
  query.set("view", view);
  query.set("observer", observer);
  return `/intuitions?${query}`;
}
