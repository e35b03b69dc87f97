// The nine trials of a film, or of two films that play together, as one row of frames.

/** A place in a film. */
export interface Moment {
  trial: number; // from 0
  frame: number; // within the trial, from 0
}

/** The frames of all trials in a row. Of two films each trial is as long as the longer one; the other waits. */
export class Timeline {
  readonly lengths: number[];
  readonly starts: number[];
  readonly total: number;

  constructor(films: number[][]) {
    const trials = Math.max(0, ...films.map((film) => film.length));
    this.lengths = Array.from({ length: trials }, (_, trial) => Math.max(1, ...films.map((film) => film[trial] ?? 1)));
    let total = 0;
    this.starts = this.lengths.map((length) => (total += length) - length);
    this.total = total;
  }

  /** Return the trial and the frame in it of a position; positions outside count as the first or the last frame. */
  at(position: number): Moment {
    const frame = this.clamp(Math.floor(position));
    let trial = this.lengths.length - 1;
    while (trial > 0 && this.starts[trial] > frame) trial -= 1;
    return { trial, frame: frame - (this.starts[trial] ?? 0) };
  }

  clamp(position: number): number {
    return Math.max(0, Math.min(this.total - 1, position));
  }

  /** Return the position of a frame of a trial. */
  position(moment: Moment): number {
    return this.clamp((this.starts[moment.trial] ?? 0) + moment.frame);
  }

  /** Return where a jump to the trial before leads: to the start of this one first, unless that was a moment ago. */
  before(position: number, grace: number): number {
    const { trial, frame } = this.at(position);
    return this.starts[frame > grace ? trial : Math.max(0, trial - 1)] ?? 0;
  }

  after(position: number): number {
    const { trial } = this.at(position);
    return trial + 1 < this.starts.length ? this.starts[trial + 1] : this.total - 1;
  }
}
