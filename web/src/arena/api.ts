// The requests to the server about tasks and agents (docs/reference/studio-protocol.md), and the types of their answers.
import { request } from "../lib/api";

export interface TaskEntry {
  name: string;
  title: string;
  level: number | null;
  tags: string[];
  description: string;
  condition: string | number | boolean | null;
  arenas: number;
  agents: number;
  thumbnail: string;
}

/** A collection of tasks that is listed on request. */
export interface Battery {
  name: string;
  title: string;
  tasks: number;
}

export interface Finding {
  severity: string;
  line: number; // 0: the finding is about the whole file
  column: number;
  text: string;
  excerpt: string; // the line, with carets below the mistake
}

/** One task of a template: its number (from 1), the number of tasks, and its values as text. */
export interface Variation {
  number: number;
  count: number;
  values: string;
}

/** The result of checking a task file. */
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

/** Return the tasks of a battery, or those in none. */
export async function fetchTasks(battery = ""): Promise<TaskEntry[]> {
  const query = battery ? `?${new URLSearchParams({ battery })}` : "";
  return (await (await request(`/api/tasks${query}`)).json()).tasks;
}

export async function fetchBatteries(): Promise<Battery[]> {
  return (await (await request("/api/batteries")).json()).batteries;
}

export async function fetchAgents(): Promise<AgentEntry[]> {
  return (await (await request("/api/agents")).json()).agents;
}

/** Let the server check a task file. The bytes are sent unchanged, so that it can recognise files that are not text. */
export async function checkTaskFile(file: Blob): Promise<Check> {
  const options = { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file };
  return (await request("/api/check", options)).json();
}

/** Return the address of a picture of a task. */
export function thumbnailAddress(task: string, width = 480, height = 320, view = "whole"): string {
  const name = task.split("/").map(encodeURIComponent).join("/");
  return `/api/thumbnails/${name}.png?view=${view}&width=${width}&height=${height}`;
}
