// How surfaces are painted, in GLSL: the patterns of native/camera_shade.inc, with more detail from near.
import { Flag, Kind, Pattern } from "./layout";

/** Bits that the page adds to a part's flags: parts of the fence, and marks that distinguish zones and goals without hue. */
export const FENCE = 4;
export const MARK = { NONE: 0, HATCH: 8, DOTS: 16, BANDS: 24, RINGS: 32 } as const;

const constants = [
  ...Object.entries(Kind).map(([name, number]) => `const int KIND_${name} = ${number};`),
  ...Object.entries(Pattern).map(([name, number]) => `const int ${name} = ${number};`),
  `const int GLOWS = ${Flag.GLOWS};`,
  `const int SEE_THROUGH = ${Flag.SEE_THROUGH};`,
  `const int FENCE = ${FENCE};`,
].join("\n");

/** Light and noise, for all surfaces. */
export const light = /* glsl */ `
uniform vec3 uSun;
uniform vec3 uSunlight;
uniform vec3 uAbove;
uniform vec3 uBeside;
uniform vec3 uBelow;
uniform float uLight;
uniform float uTime;

vec3 skylight(vec3 n) {
  return uLight * (uBeside + max(n.y, 0.0) * (uAbove - uBeside) + max(-n.y, 0.0) * (uBelow - uBeside));
}
vec3 lit(vec3 n, float shadow) {
  return skylight(n) + uLight * uSunlight * max(dot(n, uSun), 0.0) * shadow;
}
// Compress values above "from" towards 1, so that bright colours do not clip or change their hue.
vec3 compress(vec3 color, float from) {
  return min(color, from) + (1.0 - from) * (1.0 - exp(-max(color - from, 0.0) / (1.0 - from)));
}
// A pseudo-random number from 0 to 1 for each cell.
float random(vec2 cell) {
  float h = fract(cell.x * 0.754877666 + cell.y * 0.569840296);
  return fract(h * (h * 97.31 + 13.7));
}
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(random(i), random(i + vec2(1, 0)), f.x), mix(random(i + vec2(0, 1)), random(i + vec2(1, 1)), f.x), f.y);
}
`;

