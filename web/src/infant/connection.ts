// The connection of a page that plays an infant task. If it is lost, it is opened again and the episode is resumed.
import { isParticipantLink } from "../lib/route";
import type { Control } from "./controls";
import { decodeFrame, type Frame } from "./frame";
import { Ledger, snapshotFrom } from "./ledger";

export interface PlayRequest {
  task: string | null;
  seed: number | string | null; // a text is refused with a sentence
  agent: string | null;
  participant: string | null;
  /** The id of a recorded episode that is shown. */
  shown: string | null;
}

export interface EpisodeMessage {
  episode: string;
  task: string;
  title: string;
  about: string;
  reward: string;
  end: string;
  goal: string;
  hint: string;
  seed: number;
  limit: number;
  children: number;
  agent: string | null;
  participant: string | null;
  shown: boolean;
  step: number;
  note: string | null;
  views: ("near" | "room")[];
  controls: Control[];
}

export interface EndedMessage {
  step: number;
  passed: boolean | null;
  return: number;
  cause: string | null;
  /** Why it was not passed, in a sentence; "" if it was, or if the task cannot say. */
  reason: string;
  measures: Record<string, number | null>;
}

/** lost, full, later: the page tries again by itself. refused: it does not. elsewhere: another tab plays. */
export type LinkState = "connecting" | "open" | "lost" | "full" | "later" | "refused" | "elsewhere";

export interface Listener {
  episode(message: EpisodeMessage): void;
  frame(frame: Frame): void;
  goal(goal: string): void;
  ended(message: EndedMessage): void;
  link(state: LinkState, sentence: string): void;
  /** Receive the reason why nothing can be recorded at the moment; "" once recording works again. */
  recording(trouble: string): void;
}

const RETRY_DELAYS_MS = [250, 500, 1000, 2000, 4000];
const FULL_DELAY_MS = 15_000;
const SAVE_INTERVAL_MS = 250;
const CLOSED_ELSEWHERE = 4001;

export class Connection {
  readonly ledger = new Ledger();
  state: LinkState = "connecting";
  private socket: WebSocket | null = null;
  private attempts = 0;
  private retryTimer = 0;
  private closed = false;
  private later = "";
  private keys = 0;
  private values: number[] = [];
  private readonly saveTimer: number;
  private readonly storageKey: string;

  constructor(private readonly request: PlayRequest, private readonly listener: Listener, private readonly address = socketAddress()) {
    this.storageKey = `puzzlebox.infant ${JSON.stringify(request)}`;
    const snapshot = snapshotFrom(readStorage(this.storageKey));
    if (snapshot) this.ledger.restore(snapshot);
    this.saveTimer = window.setInterval(this.save, SAVE_INTERVAL_MS);
    addEventListener("pagehide", this.save);
    this.open();
  }

  /** Close the connection for good; an episode that is not over is left. */
  close(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.saveTimer);
    removeEventListener("pagehide", this.save);
    if (this.ledger.unsaved === 0 || this.state === "open") writeStorage(this.storageKey, null);
    else this.save();
    this.socket?.close();
  }

  /** Connect at once: to take over from another tab, to get a place, or to start again after a refusal. */
  retry(): void {
    if (this.state === "open" || this.state === "connecting") return;
    if (this.state === "refused") this.ledger.forget();
    clearTimeout(this.retryTimer);
    this.setState("connecting", "Connecting …");
    this.open();
  }

  /** Send the values of the controls if they have changed; return the number of the last such message. */
  act(values: number[]): number {
    if (values.length === this.values.length && values.every((each, i) => each === this.values[i])) return this.keys;
    this.values = values;
    this.send({ type: "keys", key: ++this.keys, values });
    return this.keys;
  }

  send(message: { type: string } & Record<string, unknown>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      const snapshot = this.request.agent === null && this.request.shown === null ? this.ledger.snapshot() : null;
      this.send({ type: snapshot ? "resume" : "start", ...this.request, ...snapshot });
    };
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.receive(JSON.parse(data));
      else {
        const frame = decodeFrame(data);
        this.ledger.note(frame.step, frame.action);
        this.listener.frame(frame);
      }
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.onClose(code);
    };
  }

  private receive(message: { type: string } & Record<string, any>): void {
    switch (message.type) {
      case "episode":
        this.attempts = 0;
        this.ledger.begin(message.episode, message.step);
        this.values = message.controls.map(() => 0);
        this.setState("open", "");
        this.listener.episode(message as unknown as EpisodeMessage);
        break;
      case "goal": this.listener.goal(message.goal); break;
      case "stored": this.ledger.confirm(message.step); break;
      case "ended":
        this.ledger.end();
        this.listener.ended(message as unknown as EndedMessage);
        break;
      case "recording": this.listener.recording(message.trouble ?? ""); break;
      case "error":
        if (message.retry) this.later = message.message;
        else this.setState(message.elsewhere ? "elsewhere" : message.full ? "full" : "refused", message.message);
        if (message.gone) this.ledger.forget();
        break;
    }
  }

  private onClose(code: number): void {
    if (this.closed || this.state === "refused" || this.state === "elsewhere") return;
    if (code === CLOSED_ELSEWHERE) return this.setState("elsewhere", "this task is open in another tab or window");
    let delay = RETRY_DELAYS_MS[Math.min(this.attempts++, RETRY_DELAYS_MS.length - 1)];
    if (this.state === "full") delay = FULL_DELAY_MS * (0.75 + Math.random() / 2);
    else if (this.later) this.setState("later", this.later);
    else this.setState("lost", "Connection lost. Trying again …");
    this.later = "";
    this.retryTimer = window.setTimeout(() => this.open(), delay);
  }

  private setState(state: LinkState, sentence: string): void {
    this.state = state;
    this.listener.link(state, sentence);
  }

  private readonly save = (): void => {
    const snapshot = this.ledger.snapshot();
    writeStorage(this.storageKey, snapshot && JSON.stringify(snapshot));
  };
}

// The query of a participant's link is part of the address: the server checks its key.
function socketAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/infant${isParticipantLink() ? location.search : ""}`;
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
