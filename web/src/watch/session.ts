// One watched agent: a WebSocket that is opened again when it is lost, going on where the episode stood.
import { Message } from "../scene/layout";
import { decode, type CameraMessage, type FrameMessage, type RaysMessage } from "../scene/decode";
import type { WorldEvent } from "../lib/api";

export interface EpisodeMessage {
  type: "episode";
  episode: string | number;
  task: string | null;
  title: string;
  arena: number;
  position: number;
  arenas: number;
  size: [number, number];
  seed: number;
  time_limit: number;
  pass_mark: number;
  view: string;
  agent: string | null;
  previous_return: number | null;
  step: number;
}

export interface EndedMessage {
  type: "ended";
  episode: string | number;
  step: number;
  cause: string;
  passed: boolean;
  return: number;
}

export interface Listener {
  draw(message: ArrayBuffer): void; // what a view of the arena is fed with
  episode(message: EpisodeMessage): void;
  frame(frame: FrameMessage): void;
  events(events: WorldEvent[]): void;
  ended(message: EndedMessage): void;
  senses(camera: [number, number, number] | null, rays: number): void;
  camera(pixels: Uint8Array): void;
  rays(rays: RaysMessage["rays"]): void;
  connection(state: "open" | "lost" | "closed", sentence: string): void;
}

export interface Wanted {
  task: string | null;
  agent: string;
}

const PATIENCE = [250, 500, 1000, 2000, 4000];

export class Session {
  private socket: WebSocket | null = null;
  private timer = 0;
  private tries = 0;
  private finished = false;
  private episode: string | number | null = null;
  private stored = 0;
  private seen = new Map<number, number>(); // what was done in each step that is not stored yet
  private refused = false;
  private speed = 1;
  private paused = false;

  constructor(
    private readonly wanted: Wanted,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  close(): void {
    this.finished = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  pause(on: boolean): void {
    this.paused = on;
    this.say({ type: "pause", on });
  }

  times(speed: number): void {
    this.speed = speed;
    this.say({ type: "speed", times: speed });
  }

  restart(): void {
    this.say({ type: "restart" });
  }

  next(): void {
    this.say({ type: "next" });
  }

  view(view: string): void {
    this.say({ type: "view", view });
  }

  private say(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.refused = false;
    socket.onopen = () => {
      this.say(this.opening());
      if (this.speed !== 1) this.times(this.speed);
      if (this.paused) this.pause(true);
      this.listener.connection("open", "");
    };
    socket.onmessage = (event) => {
      this.tries = 0;
      if (typeof event.data === "string") this.text(JSON.parse(event.data));
      else this.binary(event.data);
    };
    socket.onclose = () => this.lost();
  }

  // Go on where the episode stood, or begin one.
  private opening(): object {
    const { task, agent } = this.wanted;
    if (this.episode === null) return { type: "start", task, arena: null, seed: null, agent };
    const actions: number[] = [];
    for (let step = this.stored + 1; this.seen.has(step); step++) actions.push(this.seen.get(step)!);
    return { type: "resume", episode: this.episode, step: this.stored, actions };
  }

  private lost(): void {
    if (this.finished || this.refused) return;
    const wait = PATIENCE[Math.min(this.tries++, PATIENCE.length - 1)];
    this.listener.connection("lost", "The connection is lost. Trying again …");
    this.timer = window.setTimeout(() => this.open(), wait);
  }

  private text(message: { type: string } & Record<string, any>): void {
    switch (message.type) {
      case "episode":
        if (message.episode !== this.episode) {
          this.stored = message.step;
          this.seen.clear();
        }
        this.episode = message.episode;
        this.listener.episode(message as unknown as EpisodeMessage);
        break;
      case "events":
        this.listener.events(message.events);
        break;
      case "ended":
        this.listener.ended(message as unknown as EndedMessage);
        break;
      case "stored":
        if (message.episode !== this.episode) break;
        for (let step = this.stored; step <= message.step; step++) this.seen.delete(step);
        this.stored = message.step;
        break;
      case "senses":
        this.listener.senses(message.camera, message.rays);
        break;
      case "error":
        this.refuse(message.message);
        break;
    }
  }

  private refuse(sentence: string): void {
    if (this.episode !== null) {
      // What cannot be gone on with begins anew.
      this.episode = null;
      this.stored = 0;
      this.seen.clear();
      return;
    }
    this.refused = true;
    this.listener.connection("closed", sentence);
  }

  private binary(buffer: ArrayBuffer): void {
    switch (new Uint8Array(buffer, 0, 1)[0]) {
      case Message.CAMERA:
        this.listener.camera((decode(buffer) as CameraMessage).pixels);
        return;
      case Message.RAYS:
        this.listener.rays((decode(buffer) as RaysMessage).rays);
        return;
      case Message.ACTIONS: {
        const message = decode(buffer) as { first: number; actions: Uint8Array };
        message.actions.forEach((action, place) => this.remember(message.first + place, action));
        return;
      }
      case Message.FRAME: {
        const frame = decode(buffer) as FrameMessage;
        this.remember(frame.step, frame.action);
        this.listener.draw(buffer);
        this.listener.frame(frame);
        return;
      }
      default:
        this.listener.draw(buffer);
    }
  }

  private remember(step: number, action: number): void {
    if (step > this.stored) this.seen.set(step, action);
  }
}
