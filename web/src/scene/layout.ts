// Written by `make generated` from puzzlebox.scene, puzzlebox.render and puzzlebox.studio; do not edit.
// Offsets are bytes from the start of a row; `bytes` is its length. Numbers are little-endian.

// A symbol is MASK rows of MASK bytes in `pixels`; a plane is four f32.
export const MASK = 128;
export const PLANE = { bytes: 16 } as const;
// Inner to outer diameter of a tube.
export const TUBE_RATIO = 0.7865;

// Camera positions (puzzlebox.render.views): fields of view and angles in degrees, distances in metres.
export const CAMERAS = {
  eye_fov: 100,
  fov: 60,
  behind: 2.79,
  above: 1.12,
  pitch: -10,
  higher: [35, 50, 65, 80],
  nearest: 1.2,
  margin: 1,
} as const;

export const PART = {
  bytes: 88,
  thing: 0, // i32
  kind: 4, // u8
  pattern: 5, // u8
  flags: 6, // u8
  mark: 7, // u8
  at: 8, // f32[3]
  turn: 20, // f32[4]
  half: 36, // f32[3]
  color: 48, // f32[4]
  other: 64, // f32[4]
  first: 80, // i32
  count: 84, // i32
} as const;

export const POSE = {
  bytes: 36,
  at: 0, // f32[3]
  turn: 12, // f32[4]
  value: 28, // f32
  flags: 32, // u32
} as const;

export const SURFACE = {
  bytes: 32,
  color: 0, // f32[3]
  other: 12, // f32[3]
  pattern: 24, // f32
  scale: 28, // f32
} as const;

export const SURROUNDINGS = {
  bytes: 240,
  size: 0, // f32[2]
  floor_top: 8, // f32
  fence_top: 12, // f32
  post_top: 16, // f32
  post_width: 20, // f32
  panels: 24, // f32[2]
  ceiling: 32, // f32
  light: 36, // f32
  sun: 40, // f32[3]
  sunlight: 52, // f32[3]
  above: 64, // f32[3]
  beside: 76, // f32[3]
  below: 88, // f32[3]
  halo: 100, // f32[3]
  floor: 112, // SURFACE
  fence: 144, // SURFACE
  sky: 176, // SURFACE
  lid: 208, // SURFACE
} as const;

export const SCENE_HEAD = {
  bytes: 8,
  kind: 0, // u8
  header: 4, // u32
} as const;

export const FRAME_HEAD = {
  bytes: 32,
  kind: 0, // u8
  flags: 1, // u8
  rows: 2, // u16
  step: 4, // u32
  key: 8, // u32
  action: 12, // u8
  health: 16, // f32
  return: 20, // f32
  left: 24, // f32
  heading: 28, // f32
} as const;

export const FRAME_ROW = {
  bytes: 36,
  row: 0, // u16
  state: 2, // u16
  at: 4, // f32[3]
  turn: 16, // f32[4]
  value: 32, // f32
} as const;

export const PARTS_HEAD = {
  bytes: 4,
  kind: 0, // u8
  rows: 2, // u16
} as const;

export const PARTS_ROW = {
  bytes: 44,
  row: 0, // u16
  at: 4, // f32[3]
  half: 16, // f32[3]
  color: 28, // f32[4]
} as const;

export const ACTIONS_HEAD = {
  bytes: 12,
  kind: 0, // u8
  first: 4, // u32
  count: 8, // u16
} as const;

export const CAMERA_HEAD = {
  bytes: 4,
  kind: 0, // u8
} as const;

export const RAYS_HEAD = {
  bytes: 4,
  kind: 0, // u8
  count: 2, // u16
} as const;

export const Kind = {
  BOX: 0,
  BALL: 1,
  WEDGE: 2,
  TUBE: 3,
  CYLINDER: 4,
  CAPSULE: 5,
  ELLIPSOID: 6,
  HULL: 7,
  SKIN: 8,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export const Pattern = {
  PLAIN: 0,
  BRICKS: 1,
  STRIPES: 2,
  TILES: 3,
  PICKETS: 4,
  PLANKS: 5,
  GRASS: 6,
  GRADIENT: 7,
  STONE: 8,
  CARDBOARD: 9,
  SYMBOL: 10,
  RING: 11,
  FUR: 12,
  SPINES: 13,
} as const;
export type Pattern = (typeof Pattern)[keyof typeof Pattern];

export const Flag = {
  GLOWS: 1,
  SEE_THROUGH: 2,
  SHADOW_ONLY: 4,
} as const;
export type Flag = (typeof Flag)[keyof typeof Flag];

export const State = {
  HIDDEN: 1,
} as const;
export type State = (typeof State)[keyof typeof State];

export const Message = {
  SCENE: 1,
  FRAME: 2,
  PARTS: 3,
  CAMERA: 4,
  RAYS: 5,
  ACTIONS: 6,
} as const;
export type Message = (typeof Message)[keyof typeof Message];

export const FrameFlag = {
  LIGHT_ON: 1,
  OVER: 2,
  CANNOT_MOVE: 4,
  HEALTH_STANDS: 8,
  NOTIFICATION: 16,
  PASSED: 32,
  PAUSED: 64,
  WAITING: 128,
} as const;
export type FrameFlag = (typeof FrameFlag)[keyof typeof FrameFlag];