/** The patterns of surfaces. */
export const paint = /* glsl */ `
${constants}

// The share of a pixel that is covered by lines of a width, one in each period; lines much thinner than a pixel fade away.
float lines(float x, float size, float period, float width) {
  size = max(size, 1e-5);
  float a = (x - 0.5 * size) / period, b = (x + 0.5 * size) / period, share = width / period;
  float covered = (floor(b) - floor(a)) * share + min(fract(b), share) - min(fract(a), share);
  return min(covered * period / size, 1.0) * min(2.0 * width / size, 1.0);
}
float either(float a, float b) { return a + b - a * b; }
float visible(float size, float detail) { return clamp(1.5 - size / detail, 0.0, 1.0); }
float odd(float whole) { return whole - 2.0 * floor(whole * 0.5); }

// The share of the second colour at a position, and the brightness.
vec2 patternAt(int pattern, float scale, vec2 p, vec2 d) {
  if (!(scale > 1e-3)) scale = 1.0;
  float per = 1.0 / scale, far = max(d.x, d.y);
  if (pattern == BRICKS) {
    float row = floor(p.y * per), u = p.x + odd(row) * scale;
    float joints = either(lines(p.y, d.y, scale, 0.1 * scale), lines(u, d.x, 2.0 * scale, 0.1 * scale));
    float detail = visible(max(0.5 * d.x, d.y), scale);
    float brick = (random(vec2(floor(0.5 * u * per), row)) - 0.5) * 0.16;
    // A worn upper edge and some grain.
    float edge = lines(p.y - 0.9 * scale, d.y, scale, 0.08 * scale) * 0.08;
    float grain = (noise(p * 22.0) - 0.5) * 0.12 * visible(far, 0.05);
    return vec2(joints, 1.0 + (brick + edge * (1.0 - joints)) * detail + grain);
  }
  if (pattern == STRIPES) return vec2(lines(p.y, d.y, 2.0 * scale, scale), 1.0);
  if (pattern == TILES) {
    float row = floor(p.y * per), u = p.x + odd(row) * 0.75 * scale;
    float joints = either(lines(p.y, d.y, scale, 0.035 * scale), lines(u, d.x, 1.5 * scale, 0.035 * scale));
    float detail = visible(far, 1.5 * scale);
    float stone = (random(vec2(floor(u * per / 1.5), row)) - 0.5) * 0.22;
    float light = either(lines(p.y - 0.035 * scale, d.y, scale, 0.03 * scale),
                         lines(u - 0.035 * scale, d.x, 1.5 * scale, 0.03 * scale)) * 0.1;
    float stain = (noise(p * 1.7) - 0.5) * 0.1 + (noise(p * 9.0) - 0.5) * 0.07 * visible(far, 0.12)
                + (noise(p * 47.0) - 0.5) * 0.1 * visible(far, 0.025);
    return vec2(joints, 1.0 + stone * detail + light * (1.0 - joints) + stain);
  }
  if (pattern == PICKETS) {
    float rails = lines(p.y - 0.6 * scale, d.y, 3.0 * scale, 0.3 * scale);
    return vec2(lines(p.x, d.x, scale, 0.22 * scale) * (1.0 - rails), 1.0);
  }
  if (pattern == PLANKS) {
    float row = floor(p.y * per), u = p.x + random(vec2(row, 7.0)) * 8.0 * scale;
    float joints = either(lines(p.y, d.y, scale, 0.06 * scale), lines(u, d.x, 8.0 * scale, 0.06 * scale));
    float detail = visible(max(0.1 * d.x, d.y), scale);
    float board = (random(vec2(floor(0.125 * u * per), row)) - 0.5) * 0.2;
    float grain = (noise(vec2(u * 1.5, p.y * 38.0)) - 0.5) * 0.16 * visible(far, 0.04);
    return vec2(joints, 1.0 + board * detail + grain);
  }
  if (pattern == GRASS) {
    float tufts = noise(p * per), blades = noise(p * 7.0 * per), meadow = noise(p * 0.35);
    return vec2(tufts * visible(far, scale) * 0.5 + blades * visible(far, 0.2 * scale) * 0.4,
                0.94 + 0.14 * meadow);
  }
  if (pattern == STONE) {
    float stain = noise(p * per);
    float vein = abs(noise(vec2(p.x * 0.6 * per + stain, p.y * 1.7 * per)) - 0.5);
    float veins = clamp(1.0 - vein * 14.0, 0.0, 1.0);
    float grain = (noise(p * 40.0) - 0.5) * 0.12 * visible(far, 0.03);
    return vec2((veins * 0.6 + stain * 0.2) * visible(far, 0.5 * scale), 1.0 + grain);
  }
  if (pattern == CARDBOARD) {
    float fibres = (noise(vec2(p.x * 60.0, p.y * 9.0)) - 0.5) * 0.07 * visible(far, 0.02);
    return vec2(lines(p.x, d.x, scale, 0.3 * scale) * 0.35, 1.0 + fibres);
  }
  if (pattern == FUR) return vec2(noise(vec2(p.x * per, p.y * 0.35 * per)) * visible(far, scale) * 0.7, 1.0);
  if (pattern == SPINES) {
    float row = floor(p.y * per), a = fract(p.x * per + odd(row) * 0.5) - 0.5, b = fract(p.y * per) - 0.5;
    return vec2(clamp(1.6 - (a * a + b * b) * 14.0, 0.0, 1.0) * visible(far, 0.7 * scale), 1.0);
  }
  return vec2(0.0, 1.0);
}

// Goals that change with time: on six sides a black square with four arms, and in it a ring that fills with time.
vec3 ringAt(vec3 own, vec3 other, float value, vec3 n, float size) {
  vec3 m = abs(n);
  bool onX = max(m.y, m.z) < m.x, onY = max(m.x, m.z) < m.y;
  float i = 1.0 / max(max(m.x, max(m.y, m.z)), 1e-6);
  float a = (onX ? n.z : n.x) * i, b = (onY ? n.z : n.y) * i;
  float wide = abs(a), high = abs(b), radius = length(vec2(a, b)), blur = 1.0 / max(size, 0.004);
  #define INSIDE(depth) clamp(0.5 + (depth) * blur, 0.0, 1.0)
  float square = INSIDE(0.44 - max(wide, high)) * INSIDE(0.56 - radius);
  float arms = INSIDE(0.09 - abs(wide - high)) * INSIDE(0.57 - radius) * INSIDE(radius - 0.3);
  float ring = INSIDE(0.07 - abs(radius - 0.23));
  float around = fract(atan(a, b) / 6.2831853 + 1.0);
  float filled = value > 0.0 ? INSIDE((value - around) * 1.5) : 0.0;
  // A spark runs along the filled part of the ring.
  float spark = uTime > 0.0 ? 0.5 * exp(-22.0 * abs(around - value * fract(uTime * 0.4))) : 0.0;
  vec3 color = mix(own, vec3(0.01), square);
  color = mix(color, other * (0.95 + 0.08 * sin(uTime * 2.2)) + spark * ring * filled, either(arms, ring * filled));
  return mix(color, own, INSIDE(0.14 - radius));
}
`;
