// The actions of an episode that the server has not confirmed as stored. With them the server can resume the episode after a
// lost connection or a reload of the page.

/** The largest number of actions that the server accepts in one message. */
export const MOST_ACTIONS = 3000;

/** The part of a ledger that is sent to the server and kept over a reload. */
export interface Snapshot {
  episode: string;
  stored: number;
  actions: number[];
  /** The number of the arena, from 1. The server has no record of an episode that has not begun. */
  arena?: number;
}

export class Ledger {
  episode: string | null = null;
  /** The last step that the server has confirmed as stored. */
  stored = 0;
  /** The last step that the page has received. */
  latest = 0;
  /** The number of the arena, from 1. */
  arena: number | null = null;
  private actions = new Map<number, number>();

  /** Start with an episode at a step: a new one, or one that is resumed. */
  begin(episode: string, step: number): void {
    if (episode !== this.episode) {
      this.episode = episode;
      this.stored = step;
      this.actions.clear();
    } else {
      // Steps that the server does not have are not part of the episode.
      for (const later of [...this.actions.keys()]) if (later > step) this.actions.delete(later);
      this.stored = Math.min(this.stored, step);
    }
    this.latest = step;
  }

  /** Note the action of a physics step. */
  note(step: number, action: number): void {
    if (this.episode === null || step === 0) return;
    this.latest = Math.max(this.latest, step);
    // The first action noted for a step stays: a server that rebuilds the episode uses it.
    if (step > this.stored && !this.actions.has(step)) this.actions.set(step, action);
  }

  /** Note that the server has stored an episode up to a step. */
  confirm(episode: string, step: number): void {
    if (episode !== this.episode || step <= this.stored) return;
    this.stored = step;
    for (const earlier of [...this.actions.keys()]) if (earlier <= step) this.actions.delete(earlier);
  }

  forget(): void {
    this.episode = this.arena = null;
    this.stored = this.latest = 0;
    this.actions.clear();
  }

  /** The number of steps that are not confirmed as stored. */
  get unsaved(): number {
    return Math.max(0, this.latest - this.stored);
  }

  /** Return the actions after the last confirmed step, up to the first step that is missing. */
  snapshot(): Snapshot | null {
    if (this.episode === null) return null;
    const actions: number[] = [];
    for (let step = this.stored + 1; this.actions.has(step) && actions.length < MOST_ACTIONS; step++) {
      actions.push(this.actions.get(step)!);
    }
    const snapshot: Snapshot = { episode: this.episode, stored: this.stored, actions };
    return this.arena === null ? snapshot : { ...snapshot, arena: this.arena };
  }

  restore({ episode, stored, actions, arena }: Snapshot): void {
    this.episode = episode;
    this.stored = stored;
    this.arena = arena ?? null;
    this.latest = stored + actions.length;
    this.actions = new Map(actions.map((action, i) => [stored + 1 + i, action]));
  }
}

/** Return the snapshot in a stored text, or null if it is not a valid one. */
export function snapshotFrom(text: string | null): Snapshot | null {
  try {
    const value = JSON.parse(text ?? "null");
    const isCount = (n: unknown) => Number.isInteger(n) && (n as number) >= 0;
    const valid = value && typeof value.episode === "string" && isCount(value.stored) && isCount(value.arena ?? 0) && Array.isArray(value.actions);
    return valid && value.actions.length <= MOST_ACTIONS && value.actions.every((a: unknown) => isCount(a) && (a as number) < 9) ? value : null;
  } catch {
    return null;
  }
}
