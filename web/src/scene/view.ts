// The large picture of an arena: it takes the server's messages and draws once in each display frame.
import { Matrix4, Mesh, PlaneGeometry, Scene, Vector3, WebGLRenderer, type ShaderMaterial } from "three";
import { Cameras, VIEW_LABELS, VIEWS, type Standpoint, type ViewName } from "./cameras";
import { decode, FrameFlag, POSE_NUMBERS, type SceneMessage } from "./decode";
import { Marker } from "./marker";
import { Daylight, veilMaterial } from "./materials";
import { Motion } from "./motion";
import { Parts } from "./parts";
import { Governor, LEVELS, type Quality } from "./quality";
import { SurroundingsView } from "./surroundings";

export { VIEW_LABELS, VIEWS, type ViewName };

/** The message for a browser in which an ArenaView cannot be created. */
export const NO_WEBGL = "This browser cannot draw the arena: WebGL 2 is missing or switched off.";

export interface ViewOptions {
  quality?: Quality;
  /** Show no animations, only the motion of things. */
  reducedMotion?: boolean;
  colourBlind?: boolean;
  /** The number of the animal to follow, from 0. */
  animal?: number;
  /** Keep the drawn picture, so that the canvas can be copied at any time. */
  keepPicture?: boolean;
}

/** Numbers about the last picture. */
export interface ViewStats {
  view: ViewName;
  step: number; // the newest that the server sent
  position: [number, number, number];
  heading: number;
  lights: boolean;
  dark: number; // 0 to 1
  draws: number;
  triangles: number;
  scriptMs: number; // time to draw the last picture
  meanScriptMs: number; // mean over about 60 pictures
  frames: number;
  quality: string;
}

/** The time in which darkness comes or goes (docs/original/rewards.md#lights). */
const FADE_MS = 250;
/** The colour over the picture while the camera is in a hot zone (docs/original/playing.md#on-the-screen). */
const FOG = [1, 0.549, 0, 0.294];
const LARGEST_PIXEL_RATIO = 2;

export class ArenaView {
  readonly stats: ViewStats = {
    view: "third", step: 0, position: [0, 0, 0], heading: 0, lights: true, dark: 0, draws: 0, triangles: 0,
    scriptMs: 0, meanScriptMs: 0, frames: 0, quality: LEVELS[0].name,
  };
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly daylight = new Daylight();
  private readonly parts = new Parts(this.daylight);
  private readonly surroundings = new SurroundingsView();
  private readonly cameras = new Cameras();
  private readonly motion = new Motion();
  private readonly marker = new Marker();
  private readonly governor = new Governor();
  private readonly veil: Mesh<PlaneGeometry, ShaderMaterial>;
  private current: SceneMessage | null = null;
  private view: ViewName = "third";
  private quality: Quality;
  private animal: number;
  private reducedMotion: boolean;
  private lights = true;
  private lastNow = -1;

  constructor(private readonly canvas: HTMLCanvasElement, options: ViewOptions = {}) {
    this.renderer = new WebGLRenderer({
      canvas, antialias: true, powerPreference: "high-performance", preserveDrawingBuffer: options.keepPicture ?? false,
    });
    this.renderer.info.autoReset = false;
    if (drawsInSoftware(this.renderer)) this.governor.level = LEVELS.length - 1;
    this.quality = options.quality ?? "auto";
    this.animal = options.animal ?? 0;
    this.reducedMotion = options.reducedMotion ?? false;
    this.parts.setColourBlind(options.colourBlind ?? false);
    this.veil = new Mesh(new PlaneGeometry(2, 2), veilMaterial());
    this.veil.frustumCulled = false;
    this.veil.renderOrder = 10;
    this.scene.add(this.surroundings.group, this.parts.group, this.marker.mesh, this.veil);
    this.scene.matrixWorldAutoUpdate = true;
    this.applyQuality();
  }

  /** Apply a binary message of the server; only kinds 1 to 3 change the picture. */
  apply(message: ArrayBuffer, now = performance.now()): void {
    const kind = new Uint8Array(message)[0];
    if (kind > 3) return;
    const decoded = decode(message);
    if (decoded.kind === 1) this.begin(decoded);
    else if (decoded.kind === 2) {
      this.motion.push(decoded, now);
      this.lights = (decoded.flags & FrameFlag.LIGHT_ON) !== 0;
      this.stats.step = decoded.step;
    } else if (decoded.kind === 3) this.parts.change(decoded);
  }

  private begin(scene: SceneMessage): void {
    if (!this.current || scene.step < this.current.step) this.cameras.cut();
    this.current = scene;
    this.motion.begin(scene);
    this.parts.begin(scene, this.motion.poses, this.motion.states);
    this.surroundings.set(scene.surroundings, this.daylight, this.parts.material);
    this.hideOwnBody();
    this.stats.step = scene.step;
  }

  show(view: ViewName): void {
    this.view = this.stats.view = view;
    this.hideOwnBody();
    this.cameras.cut();
    // The bird's eye view is never dark: it does not fade in.
    if (view === "top") this.stats.dark = 0;
  }

