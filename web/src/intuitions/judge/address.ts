// The address of the page on which pairs are judged.
import { forParticipant } from "../../lib/route";

/** Return the address of a judging of one task, in the same set, shapes and view as a pair that is watched. */
export function judgingAddress(choice: { task: string; seed: number; shapes: string; view: string }): string {
  const settings = [choice.task.startsWith("background/") ? "*" : choice.task];
  if (choice.shapes !== "familiar") settings.push(`shapes=${choice.shapes}`);
  if (choice.view !== "flat") settings.push(`view=${choice.view}`);
  const query = new URLSearchParams({ task: `intuitions/${settings.join(";")}`, seed: String(choice.seed) });
  return forParticipant(`/intuitions/judge?${query}`);
}
