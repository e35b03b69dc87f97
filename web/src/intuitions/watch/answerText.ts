// What somebody answered about a pair, as a sentence.
import type { Episode } from "../../lib/api";

/** Return a sentence about a recorded judgement; `who` is who judged. */
export function answerText(episode: Episode, who: string): string {
  const details = episode.events?.find((event) => event.kind === "judged")?.details ?? {};
  const subject = who[0].toUpperCase() + who.slice(1);
  const seconds = typeof details.response_ms === "number" ? ` after ${(details.response_ms / 1000).toFixed(1)} s` : "";
  if (episode.passed === null) return `${subject} could not tell which film was more surprising${seconds}: a tie.`;
  const film = episode.passed ? "unexpected" : "expected";
  return `${subject} called the ${film} film more surprising${seconds}: ${episode.passed ? "right" : "wrong"}. It was shown as the ${details.answer} film.`;
}
