// The quality of the picture, and its automatic choice by the time that pictures take.
export interface Level {
  name: string;
  shadows: number; // side of the shadow map in pixels; 0: no shadows
  resolution: number; // as a share of the screen's resolution
}

/** From the best to the cheapest. */
export const LEVELS: readonly Level[] = [
  { name: "full", shadows: 2048, resolution: 1 },
  { name: "high", shadows: 1024, resolution: 0.8 },
  { name: "medium", shadows: 1024, resolution: 0.6 },
  { name: "low", shadows: 0, resolution: 0.5 },
];
export type Quality = "auto" | 0 | 1 | 2 | 3;

/** Mean time between pictures above which the next cheaper level is chosen, or the cheapest, and below which a better one. */
const SLOW_MS = 24;
const VERY_SLOW_MS = 60;
const FAST_MS = 17.5;
/** Time and number of pictures that are measured before a decision. */
const MEASURE_MS = 700;
const FEWEST_PICTURES = 4;
/** Time before a better level is tried again. */
const UPGRADE_DELAY_MS = 12_000;
/** Longer gaps come from a hidden tab and are ignored. */
const GAP_MS = 1500;

/** Chooses the level by the time between pictures. */
export class Governor {
  level = 0;
  private total = 0;
  private count = 0;
  private upgradeDelay = UPGRADE_DELAY_MS;
  private best = 0;

  /** Add the time between two pictures; return whether the level has changed. */
  measure(milliseconds: number): boolean {
    if (milliseconds > GAP_MS) return false;
    this.total += milliseconds;
    this.count++;
    if (this.total < MEASURE_MS || this.count < FEWEST_PICTURES) return false;
    const mean = this.total / this.count;
    this.upgradeDelay -= this.total;
    this.total = this.count = 0;
    const last = LEVELS.length - 1;
    if (mean > SLOW_MS && this.level < last) {
      this.level = mean > VERY_SLOW_MS ? last : this.level + 1;
      // A level that was too slow is not tried again.
      this.best = this.level;
      this.upgradeDelay = UPGRADE_DELAY_MS;
      return true;
    }
    if (mean < FAST_MS && this.level > this.best && this.upgradeDelay <= 0) {
      this.level--;
      this.upgradeDelay = UPGRADE_DELAY_MS;
      return true;
    }
    return false;
  }
}
