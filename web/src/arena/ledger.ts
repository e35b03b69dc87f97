// What the page has seen done and does not know as stored: enough to go on after the server was lost, even after a reload.

/** The server takes no more actions than this at once. */
export const MOST_ACTIONS = 3000;

export interface Kept {
  episode: string;
  stored: number;
  actions: number[];
  /** The number of its arena, from 1: an episode nobody has begun is known nowhere else. */
  arena?: number;
}

export class Ledger {
  episode: string | null = null;
  /** The last step the server said is stored. */
  stored = 0;
  /** The last step seen. */
  latest = 0;
  /** The number of the arena it is in, from 1. */
  arena: number | null = null;
  private actions = new Map<number, number>();

  /** An episode begins, or is resumed. */
  begin(episode: string, step: number): void {
    if (episode !== this.episode) {
      this.episode = episode;
      this.stored = step;
      this.actions.clear();
    } else {
      // What the server does not know happened nowhere.
      for (const seen of [...this.actions.keys()]) if (seen > step) this.actions.delete(seen);
      this.stored = Math.min(this.stored, step);
    }
    this.latest = step;
  }

  /** In that physics step this was done. */
  see(step: number, action: number): void {
    if (this.episode === null || step === 0) return;
    this.latest = Math.max(this.latest, step);
    // What was seen stays: a server that rebuilds an episode builds it from that.
    if (step > this.stored && !this.actions.has(step)) this.actions.set(step, action);
  }

  /** Up to that step nothing can be lost any more. */
  store(episode: string, step: number): void {
    if (episode !== this.episode || step <= this.stored) return;
    this.stored = step;
    for (const seen of [...this.actions.keys()]) if (seen <= step) this.actions.delete(seen);
  }

  forget(): void {
    this.episode = this.arena = null;
    this.stored = this.latest = 0;
    this.actions.clear();
  }

  /** Steps that are not known to be stored. */
  get unsaved(): number {
    return Math.max(0, this.latest - this.stored);
  }

  /** What to tell the server; up to the first step that was not seen. */
  kept(): Kept | null {
    if (this.episode === null) return null;
    const actions: number[] = [];
    for (let step = this.stored + 1; this.actions.has(step) && actions.length < MOST_ACTIONS; step++) {
      actions.push(this.actions.get(step)!);
    }
    const kept: Kept = { episode: this.episode, stored: this.stored, actions };
    return this.arena === null ? kept : { ...kept, arena: this.arena };
  }

  restore(kept: Kept): void {
    this.episode = kept.episode;
    this.stored = kept.stored;
    this.arena = kept.arena ?? null;
    this.latest = kept.stored + kept.actions.length;
    this.actions = new Map(kept.actions.map((action, i) => [kept.stored + 1 + i, action]));
  }
}

/** What was kept as text, if it is what `Ledger.kept` gives. */
export function keptFrom(text: string | null): Kept | null {
  try {
    const kept = JSON.parse(text ?? "null");
    const whole = (n: unknown) => Number.isInteger(n) && (n as number) >= 0;
    const fits = kept && typeof kept.episode === "string" && whole(kept.stored) && whole(kept.arena ?? 0) && Array.isArray(kept.actions);
    return fits && kept.actions.length <= MOST_ACTIONS && kept.actions.every((a: unknown) => whole(a) && (a as number) < 9) ? kept : null;
  } catch {
    return null;
  }
}
