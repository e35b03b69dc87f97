// The connection of one participant, or of one watched agent, to the server. If it is lost, it is opened again and the
// episode is resumed.
import type { WorldEvent } from "../lib/api";
import { isParticipantLink } from "../lib/route";
import { decode, type FrameMessage } from "../scene/decode";
import { Message } from "../scene/layout";
import { Ledger, snapshotFrom } from "./ledger";

/** What to play or watch; null: left to the server. */
export interface PlayRequest {
  task: string | null;
  arena: number | string | null;
  seed: number | string | null; // a text is refused with a sentence
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
  /** Whether the notification that is shown reports success; null: none is shown. */
  notified: boolean | null;
  step: number;
  note?: string | null;
}
export interface EndedMessage {
  type: "ended";
  episode: string;
  step: number;
  cause: string;
  /** null: neither passed nor failed. */
  passed: boolean | null;
  return: number;
  pause?: number;
  /** Whether this was the last episode. */
  last?: boolean;
}
export interface FinishedMessage {
  type: "finished";
  title: string;
  /** Whether another round may be played. */
  again: boolean;
  /** Whether anything was recorded. */
  recorded: boolean;
}

/** The state of the connection. lost, full, later: the page tries again by itself. refused: it does not. elsewhere: another
 * tab plays the episode. */
export type LinkState = "connecting" | "open" | "lost" | "full" | "later" | "refused" | "elsewhere";

export interface SensesMessage {
  camera: [width: number, height: number, channels: number];
  rays: number;
  used: { camera: boolean; rays: boolean };
}

export interface Listener {
  /** Receive a binary message for the picture. */
  draw(message: ArrayBuffer): void;
  frame(frame: FrameMessage): void;
  episode(message: EpisodeMessage): void;
  events(events: WorldEvent[]): void;
  ended(message: EndedMessage): void;
  /** The last arena has been played. */
  finished?(message: FinishedMessage): void;
  /** The state of the connection has changed; `sentence` gives the reason, or is "". */
  link(state: LinkState, sentence: string): void;
  /** Receive the reason why nothing can be recorded at the moment; "" once recording works again. */
  recording?(trouble: string): void;
  /** Receive a description of the watched agent's senses. */
  senses?(message: SensesMessage): void;
}

/** Delays before the attempts to connect again, in milliseconds; the last one repeats. */
const RETRY_DELAYS_MS = [250, 500, 1000, 2000, 4000];
/** The code with which the server closes the connection if another tab resumes the episode. */
const CLOSED_ELSEWHERE = 4001;
const OPEN_ELSEWHERE = "This task is open in another tab or window.";
/** The mean delay before the next attempt if all places are taken; it varies, so that waiting pages do not come all at once. */
const FULL_DELAY_MS = 15_000;
/** The interval at which the unsaved steps are written to the session storage, for a reload. */
const SAVE_INTERVAL_MS = 250;

export class Connection {
  readonly ledger = new Ledger();
  state: LinkState = "connecting";
  private socket: WebSocket | null = null;
  private attempts = 0;
  private retryTimer = 0;
  private saveTimer = 0;
  private closed = false;
  private keyMessages = 0;
  private action = 0;
  private paused = false;
  private hidden = false;
  private episodeReceived = false;
  /** The reason why the server asks this page to try again later. */
  private retryReason = "";
  /** The reason why the server cannot record at the moment. */
  private trouble = "";
  private readonly storageKey: string;

  constructor(private readonly request: PlayRequest, private readonly listener: Listener, private readonly address = socketAddress()) {
    this.storageKey = `puzzlebox.episode ${JSON.stringify(request)}`;
    const snapshot = snapshotFrom(readStorage(this.storageKey));
    if (snapshot) this.ledger.restore(snapshot);
    this.saveTimer = window.setInterval(() => this.saveLedger(), SAVE_INTERVAL_MS);
    addEventListener("pagehide", this.saveLedger);
    this.open();
  }

