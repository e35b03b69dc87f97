// How much a picture may cost, chosen from how long pictures take here.
export interface Level {
  name: string;
  shadows: number; // pixels a side of the shadow map, 0: none
  resolution: number; // share of the screen's own
}

/** From the best to the cheapest. */
export const LEVELS: readonly Level[] = [
  { name: "full", shadows: 2048, resolution: 1 },
  { name: "high", shadows: 1024, resolution: 0.8 },
  { name: "medium", shadows: 1024, resolution: 0.6 },
  { name: "low", shadows: 0, resolution: 0.5 },
];
export type Quality = "auto" | 0 | 1 | 2 | 3;

/** Milliseconds between pictures above which a cheaper level is taken, much cheaper, and below which a better one. */
const SLOW_MS = 24;
const CRAWLING_MS = 60;
const FAST_MS = 17.5;
/** Time looked at before a decision, and much more before going up again. */
const PATIENCE_MS = 700;
const HOPE_MS = 12_000;
const FEWEST = 4;
/** Longer gaps are a hidden tab, not a slow picture. */
const GAP_MS = 1500;

export class Governor {
  level = 0;
  private total = 0;
  private count = 0;
  private hope = HOPE_MS;
  private best = 0;

  /** A picture came so many milliseconds after the last; true when the level changed. */
  tell(milliseconds: number): boolean {
    if (milliseconds > GAP_MS) return false;
    this.total += milliseconds;
    this.count++;
    if (this.total < PATIENCE_MS || this.count < FEWEST) return false;
    const mean = this.total / this.count;
    this.hope -= this.total;
    this.total = this.count = 0;
    const last = LEVELS.length - 1;
    if (mean > SLOW_MS && this.level < last) {
      this.level = mean > CRAWLING_MS ? last : this.level + 1;
      // What was too slow once is not tried again.
      this.best = this.level;
      this.hope = HOPE_MS;
      return true;
    }
    if (mean < FAST_MS && this.level > this.best && this.hope <= 0) {
      this.level--;
      this.hope = HOPE_MS;
      return true;
    }
    return false;
  }
}
