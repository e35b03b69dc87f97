// What the address of the play page asks for: /play?task=NAME&arena=&seed=&agent=&participant=
import { participantOf } from "../../lib/route";
import type { Wanted } from "../connection";

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function wantedFrom(query: URLSearchParams): Wanted {
  return {
    task: query.get("task") || null,
    arena: whole(query.get("arena")),
    seed: whole(query.get("seed")),
    agent: query.get("agent") || null,
    // Also an empty one: the server refuses it, and nobody plays for nobody by mistake.
    participant: participantOf(query),
  };
}
