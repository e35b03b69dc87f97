// The requests to the server that all pages share (docs/reference/studio-protocol.md), and the types of their answers.

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
  arena: number; // position in the task, from 0
  arenas: number | null; // number of arenas in the task
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
  file: string; // base name of files saved from the episode
  page: { address: string; part: string } | null; // the page of its wing that shows it; null: it is shown step by step
  events?: WorldEvent[];
}

/** The steps of an episode, one array for each column. */
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

/** A failed request. The message is one sentence for the reader; `status` is 0 if the server did not answer. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** Return the response to a request; throw a RequestError if there is none or its status is an error. */
export async function request(address: string, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new RequestError("The studio does not answer. Is it still running?", 0);
  }
  if (response.ok) return response;
  throw new RequestError(await errorMessage(response), response.status);
}

async function errorMessage(response: Response): Promise<string> {
  const body = await response.text().catch(() => "");
  try {
    const data = JSON.parse(body);
    for (const key of ["message", "error", "detail"]) if (typeof data[key] === "string") return data[key];
  } catch {
    if (body && body.length < 300 && !body.includes("<")) return body;
  }
  return `The studio answered ${response.status}.`;
}

export async function fetchRecordings(limit = 50, offset = 0): Promise<{ total: number; recordings: Episode[]; damaged: string[] }> {
  return (await request(`/api/recordings?limit=${limit}&offset=${offset}`)).json();
}

export async function fetchRecording(id: string): Promise<Episode> {
  return (await request(recordingApi(id))).json();
}

export async function fetchFrames(id: string): Promise<ArrayBuffer> {
  return (await request(`${recordingApi(id)}/frames`)).arrayBuffer();
}

export async function fetchSteps(id: string): Promise<Steps> {
  return (await request(`${recordingApi(id)}/steps`)).json();
}

/** The tasks of another wing that the start page shows. */
export interface WingGallery {
  heading: string;
  about: string;
  trouble: string; // why they cannot be played here, or ""
  tasks: { name: string; title: string; group: string; play: string; watch: string; picture: string }[];
}

/** Return the name of the section of a gallery in the start page, for links to it. */
export function galleryId(gallery: WingGallery): string {
  return gallery.heading.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

export async function fetchGalleries(): Promise<WingGallery[]> {
  return (await (await request("/api/galleries")).json()).galleries;
}

/** Return the address below which the server answers requests about one recording. */
export function recordingApi(id: string | number): string {
  return `/api/recordings/${encodeURIComponent(String(id))}`;
}
