// The actions of an episode that the server has not confirmed as stored. With them the server resumes the episode after
// a lost connection or a reload of the page.

export interface Snapshot {
  episode: string;
  step: number; // the last step that is confirmed as stored
  actions: number[][];
}

export class Ledger {
  episode: string | null = null;
  private stored = 0;
  private latest = 0;
  private ended = false;
  private actions = new Map<number, number[]>();

  /** Start with an episode at a step: a new one, or one that is resumed. */
  begin(episode: string, step: number): void {
    if (episode !== this.episode) {
      this.actions.clear();
      this.stored = step;
    }
    this.episode = episode;
    this.latest = step;
    this.ended = false;
    for (const later of [...this.actions.keys()]) if (later > step) this.actions.delete(later);
    this.stored = Math.min(this.stored, step);
  }

  /** Note the action of a step. */
  note(step: number, action: number[]): void {
    if (step <= this.latest) return;
    this.latest = step;
    this.actions.set(step, action);
  }

  /** Note that the episode is stored up to a step. An episode that is over and stored need not be resumed. */
  confirm(step: number): void {
    this.stored = Math.max(this.stored, step);
    for (const earlier of [...this.actions.keys()]) if (earlier <= step) this.actions.delete(earlier);
    if (this.ended && this.stored >= this.latest) this.forget();
  }

  end(): void {
    this.ended = true;
    this.confirm(this.stored);
  }

  forget(): void {
    this.episode = null;
    this.actions.clear();
    this.stored = this.latest = 0;
  }

  get unsaved(): number {
    return this.actions.size;
  }

  snapshot(): Snapshot | null {
    if (this.episode === null) return null;
    const steps = [...this.actions.keys()].sort((a, b) => a - b);
    return { episode: this.episode, step: this.stored, actions: steps.map((step) => this.actions.get(step)!) };
  }

  restore(snapshot: Snapshot): void {
    this.episode = snapshot.episode;
    this.stored = this.latest = snapshot.step;
    this.actions.clear();
    for (const action of snapshot.actions) this.note(this.latest + 1, action);
  }
}

/** Return the snapshot in a stored text; null if there is none. */
export function snapshotFrom(text: string | null): Snapshot | null {
  try {
    const value = JSON.parse(text ?? "null");
    const good = typeof value?.episode === "string" && Number.isInteger(value.step) && Array.isArray(value.actions);
    return good ? (value as Snapshot) : null;
  } catch {
    return null;
  }
}
