// Colours that everybody can tell apart: by lightness and a mark as well as by hue.
import type { Part } from "./decode";
import { Flag } from "./layout";
import { MARK } from "./paint.glsl";

export interface Look {
  color: readonly [number, number, number, number];
  mark: number;
}
type Linear = readonly [number, number, number];

// Linear, after the palette of Okabe and Ito: vermilion, sky blue, blue, yellow.
const VERMILION: Linear = [0.665, 0.112, 0.0];
const SKY_BLUE: Linear = [0.093, 0.456, 0.815];
const DARK_BLUE: Linear = [0.0, 0.1, 0.3];
const YELLOW: Linear = [0.871, 0.776, 0.055];
const ORANGE: Linear = [0.791, 0.347, 0.0];

// Longer names first: the first that fits counts.
const byName: [RegExp, Linear, number][] = [
  [/^DeathZone/, DARK_BLUE, MARK.HATCH],
  [/^HotZone/, ORANGE, MARK.DOTS],
  [/^BadGoal/, VERMILION, MARK.BANDS],
  [/^GoodGoalMulti/, YELLOW, MARK.NONE],
  [/^GoodGoal/, SKY_BLUE, MARK.RINGS],
];

/** How a part of a thing of that name looks. */
export function lookOf(part: Part, name: string, colourBlind: boolean): Look {
  const safe = colourBlind && part.flags & Flag.GLOWS ? byName.find(([pattern]) => pattern.test(name)) : undefined;
  if (!safe) return { color: part.color, mark: MARK.NONE };
  const [, [red, green, blue], mark] = safe;
  return { color: [red, green, blue, part.color[3]], mark };
}
