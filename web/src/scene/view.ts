// The large picture of an arena: fed with the server's messages, drawn once a display frame.
export type ViewName = "first" | "third" | "top";
export interface ViewOptions {
  quality?: "auto" | 0 | 1 | 2 | 3;
  reducedMotion?: boolean;
  colourBlind?: boolean;
}
export class ArenaView {
  stats = { draws: 0, scriptMs: 0, frames: 0, quality: 0, step: 0, position: [0, 0, 0], heading: 0, view: "third" };
  constructor(_canvas: HTMLCanvasElement, _options: ViewOptions = {}) {}
  apply(_message: ArrayBuffer): void {}
  show(_view: ViewName): void {}
  frame(_now: number): void {}
  resize(): void {}
  dispose(): void {}
}
