// The connection of a player: opened again when it is lost, going on where the episode stood.
import { decode, type FrameMessage } from "../scene/decode";
import { Message } from "../scene/layout";
import type { WorldEvent } from "../lib/api";
import { keptFrom, Ledger } from "./ledger";
import { isBound } from "../lib/route";

export interface Wanted {
  task: string | null;
  arena: number | null;
  seed: number | null;
  agent: string | null;
  participant: string | null;
}

export interface EpisodeMessage {
  type: "episode";
  episode: string;
  task: string | null;
  title: string;
  arena: number;
  position: number;
  arenas: number;
  size: [number, number];
  seed: number;
  rules: string;
  time_limit: number;
  pass_mark: number;
  can_change_perspective: boolean;
  can_reset: boolean;
  view: "first" | "third" | "top";
  notification: boolean;
  agent: string | null;
  participant: string | null;
  previous_return: number | null;
  /** Whether success is being shown at its end; null while nothing is. */
  notified: boolean | null;
  step: number;
  note?: string | null;
}
export interface EndedMessage {
  type: "ended";
  episode: string;
  step: number;
  cause: string;
  /** null: nothing decided it. */
  passed: boolean | null;
  return: number;
  pause?: number;
  /** Nothing comes after it. */
  last?: boolean;
}
export interface FinishedMessage {
  type: "finished";
  title: string;
  /** Whether another round may be played. */
  again: boolean;
  /** Whether anything was stored. */
  recorded: boolean;
}

/** lost, full, later: it will be tried again, `sentence` says why not now; refused: why not at all; elsewhere: another tab plays. */
export type LinkState = "connecting" | "open" | "lost" | "full" | "later" | "refused" | "elsewhere";

export interface SensesMessage {
  camera: [width: number, height: number, channels: number];
  rays: number;
  used: { camera: boolean; rays: boolean };
}

export interface Listener {
  /** A binary message for the picture. */
  draw(message: ArrayBuffer): void;
  frame(frame: FrameMessage): void;
  episode(message: EpisodeMessage): void;
  events(events: WorldEvent[]): void;
  ended(message: EndedMessage): void;
  /** The last arena was played; nothing follows by itself. */
  finished?(message: FinishedMessage): void;
  link(state: LinkState, sentence: string): void;
  /** Why nothing can be stored at the moment; "" once all is well again. */
  recording?(trouble: string): void;
  /** What a watched agent perceives by. */
  senses?(message: SensesMessage): void;
}

const PATIENCE_MS = [250, 500, 1000, 2000, 4000];
/** The server closes with this when the episode is resumed in another tab. */
const ELSEWHERE = 4001;
const OPEN_ELSEWHERE = "This task is open in another tab or window.";
/** All places are taken: everybody who waits asks again after about so long, not all at the same moment. */
const FULL_MS = 15_000;
/** How often what is not stored is written down for the case of a reload. */
const KEEP_MS = 250;

export class Connection {
  readonly ledger = new Ledger();
  state: LinkState = "connecting";
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer = 0;
  private keeper = 0;
  private closed = false;
  private keys = 0;
  private held = 0;
  private paused = false;
  private hidden = false;
  private introduced = false;
  /** Why the server wants this page to come back later. */
  private later = "";
  /** Why the server stores nothing at the moment. */
  private trouble = "";
  private readonly place: string;

  constructor(private readonly wanted: Wanted, private readonly listener: Listener, private readonly address = wsAddress()) {
    this.place = `puzzlebox.episode ${JSON.stringify(wanted)}`;
    const kept = keptFrom(read(this.place));
    if (kept) this.ledger.restore(kept);
    this.keeper = window.setInterval(() => this.keep(), KEEP_MS);
    addEventListener("pagehide", this.keep);
    this.open();
  }

  /** The player leaves: nothing is to be resumed, unless it waits here to be stored. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.keeper);
    removeEventListener("pagehide", this.keep);
    const safe = this.ledger.unsaved === 0 || (this.state === "open" && !this.trouble);
    if (safe) write(this.place, null);
    else this.keep();
    this.socket?.close();
  }

  /** Play here again what another tab has taken over; that one is left then. */
  takeOver(): void {
    if (this.state !== "elsewhere") return;
    this.tell("connecting", "Connecting …");
    this.open();
  }

  /** Ask again for a place, now. */
  retry(): void {
    if (this.state !== "full") return;
    clearTimeout(this.timer);
    this.open();
  }

  /** Begin anew after a refusal; what is not stored of the episode before is given up. */
  startAnew(): void {
    if (this.state !== "refused") return;
    this.forget();
    this.tell("connecting", "Connecting …");
    this.open();
  }

  /** The keys held now; sent when they mean another action than before. Gives the number of that message. */
  act(action: number): number {
    if (action === this.held) return this.keys;
    this.held = action;
    this.say({ type: "keys", key: ++this.keys, action });
    return this.keys;
  }

