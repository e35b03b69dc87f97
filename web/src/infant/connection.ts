// The connection of a page that plays an infant task. If it is lost, it is opened again and the episode is resumed.
import { PlayConnection, socketAddress, type LinkState, type TextMessage } from "../lib/playConnection";
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

export interface Listener {
  episode(message: EpisodeMessage): void;
  frame(frame: Frame): void;
  goal(goal: string): void;
  ended(message: EndedMessage): void;
  link(state: LinkState, sentence: string): void;
  /** Receive the reason why nothing can be recorded at the moment; "" once recording works again. */
  recording(trouble: string): void;
}

export class Connection extends PlayConnection {
  readonly ledger = new Ledger();
  private keys = 0;
  private values: number[] = [];

  constructor(private readonly request: PlayRequest, private readonly listener: Listener, address = socketAddress("/ws/infant")) {
    super(address, `puzzlebox.infant ${JSON.stringify(request)}`);
    const snapshot = snapshotFrom(this.kept);
    if (snapshot) this.ledger.restore(snapshot);
    this.begin();
  }

  /** Connect at once: to take over from another tab, to get a place, or to start again after a refusal. */
  retry(): void {
    if (this.state === "open" || this.state === "connecting") return;
    if (this.state === "refused") this.forget();
    this.reopen();
  }

  /** Send the values of the controls if they have changed; return the number of the last such message. */
  act(values: number[]): number {
    if (values.length === this.values.length && values.every((each, i) => each === this.values[i])) return this.keys;
    this.values = values;
    this.send({ type: "keys", key: ++this.keys, values });
    return this.keys;
  }

  protected greet(): void {
    const snapshot = this.request.agent === null && this.request.shown === null ? this.ledger.snapshot() : null;
    this.send({ type: snapshot ? "resume" : "start", ...this.request, ...snapshot });
  }

  protected report(state: LinkState, sentence: string): void {
    this.listener.link(state, sentence);
  }

  protected reportTrouble(trouble: string): void {
    this.listener.recording(trouble);
  }

  protected receiveBinary(buffer: ArrayBuffer): void {
    const frame = decodeFrame(buffer);
    this.ledger.note(frame.step, frame.action);
    this.listener.frame(frame);
  }

  protected receiveText(message: TextMessage): void {
    switch (message.type) {
      case "episode":
        this.attempts = 0;
        this.ledger.begin(message.episode, message.step);
        this.values = message.controls.map(() => 0);
        this.setState("open");
        this.listener.episode(message as unknown as EpisodeMessage);
        break;
      case "goal": this.listener.goal(message.goal); break;
      case "stored": this.ledger.confirm(message.step); break;
      case "ended":
        this.ledger.end();
        this.listener.ended(message as unknown as EndedMessage);
        break;
      case "recording": this.setTrouble(message.trouble ?? ""); break;
      case "error": this.refuse(message, Boolean(message.gone)); break;
    }
  }
}
