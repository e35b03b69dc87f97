// The colours of zones and goals for colour-blind participants: they differ in lightness and by a mark, not only in hue.
import type { Part } from "./decode";
import { Flag } from "./layout";
import { MARK } from "./paint.glsl";

export interface Look {
  color: readonly [number, number, number, number];
  mark: number;
}
type Linear = readonly [number, number, number];

// Linear colours, after the palette of Okabe and Ito.
const VERMILION: Linear = [0.665, 0.112, 0.0];
const SKY_BLUE: Linear = [0.093, 0.456, 0.815];
const DARK_BLUE: Linear = [0.0, 0.1, 0.3];
const YELLOW: Linear = [0.871, 0.776, 0.055];
const ORANGE: Linear = [0.791, 0.347, 0.0];

// The first pattern that matches counts: longer names come first.
const byName: [RegExp, Linear, number][] = [
  [/^DeathZone/, DARK_BLUE, MARK.HATCH],
  [/^HotZone/, ORANGE, MARK.DOTS],
  [/^BadGoal/, VERMILION, MARK.BANDS],
  [/^GoodGoalMulti/, YELLOW, MARK.NONE],
  [/^GoodGoal/, SKY_BLUE, MARK.RINGS],
];

/** Return the colour and the mark of a part of a thing with a name. */
export function lookOf(part: Part, name: string, colourBlind: boolean): Look {
  const safe = colourBlind && part.flags & Flag.GLOWS ? byName.find(([pattern]) => pattern.test(name)) : undefined;
  if (!safe) return { color: part.color, mark: MARK.NONE };
  const [, [red, green, blue], mark] = safe;
  return { color: [red, green, blue, part.color[3]], mark };
}