  pause(on: boolean): void {
    this.paused = on;
    this.say({ type: "pause", on });
  }

  /** Nobody can see the page: the episode stands still. */
  hide(on: boolean): void {
    if (on === this.hidden) return;
    this.hidden = on;
    this.say({ type: "hidden", on });
  }

  say(message: { type: string } & Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.introduced = false;
    socket.onopen = () => {
      const greeting = this.greeting();
      this.say(greeting);
      if (this.paused) this.pause(true);
      if (this.hidden) this.say({ type: "hidden", on: true });
      // Also that nothing is held: a key let go of in the meantime may be pressed anew.
      if (this.held !== 0 || greeting.type === "resume") this.say({ type: "keys", key: ++this.keys, action: this.held });
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.text(JSON.parse(data));
      else this.binary(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.lost(code);
    };
  }

  private greeting(): { type: string } & Record<string, unknown> {
    const kept = this.ledger.kept();
    if (!kept) return { type: "start", ...this.wanted };
    const { task, seed, agent, participant } = this.wanted;
    // Where a participant is in the task, the recordings say.
    const arena = participant === null ? (kept.arena ?? this.wanted.arena) : this.wanted.arena;
    return { type: "resume", episode: kept.episode, step: kept.stored, actions: kept.actions, task, arena, seed, agent, participant };
  }

  private lost(code: number): void {
    if (this.closed || this.state === "refused" || this.state === "elsewhere") return;
    if (code === ELSEWHERE) return this.tell("elsewhere", OPEN_ELSEWHERE);
    if (this.state === "full") {
      this.timer = window.setTimeout(() => this.open(), FULL_MS * (0.75 + Math.random() / 2));
      return;
    }
    if (this.later) this.tell("later", this.later);
    else this.tell("lost", "Connection lost. Trying again …");
    this.later = "";
    this.record("");
    this.timer = window.setTimeout(() => this.open(), PATIENCE_MS[Math.min(this.tries++, PATIENCE_MS.length - 1)]);
  }

  private tell(state: LinkState, sentence = ""): void {
    this.state = state;
    this.listener.link(state, sentence);
  }

  private text(message: { type: string } & Record<string, any>): void {
    switch (message.type) {
      case "episode":
        this.tries = 0;
        this.introduced = true;
        this.ledger.begin(String(message.episode), message.step);
        this.ledger.arena = Number.isInteger(message.position) ? message.position + 1 : null;
        this.tell("open");
        this.listener.episode(message as EpisodeMessage);
        break;
      case "events": this.listener.events(message.events); break;
      case "ended": this.listener.ended(message as EndedMessage); break;
      case "finished":
        this.tries = 0;
        // Whoever comes back to an end finds all of it stored.
        if (!this.introduced && this.ledger.episode !== null) this.ledger.store(this.ledger.episode, this.ledger.latest);
        this.tell("open");
        this.listener.finished?.(message as FinishedMessage);
        break;
      case "senses": this.listener.senses?.(message as unknown as SensesMessage); break;
      case "recording": this.record(message.trouble ?? ""); break;
      case "stored": this.ledger.store(String(message.episode), message.step); break;
      case "error":
        if (message.elsewhere) {
          this.tell("elsewhere", OPEN_ELSEWHERE);
          break;
        }
        if (message.full) {
          this.tell("full", message.message);
          break;
        }
        if (message.retry) {
          this.later = String(message.message);
          break;
        }
        // Steps that are not stored are given up only where they are of no use to anybody, or the player says so.
        if (message.gone || this.ledger.unsaved === 0 || this.wanted.agent !== null) this.forget();
        this.tell("refused", message.message);
        break;
    }
  }

  private binary(buffer: ArrayBuffer): void {
    const kind = new Uint8Array(buffer, 0, 1)[0];
    if (kind === Message.ACTIONS) {
      const { first, actions } = decode(buffer) as { first: number; actions: Uint8Array };
      actions.forEach((action, i) => this.ledger.see(first + i, action));
    } else if (kind === Message.FRAME) {
      const frame = decode(buffer) as FrameMessage;
      this.ledger.see(frame.step, frame.action);
      this.listener.draw(buffer);
      this.listener.frame(frame);
    } else this.listener.draw(buffer);
  }

  private record(trouble: string): void {
    this.trouble = trouble;
    this.listener.recording?.(trouble);
  }

  private forget(): void {
    this.ledger.forget();
    write(this.place, null);
  }

  private readonly keep = (): void => {
    const kept = this.ledger.kept();
    write(this.place, kept && JSON.stringify(kept));
  };
}

// A participant's link is shown at the door as well.
function wsAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws${isBound() ? location.search : ""}`;
}

// Storage may be forbidden; then a reload begins anew.
function read(place: string): string | null {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}
function write(place: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {
    // Nothing is kept.
  }
}
