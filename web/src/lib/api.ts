// What the server can be asked over HTTP (docs/reference/studio-protocol.md), as types and one function each.

export interface TaskEntry {
  name: string;
  title: string;
  level: number | null;
  tags: string[];
  description: string;
  arenas: number;
  agents: number;
  thumbnail: string;
}

export interface Finding {
  severity: string;
  line: number; // 0: about the whole file
  column: number;
  text: string;
  excerpt: string; // the line with carets below the mistake
}

/** One task of a template: its number from 1, how many there are, and its values in words. */
export interface Variation {
  number: number;
  count: number;
  values: string;
}

export interface Check {
  ok: boolean;
  task: string | null;
  title: string | null;
  variation: Variation | null;
  messages: Finding[];
}

export interface AgentEntry {
  name: string;
  description: string;
}

export interface WorldEvent {
  kind: string;
  step: number;
  thing: number | null;
  name: string | null;
  animal: number | null;
  details: Record<string, unknown>;
}

export interface Episode {
  id: string | number;
  task: string;
  title: string;
  arena: number; // its position, from 0
  arenas: number | null; // how many the task has
  seed: number;
  rules: string | Record<string, unknown>;
  player: "human" | "agent";
  agent: string | null;
  participant: string | null;
  started: string | number;
  steps: number;
  return: number;
  passed: boolean | null;
  ended_by: string | null;
  finished: boolean | string | number | null;
  file: string; // what files of it are called, without the ending
  events?: WorldEvent[];
}

export interface Steps {
  step: number[];
  x: number[];
  z: number[];
  reward: number[];
  health: number[];
  total: number[];
  heading: number[];
  time_ms: number[];
}

// One sentence a person can read; `status` is 0 when nobody answered.
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function ask(address: string, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Refused("The studio does not answer. Is it still running?", 0);
  }
  if (response.ok) return response;
  throw new Refused(await sentenceOf(response), response.status);
}

async function sentenceOf(response: Response): Promise<string> {
  const body = await response.text().catch(() => "");
  try {
    const data = JSON.parse(body);
    for (const key of ["message", "error", "detail"]) if (typeof data[key] === "string") return data[key];
  } catch {
    if (body && body.length < 300 && !body.includes("<")) return body;
  }
  return `The studio answered ${response.status}.`;
}

export async function tasks(): Promise<TaskEntry[]> {
  return (await (await ask("/api/tasks")).json()).tasks;
}

export async function agents(): Promise<AgentEntry[]> {
  return (await (await ask("/api/agents")).json()).agents;
}

export async function recordings(limit = 50, offset = 0): Promise<{ total: number; recordings: Episode[]; damaged: string[] }> {
  return (await ask(`/api/recordings?limit=${limit}&offset=${offset}`)).json();
}

export async function recording(id: string): Promise<Episode> {
  return (await ask(about(id))).json();
}

export async function frames(id: string): Promise<ArrayBuffer> {
  return (await ask(`${about(id)}/frames`)).arrayBuffer();
}

export async function steps(id: string): Promise<Steps> {
  return (await ask(`${about(id)}/steps`)).json();
}

/** The bytes as they are: only so a picture can be told from a text. */
export async function check(file: Blob): Promise<Check> {
  const options = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  return (await ask("/api/check", options)).json();
}

export function about(id: string | number): string {
  return `/api/recordings/${encodeURIComponent(String(id))}`;
}

export function picture(task: string, width = 480, height = 320, view = "whole"): string {
  const name = task.split("/").map(encodeURIComponent).join("/");
  return `/api/thumbnails/${name}.png?view=${view}&width=${width}&height=${height}`;
}
