// The connection of one participant, or of one watched agent, to the server. If it is lost, it is opened again and the
// episode is resumed.
import type { WorldEvent } from "../lib/api";
import { PlayConnection, socketAddress, type LinkState, type TextMessage } from "../lib/playConnection";
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

export class Connection extends PlayConnection {
  readonly ledger = new Ledger();
  private keyMessages = 0;
  private action = 0;
  private paused = false;
  private hidden = false;
  private episodeReceived = false;

  constructor(private readonly request: PlayRequest, private readonly listener: Listener, address = socketAddress("/ws")) {
    super(address, `puzzlebox.episode ${JSON.stringify(request)}`);
    const snapshot = snapshotFrom(this.kept);
    if (snapshot) this.ledger.restore(snapshot);
    this.begin();
  }

  /** Resume the episode that another tab has taken over; that tab stops. */
  takeOver(): void {
    if (this.state === "elsewhere") this.reopen();
  }

  /** Try at once to get a place, if all were taken. */
  retry(): void {
    if (this.state === "full") this.open();
  }

  /** Start again after a refusal. The unsaved steps of the episode before are discarded. */
  startOver(): void {
    if (this.state !== "refused") return;
    this.forget();
    this.reopen();
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

  protected greet(): void {
    this.episodeReceived = false;
    const greeting = this.greeting();
    this.send(greeting);
    if (this.paused) this.pause(true);
    if (this.hidden) this.send({ type: "hidden", on: true });
    // After a loss action 0 is sent as well: keys may have been released in the meantime.
    if (this.action !== 0 || greeting.type === "resume") this.send({ type: "keys", key: ++this.keyMessages, action: this.action });
  }

  /** The first message of a connection. */
  private greeting(): TextMessage {
    const snapshot = this.ledger.snapshot();
    if (!snapshot) return { type: "start", ...this.request };
    const { task, seed, agent, participant } = this.request;
    // The server knows the current arena of a participant from the recordings.
    const arena = participant === null ? (snapshot.arena ?? this.request.arena) : this.request.arena;
    return { type: "resume", episode: snapshot.episode, step: snapshot.stored, actions: snapshot.actions, task, arena, seed, agent, participant };
  }

  protected report(state: LinkState, sentence: string): void {
    this.listener.link(state, sentence);
  }

  protected reportTrouble(trouble: string): void {
    this.listener.recording?.(trouble);
  }

  protected receiveText(message: TextMessage): void {
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
        // Unsaved steps are discarded here only if the server cannot use them, or an agent played them.
        this.refuse(message, message.gone || this.ledger.unsaved === 0 || this.request.agent !== null);
        break;
    }
  }

  protected receiveBinary(buffer: ArrayBuffer): void {
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
}
