// The request in the address of the play page: /play?task=NAME&arena=&seed=&agent=&participant=
import { numberOrText } from "../../lib/parameters";
import { participantOf } from "../../lib/route";
import type { PlayRequest } from "../connection";

export function playRequestFrom(query: URLSearchParams): PlayRequest {
  return {
    task: query.get("task") || null,
    arena: numberOrText(query.get("arena")),
    seed: numberOrText(query.get("seed")),
    agent: query.get("agent") || null,
    // An empty id is sent as well: the server refuses it, so that nothing is recorded without the id by mistake.
    participant: participantOf(query),
  };
}
