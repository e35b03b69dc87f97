// Requests about runs of training (docs/reference/studio-protocol.md), and the types of their answers.
import { request } from "../lib/api";

export interface Run {
  name: string;
  learner: string;
  preset: string;
  curriculum: string;
  tasks: string[];
  seed: number;
  step: number;
  steps: number;
  episodes: number;
  mean_return: number | null;
  passed: number | null;
  training: boolean;
  changed: number; // seconds since 1970
  checkpoint: number | null;
  watch: string | null;
}

export type Column = (number | null)[];

export interface RunCurves extends Run {
  curves: { step: number[]; mean_return?: Column; passed?: Column; speed?: Column; stage?: Column };
  evaluation: { step: number[]; passed: Column; mean_return: Column };
  coverage: { tasks_played: number; fewest: number; most: number } | null;
}

export async function fetchRuns(): Promise<Run[]> {
  return (await (await request("/api/training")).json()).runs;
}

export async function fetchRun(name: string): Promise<RunCurves> {
  return (await request(`/api/training/${name.split("/").map(encodeURIComponent).join("/")}`)).json();
}