  /** Close the connection for good. The episode is not resumed later, unless some of its steps could not be stored. */
  close(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.saveTimer);
    removeEventListener("pagehide", this.saveLedger);
    const safe = this.ledger.unsaved === 0 || (this.state === "open" && !this.trouble);
    if (safe) writeStorage(this.storageKey, null);
    else this.saveLedger();
    this.socket?.close();
  }

  /** Resume the episode that another tab has taken over; that tab stops. */
  takeOver(): void {
    if (this.state !== "elsewhere") return;
    this.setState("connecting", "Connecting …");
    this.open();
  }

  /** Try at once to get a place, if all were taken. */
  retry(): void {
    if (this.state !== "full") return;
    clearTimeout(this.retryTimer);
    this.open();
  }

  /** Start again after a refusal. The unsaved steps of the episode before are discarded. */
  startOver(): void {
    if (this.state !== "refused") return;
    this.forget();
    this.setState("connecting", "Connecting …");
    this.open();
  }

  /** Send the action of the held keys if it has changed; return the number of the last such message. */
  act(action: number): number {
    if (action === this.action) return this.keyMessages;
    this.action = action;
    this.send({ type: "keys", key: ++this.keyMessages, action });
    return this.keyMessages;
  }

  pause(on: boolean): void {
    this.paused = on;
    this.send({ type: "pause", on });
  }

  /** Report whether the page is hidden; the server pauses the episode meanwhile. */
  hide(on: boolean): void {
    if (on === this.hidden) return;
    this.hidden = on;
    this.send({ type: "hidden", on });
  }

  send(message: { type: string } & Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.episodeReceived = false;
    socket.onopen = () => {
      const greeting = this.greeting();
      this.send(greeting);
      if (this.paused) this.pause(true);
      if (this.hidden) this.send({ type: "hidden", on: true });
      // After a loss action 0 is sent as well: keys may have been released in the meantime.
      if (this.action !== 0 || greeting.type === "resume") this.send({ type: "keys", key: ++this.keyMessages, action: this.action });
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.receiveText(JSON.parse(data));
      else this.receiveBinary(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.onClose(code);
    };
  }

  /** The first message of a connection. */
  private greeting(): { type: string } & Record<string, unknown> {
    const snapshot = this.ledger.snapshot();
    if (!snapshot) return { type: "start", ...this.request };
    const { task, seed, agent, participant } = this.request;
    // The server knows the current arena of a participant from the recordings.
    const arena = participant === null ? (snapshot.arena ?? this.request.arena) : this.request.arena;
    return { type: "resume", episode: snapshot.episode, step: snapshot.stored, actions: snapshot.actions, task, arena, seed, agent, participant };
  }

  private onClose(code: number): void {
    if (this.closed || this.state === "refused" || this.state === "elsewhere") return;
    if (code === CLOSED_ELSEWHERE) return this.setState("elsewhere", OPEN_ELSEWHERE);
    if (this.state === "full") {
      this.retryTimer = window.setTimeout(() => this.open(), FULL_DELAY_MS * (0.75 + Math.random() / 2));
      return;
    }
    if (this.retryReason) this.setState("later", this.retryReason);
    else this.setState("lost", "Connection lost. Trying again …");
    this.retryReason = "";
    this.setTrouble("");
    this.retryTimer = window.setTimeout(() => this.open(), RETRY_DELAYS_MS[Math.min(this.attempts++, RETRY_DELAYS_MS.length - 1)]);
  }

  private setState(state: LinkState, sentence = ""): void {
    this.state = state;
    this.listener.link(state, sentence);
  }

  private receiveText(message: { type: string } & Record<string, any>): void {
    switch (message.type) {
      case "episode":
        this.attempts = 0;
        this.episodeReceived = true;
        this.ledger.begin(String(message.episode), message.step);
        this.ledger.arena = Number.isInteger(message.position) ? message.position + 1 : null;
        this.setState("open");
        this.listener.episode(message as EpisodeMessage);
        break;
      case "events": this.listener.events(message.events); break;
      case "ended": this.listener.ended(message as EndedMessage); break;
      case "finished":
        this.attempts = 0;
        // A connection that begins after the last episode finds all of it stored.
        if (!this.episodeReceived && this.ledger.episode !== null) this.ledger.confirm(this.ledger.episode, this.ledger.latest);
        this.setState("open");
        this.listener.finished?.(message as FinishedMessage);
        break;
      case "senses": this.listener.senses?.(message as unknown as SensesMessage); break;
      case "recording": this.setTrouble(message.trouble ?? ""); break;
      case "stored": this.ledger.confirm(String(message.episode), message.step); break;
      case "error":
        if (message.elsewhere) {
          this.setState("elsewhere", OPEN_ELSEWHERE);
          break;
        }
        if (message.full) {
          this.setState("full", message.message);
          break;
        }
        if (message.retry) {
          this.retryReason = String(message.message);
          break;
        }
        // Unsaved steps are discarded here only if the server cannot use them, or an agent played them.
        if (message.gone || this.ledger.unsaved === 0 || this.request.agent !== null) this.forget();
        this.setState("refused", message.message);
        break;
    }
  }

  private receiveBinary(buffer: ArrayBuffer): void {
    const kind = new Uint8Array(buffer, 0, 1)[0];
    if (kind === Message.ACTIONS) {
      const { first, actions } = decode(buffer) as { first: number; actions: Uint8Array };
      actions.forEach((action, i) => this.ledger.note(first + i, action));
    } else if (kind === Message.FRAME) {
      const frame = decode(buffer) as FrameMessage;
      this.ledger.note(frame.step, frame.action);
      this.listener.draw(buffer);
      this.listener.frame(frame);
    } else this.listener.draw(buffer);
  }

  private setTrouble(trouble: string): void {
    this.trouble = trouble;
    this.listener.recording?.(trouble);
  }

  private forget(): void {
    this.ledger.forget();
    writeStorage(this.storageKey, null);
  }

  private readonly saveLedger = (): void => {
    const snapshot = this.ledger.snapshot();
    writeStorage(this.storageKey, snapshot && JSON.stringify(snapshot));
  };
}

// The query of a participant's link is part of the address: the server checks its key.
function socketAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws${isParticipantLink() ? location.search : ""}`;
}

// The browser may forbid storage; then a reload starts a new episode.
function readStorage(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
function writeStorage(key: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Nothing is stored.
  }
}
