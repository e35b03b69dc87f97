// What the display says: numbers, words, and the colour of health: blue, green, orange, red; or, for everybody's eyes, from dark blue to light yellow.
type Color = readonly [number, number, number];

const USUAL: readonly [number, Color][] = [
  [0, [214, 40, 40]],
  [20, [222, 76, 36]],
  [40, [240, 150, 40]],
  [65, [56, 176, 84]],
  [100, [46, 134, 222]],
];
// Lightness alone tells the order: little health is dark with a light edge, much is light.
const SAFE: readonly [number, Color][] = [
  [0, [120, 28, 80]],
  [35, [213, 94, 0]],
  [70, [240, 200, 66]],
  [100, [86, 180, 233]],
];

export function healthColour(health: number, colourBlind = false): string {
  const stops = colourBlind ? SAFE : USUAL;
  const at = Math.min(100, Math.max(0, health));
  const above = stops.findIndex(([place]) => place >= at);
  if (above <= 0) return css(stops[0][1]);
  const [low, from] = stops[above - 1];
  const [high, to] = stops[above];
  const share = (at - low) / (high - low);
  return css(from.map((channel, i) => Math.round(channel + (to[i] - channel) * share)) as unknown as Color);
}

function css([red, green, blue]: Color): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** A word beside the number, for those who see no colour. */
export function healthWord(health: number): string {
  if (health >= 75) return "well";
  if (health >= 45) return "fine";
  if (health >= 20) return "weak";
  return health > 0 ? "very weak" : "none";
}

/** Reward with a real minus and always three decimals, as the game shows it. */
export function rewardText(reward: number): string {
  const text = Math.abs(reward).toFixed(3);
  return reward < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** How an episode ended, in one sentence; null: nothing decided it. */
export function verdictText(passed: boolean | null, total: number): string {
  return `${passed === null ? "Over" : passed ? "Passed" : "Not passed"}: reward ${rewardText(total)}`;
}

/** What a server says, as a sentence of its own. */
export function sentenceText(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** How many steps, in words. */
export function stepsText(count: number): string {
  return count === 1 ? "1 step" : `${count} steps`;
}

/** Physics steps of 0.02 s as minutes and seconds. */
export function timeText(steps: number): string {
  const seconds = Math.ceil(Math.max(0, steps) / 50);
  return seconds >= 60 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : `${seconds} s`;
}

/** What a task is called; uploads and files without a title have only their address. */
export function titleText(title: string): string {
  if (title.startsWith("upload:")) return "Your task";
  return title.startsWith("file:") ? title.slice(5) : title;
}
