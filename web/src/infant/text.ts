// Sentences of the play page.
import { signedText } from "../lib/format";
import type { EndedMessage } from "./connection";

export const STEPS_PER_SECOND = 15;

export function secondsText(steps: number): string {
  return `${(steps / STEPS_PER_SECOND).toFixed(1)} s`;
}

/** Return a sentence of the server with a capital letter and a full stop. */
export function sentenceText(sentence: string): string {
  if (!sentence) return "";
  const text = sentence[0].toUpperCase() + sentence.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Return the result of an episode in a few words. */
export function resultText(ended: EndedMessage): string {
  const word = ended.passed === null ? "Finished" : ended.passed ? "Passed" : ended.cause === "time" ? "Time is up" : "Not passed";
  return `${word}: reward ${signedText(ended.return)} after ${secondsText(ended.step)}`;
}

const KEYS: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

/** Return the name of a key, as printed on a keyboard. */
export function keyText(code: string): string {
  return KEYS[code] ?? code.replace(/^Key/, "");
}
