// Facts about a recorded episode as text.
import type { Episode } from "../lib/api";
import { EVERYTHING_TITLE, forParticipant, recordingAddress } from "../lib/route";

export function episodeTitle(episode: Episode): string {
  return episode.title || episode.task || EVERYTHING_TITLE;
}

/** Return the name of the agent that played, or "participant". */
export function playerText(episode: Episode): string {
  return episode.player === "agent" ? (episode.agent ?? "agent") : "participant";
}

/** Return who played, for use in a sentence, with the participant's id if there is one. */
export function playerWithId(episode: Episode): string {
  if (episode.participant) return `participant ${episode.participant}`;
  return episode.player === "agent" ? (episode.agent ?? "an agent") : "a participant";
}

/** Return the address of the page that shows an episode. */
export function episodeAddress(episode: Pick<Episode, "id" | "page">): string {
  return episode.page ? forParticipant(episode.page.address) : recordingAddress(episode.id);
}

/** Return which arena or other part of its task was played, or "" if the task has only one. */
export function arenaText(episode: Pick<Episode, "arena" | "arenas"> & Partial<Pick<Episode, "page">>): string {
  if (episode.page) return episode.page.part;
  return (episode.arenas ?? 0) > 1 ? `Arena ${episode.arena + 1} of ${episode.arenas}` : "";
}

export type Outcome = "passed" | "failed" | "no result" | "not finished";

export function outcomeOf(episode: Episode): Outcome {
  if (!episode.ended_by && !episode.finished) return "not finished";
  // An episode that was left early, or that an error ended, has neither passed nor failed.
  if (episode.passed === null) return "no result";
  return episode.passed ? "passed" : "failed";
}
