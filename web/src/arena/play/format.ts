// The texts of the play page, and the colour of the health bar.
import { STEPS_PER_SECOND } from "../../lib/time";

type Color = readonly [number, number, number];

// From red over orange and green to blue, by health.
const DEFAULT_STOPS: readonly [number, Color][] = [
  [0, [214, 40, 40]],
  [20, [222, 76, 36]],
  [40, [240, 150, 40]],
  [65, [56, 176, 84]],
  [100, [46, 134, 222]],
];
// Colours that differ in lightness as well: little health is dark, much is light.
const COLOUR_BLIND_STOPS: readonly [number, Color][] = [
  [0, [120, 28, 80]],
  [35, [213, 94, 0]],
  [70, [240, 200, 66]],
  [100, [86, 180, 233]],
];

/** Return the CSS colour of a health from 0 to 100. */
export function healthColour(health: number, colourBlind = false): string {
  const stops = colourBlind ? COLOUR_BLIND_STOPS : DEFAULT_STOPS;
  const value = Math.min(100, Math.max(0, health));
  const above = stops.findIndex(([stop]) => stop >= value);
  if (above <= 0) return css(stops[0][1]);
  const [low, from] = stops[above - 1];
  const [high, to] = stops[above];
  const share = (value - low) / (high - low);
  return css(from.map((channel, i) => Math.round(channel + (to[i] - channel) * share)) as unknown as Color);
}

function css([red, green, blue]: Color): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Return a word for a health, for readers who cannot rely on its colour. */
export function healthWord(health: number): string {
  if (health >= 75) return "well";
  if (health >= 45) return "fine";
  if (health >= 20) return "weak";
  return health > 0 ? "very weak" : "none";
}

/** Return a reward with a real minus and three decimals, as Animal-AI shows it. */
export function rewardText(reward: number): string {
  const text = Math.abs(reward).toFixed(3);
  return reward < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Return the result of an episode; `passed` is null if it neither passed nor failed. */
export function verdictText(passed: boolean | null, total: number): string {
  return `${passed === null ? "Over" : passed ? "Passed" : "Not passed"}: reward ${rewardText(total)}`;
}

/** Return a message of the server as a sentence, with a capital and a full stop. */
export function sentenceText(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

export function stepsText(count: number): string {
  return count === 1 ? "1 step" : `${count} steps`;
}

/** Return the length of some physics steps in seconds, or as minutes:seconds. */
export function timeText(steps: number): string {
  const seconds = Math.ceil(Math.max(0, steps) / STEPS_PER_SECOND);
  return seconds >= 60 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : `${seconds} s`;
}

/** Return the title of a task to show. Uploads and files without a title have only their address. */
export function titleText(title: string): string {
  if (title.startsWith("upload:")) return "Your task";
  return title.startsWith("file:") ? title.slice(5) : title;
}
