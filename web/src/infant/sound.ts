// The sound of both ears: the last seconds for the picture of the wave, and playing it.

export const RATE = 44_100;
/** Seconds that a wave shows. */
export const WINDOW_SECONDS = 2;
const FULL_SCALE = 32_768;
/** Seconds by which sound is played later than it arrives, so that a late frame leaves no gap. */
const LEAD_SECONDS = 0.08;
/** Sound that would be played later than this is skipped. */
const MOST_SECONDS = 0.4;

/** The last samples of one ear. */
export class Wave {
  private readonly samples = new Int16Array(RATE * WINDOW_SECONDS);
  private place = 0;
  /** The root mean square of the last samples that were added, 0 to 1. */
  level = 0;

  add(samples: Int16Array): void {
    let sum = 0;
    for (const sample of samples) {
      this.samples[this.place] = sample;
      this.place = (this.place + 1) % this.samples.length;
      sum += sample * sample;
    }
    this.level = samples.length ? Math.sqrt(sum / samples.length) / FULL_SCALE : 0;
  }

  clear(): void {
    this.samples.fill(0);
    this.level = 0;
  }

  /** Return the lowest and the highest sample of each of `columns` equal parts, the oldest first, from -1 to 1. */
  columns(columns: number): { low: Float32Array; high: Float32Array } {
    const [low, high, count] = [new Float32Array(columns), new Float32Array(columns), this.samples.length];
    for (let column = 0; column < columns; column++) {
      const [from, to] = [Math.floor((column * count) / columns), Math.floor(((column + 1) * count) / columns)];
      let [least, most] = [FULL_SCALE, -FULL_SCALE];
      for (let i = from; i < to; i++) {
        const sample = this.samples[(this.place + i) % count];
        if (sample < least) least = sample;
        if (sample > most) most = sample;
      }
      low[column] = least / FULL_SCALE;
      high[column] = most / FULL_SCALE;
    }
    return { low, high };
  }
}

/** Plays the frames of both ears one after the other. Browsers allow it only after a key or a click. */
export class EarsSound {
  private context: AudioContext | null = null;
  private next = 0;
  muted = false;

  /** Allow sound; call it while a key or a click is handled. */
  start(): void {
    try {
      this.context ??= new AudioContext({ sampleRate: RATE });
      void this.context.resume();
    } catch {
      this.context = null; // this browser has no sound
    }
  }

  get playing(): boolean {
    return !this.muted && this.context?.state === "running";
  }

  play(left: Int16Array, right: Int16Array): void {
    const context = this.context;
    if (!context || !this.playing || left.length === 0) return;
    const now = context.currentTime;
    if (this.next < now) this.next = now + LEAD_SECONDS;
    if (this.next > now + MOST_SECONDS) return;
    const buffer = context.createBuffer(2, left.length, RATE);
    [left, right].forEach((samples, ear) => {
      const channel = buffer.getChannelData(ear);
      for (let i = 0; i < samples.length; i++) channel[i] = samples[i] / FULL_SCALE;
    });
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.start(this.next);
    this.next += buffer.duration;
  }

  close(): void {
    void this.context?.close();
    this.context = null;
  }
}
