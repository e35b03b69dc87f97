// The clock of one film, or of two that play together.
import type { Moment, Timeline } from "./timeline";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

/** The longest time between two pictures that counts, in seconds: a hidden page does not skip. */
const LONGEST = 0.25;

export class Player {
  /** The current frame in the row of all trials; fractions count while playing. */
  position = $state(0);
  playing = $state(false);
  speed = $state(1);
  /** Whether the film waits for pictures of the current trial. */
  waiting = $state(false);
  readonly moment: Moment = $derived.by(() => this.timeline.at(this.position));
  readonly atEnd = $derived.by(() => this.position >= this.timeline.total - 1);
  private request = 0;
  private last = 0;

  /** @param ready - whether the pictures of a trial are there. @param ended - called when the last frame was shown. */
  constructor(
    readonly timeline: Timeline,
    private fps: number,
    private ready: (trial: number) => boolean,
    private ended: () => void = () => undefined,
  ) {}

  play(): void {
    if (this.playing) return;
    if (this.atEnd) this.position = 0;
    this.playing = true;
    this.last = 0;
    this.request = requestAnimationFrame(this.tick);
  }

  pause(): void {
    this.playing = false;
    this.waiting = false;
    cancelAnimationFrame(this.request);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(position: number): void {
    this.position = this.timeline.clamp(Math.round(position));
  }

  /** Show the frame some frames before or after this one, and stop. */
  step(by: number): void {
    this.pause();
    this.seek(Math.floor(this.position) + by);
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    const seconds = this.last ? Math.min((now - this.last) / 1000, LONGEST) : 0;
    this.last = now;
    this.waiting = !this.ready(this.moment.trial);
    if (!this.waiting) {
      const next = this.position + seconds * this.fps * this.speed;
      const trial = this.timeline.at(next).trial;
      // A fast film never passes a trial whose pictures are missing.
      this.position = trial > this.moment.trial ? this.timeline.starts[this.moment.trial + 1] : this.timeline.clamp(next);
      if (this.atEnd) {
        this.pause();
        this.ended();
        return;
      }
    }
    this.request = requestAnimationFrame(this.tick);
  };
}
