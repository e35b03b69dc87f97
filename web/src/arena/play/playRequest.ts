// The request in the address of the play page: /play?task=NAME&arena=&seed=&agent=&participant=
import { participantOf } from "../../lib/route";
import type { PlayRequest } from "../connection";

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function playRequestFrom(query: URLSearchParams): PlayRequest {
  return {
    task: query.get("task") || null,
    arena: wholeNumber(query.get("arena")),
    seed: wholeNumber(query.get("seed")),
    agent: query.get("agent") || null,
    // An empty id is sent as well: the server refuses it, so that nothing is recorded without the id by mistake.
    participant: participantOf(query),
  };
}
