// The connection of a page that plays or watches, in any wing. If it is lost, it is opened again, and the page resumes its
// episode with the steps that the server has not confirmed as stored; they are kept over a reload, too.
import { isParticipantLink } from "./route";
import { readStorage, writeStorage } from "./storage";

/** The state of the connection. lost, full, later: the page tries again by itself. refused: it does not. elsewhere: another
 * tab plays the episode. */
export type LinkState = "connecting" | "open" | "lost" | "full" | "later" | "refused" | "elsewhere";
export type TextMessage = { type: string } & Record<string, any>;

/** The steps that are not stored yet. */
export interface Unstored {
  readonly unsaved: number;
  snapshot(): object | null;
  forget(): void;
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

export abstract class PlayConnection {
  abstract readonly ledger: Unstored;
  state: LinkState = "connecting";
  protected attempts = 0;
  /** The reason why the server asks this page to try again later. */
  protected retryReason = "";
  /** The reason why the server cannot record at the moment. */
  protected trouble = "";
  private socket: WebSocket | null = null;
  private retryTimer = 0;
  private saveTimer = 0;
  private closed = false;

  constructor(private readonly address: string, private readonly storageKey: string) {}

  /** Send the first messages of a connection. */
  protected abstract greet(): void;
  protected abstract receiveText(message: TextMessage): void;
  protected abstract receiveBinary(buffer: ArrayBuffer): void;
  /** The state of the connection has changed; the sentence gives the reason, or is "". */
  protected abstract report(state: LinkState, sentence: string): void;
  /** Receive the reason why nothing can be recorded at the moment; "" once recording works again. */
  protected abstract reportTrouble(trouble: string): void;

  /** Return the text that was kept over a reload. */
  protected get kept(): string | null {
    return readStorage(this.storageKey);
  }

  /** Open the connection for the first time. */
  protected begin(): void {
    this.saveTimer = window.setInterval(this.save, SAVE_INTERVAL_MS);
    addEventListener("pagehide", this.save);
    this.open();
  }

  /** Close the connection for good. The episode is not resumed later, unless some of its steps could not be stored. */
  close(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    clearInterval(this.saveTimer);
    removeEventListener("pagehide", this.save);
    const safe = this.ledger.unsaved === 0 || (this.state === "open" && !this.trouble);
    if (safe) writeStorage(this.storageKey, null);
    else this.save();
    this.socket?.close();
  }

  send(message: TextMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  protected open(): void {
    clearTimeout(this.retryTimer);
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => this.greet();
    socket.onmessage = ({ data }) => {
      if (socket !== this.socket) return;
      if (typeof data === "string") this.receiveText(JSON.parse(data));
      else this.receiveBinary(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.onClose(code);
    };
  }

  /** Connect at once, and say so. */
  protected reopen(): void {
    this.setState("connecting", "Connecting …");
    this.open();
  }

  /** Handle an `error` message of the server, which then closes the connection. */
  protected refuse(message: TextMessage, discard: boolean): void {
    if (message.elsewhere) this.setState("elsewhere", OPEN_ELSEWHERE);
    else if (message.full) this.setState("full", message.message);
    else if (message.retry) this.retryReason = String(message.message);
    else {
      if (discard) this.forget();
      this.setState("refused", message.message);
    }
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

  protected setState(state: LinkState, sentence = ""): void {
    this.state = state;
    this.report(state, sentence);
  }

  protected setTrouble(trouble: string): void {
    this.trouble = trouble;
    this.reportTrouble(trouble);
  }

  protected forget(): void {
    this.ledger.forget();
    writeStorage(this.storageKey, null);
  }

  private readonly save = (): void => {
    const snapshot = this.ledger.snapshot();
    writeStorage(this.storageKey, snapshot && JSON.stringify(snapshot));
  };
}

/** Return the address of a socket of the studio. The query of a participant's link is part of it: the server checks its key. */
export function socketAddress(path: string): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}${isParticipantLink() ? location.search : ""}`;
}