  /** Follow another animal, by its number from 0. */
  follow(animal: number): void {
    this.animal = animal;
    this.hideOwnBody();
    this.cameras.cut();
  }

  set(options: Pick<ViewOptions, "quality" | "reducedMotion" | "colourBlind">): void {
    if (options.quality !== undefined) this.quality = options.quality;
    if (options.reducedMotion !== undefined) this.reducedMotion = options.reducedMotion;
    if (options.colourBlind !== undefined) this.parts.setColourBlind(options.colourBlind);
    this.applyQuality();
  }

  private hideOwnBody(): void {
    this.parts.hide(this.view === "first" && this.current ? (this.current.animals[this.animal] ?? -1) : -1);
  }

  /** Draw the picture at a time in milliseconds. */
  frame(now: number): void {
    const start = performance.now();
    const elapsed = this.lastNow < 0 ? 0 : now - this.lastNow;
    this.lastNow = now;
    if (!this.current) return;
    for (const row of this.motion.advance(now)) this.parts.move(row);
    const eye = this.standpoint();
    const row = this.current.animals[this.animal] ?? -1;
    const aspect = this.canvas.width / Math.max(1, this.canvas.height);
    const solids = () => this.parts.solids(row);
    this.cameras.place(this.view, eye, this.current.surroundings, solids, aspect, elapsed / 1000);
    this.marker.place(this.view === "top" && row >= 0, eye);
    this.parts.sort(this.cameras.camera);
    this.daylight.uniforms.uTime.value = this.reducedMotion ? 0 : (now / 1000) % 3600;
    this.drawVeil(elapsed);
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.cameras.camera);
    if (this.quality === "auto" && elapsed > 0 && this.governor.measure(elapsed)) this.applyQuality();
    this.updateStats(eye, performance.now() - start);
  }

  private standpoint(): Standpoint {
    const i = (this.current!.animals[this.animal] ?? 0) * POSE_NUMBERS;
    const p = this.motion.poses;
    if (i + 6 >= p.length) return { x: 20, y: 0.5, z: 20, heading: 0 };
    const heading = ((2 * Math.atan2(p[i + 5], p[i + 3]) * 180) / Math.PI + 720) % 360;
    return { x: p[i], y: p[i + 1], z: p[i + 2], heading };
  }

  private drawVeil(elapsed: number): void {
    const target = this.lights || this.view === "top" ? 0 : 1;
    const step = elapsed / FADE_MS;
    const dark = this.stats.dark + Math.min(step, Math.max(-step, target - this.stats.dark));
    this.stats.dark = dark;
    const fog = this.inHotZone() ? FOG[3] : 0;
    // Darkness is drawn over the fog.
    const alpha = 1 - (1 - dark) * (1 - fog);
    const share = alpha > 0 ? ((1 - dark) * fog) / alpha : 0;
    this.veil.visible = alpha > 0;
    this.veil.material.uniforms.uVeil.value = [FOG[0] * share, FOG[1] * share, FOG[2] * share, alpha];
  }

  private inHotZone(): boolean {
    for (const { matrix } of this.parts.named("HotZone")) {
      position.copy(this.cameras.camera.position).applyMatrix4(inverse.copy(matrix).invert());
      if (Math.max(Math.abs(position.x), Math.abs(position.y), Math.abs(position.z)) < 1) return true;
    }
    return false;
  }

  private updateStats(eye: Standpoint, milliseconds: number): void {
    const { stats } = this;
    stats.position = [eye.x, eye.y, eye.z];
    stats.heading = eye.heading;
    stats.lights = this.lights;
    stats.draws = this.renderer.info.render.calls;
    stats.triangles = this.renderer.info.render.triangles;
    stats.scriptMs = milliseconds;
    stats.meanScriptMs += (milliseconds - stats.meanScriptMs) / Math.min(60, stats.frames + 1);
    stats.frames++;
  }

  private applyQuality(): void {
    const level = LEVELS[this.quality === "auto" ? this.governor.level : this.quality];
    this.stats.quality = level.name;
    this.renderer.shadowMap.enabled = level.shadows > 0;
    this.surroundings.setShadows(level.shadows);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, LARGEST_PIXEL_RATIO) * level.resolution);
    this.resize();
  }

  /** Adapt the picture to the size of the canvas. */
  resize(): void {
    this.renderer.setSize(Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight), false);
  }

  /** Return the current picture as a PNG. */
  async picture(): Promise<Blob | null> {
    this.frame(this.lastNow < 0 ? 0 : this.lastNow);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  dispose(): void {
    this.parts.dispose();
    this.surroundings.dispose();
    this.marker.dispose();
    this.veil.geometry.dispose();
    this.veil.material.dispose();
    this.renderer.dispose();
  }
}

/** Return whether the browser draws without a graphics card: then it starts with the cheapest quality. */
function drawsInSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return info !== null && /swiftshader|llvmpipe|software|basic render/i.test(String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)));
}

const position = new Vector3();
const inverse = new Matrix4();
