// The materials of an arena: parts, floor, ceiling, sky and veil. They share the uniforms of its light.
import {
  BackSide, Color, DataArrayTexture, FrontSide, LinearFilter, LinearMipmapLinearFilter, RedFormat, ShaderMaterial,
  UniformsLib, UniformsUtils, Vector3, type IUniform,
} from "three";
import type { Surface, Surroundings } from "./decode";
import { MASK } from "./layout";
import { MARK, light, paint } from "./paint.glsl";

type Uniforms = Record<string, IUniform>;

/** The uniforms that all materials share: the sun, the sky, and the time in seconds for animations (0: no animation). */
export class Daylight {
  readonly uniforms: Uniforms = {
    uSun: { value: new Vector3(0, 1, 0) },
    uSunlight: { value: new Color(1, 1, 1) },
    uAbove: { value: new Color() },
    uBeside: { value: new Color() },
    uBelow: { value: new Color() },
    uLight: { value: 1 },
    uTime: { value: 0 },
  };

  set(surroundings: Surroundings): void {
    const set = (name: string, color: readonly number[]) => this.uniforms[name].value.setRGB(...color);
    this.uniforms.uSun.value.set(surroundings.sun[0], surroundings.sun[1], -surroundings.sun[2]).normalize();
    set("uSunlight", surroundings.sunlight);
    set("uAbove", surroundings.above);
    set("uBeside", surroundings.beside);
    set("uBelow", surroundings.below);
    this.uniforms.uLight.value = surroundings.light;
  }
}

const shadowVertexHead = /* glsl */ `
#include <common>
#include <shadowmap_pars_vertex>
`;

/** The steps of three's vertex shaders that shadows need. */
const vertexSteps = /* glsl */ `
  #include <beginnormal_vertex>
  #include <defaultnormal_vertex>
  #include <begin_vertex>
  #include <project_vertex>
  #include <worldpos_vertex>
`;

/** The values that the vertex shader of a part passes to its fragment shader. */
const partVaryings = /* glsl */ `
flat varying vec4 vColor;
flat varying vec4 vOther;
flat varying vec4 vHalf;
flat varying vec4 vMeta;
varying vec3 vPlace;
varying vec3 vFace;
varying vec3 vWorld;
varying vec3 vNormal;
`;

const partVertex = /* glsl */ `
${shadowVertexHead}
attribute vec4 aColor;
attribute vec4 aOther;
attribute vec4 aHalf;
attribute vec4 aMeta;
${partVaryings}

void main() {
  vColor = aColor;
  vOther = aOther;
  vHalf = aHalf;
  vMeta = aMeta;
  // In the Scene's left-handed axes.
  vPlace = vec3(position.xy, -position.z);
  vFace = vec3(normal.xy, -normal.z);
${vertexSteps}
  vWorld = (modelMatrix * instanceMatrix * vec4(position, 1.0)).xyz;
  vNormal = normalize((vec4(transformedNormal, 0.0) * viewMatrix).xyz);
  #include <shadowmap_vertex>
}
`;

const shadowFragmentHead = /* glsl */ `
#include <common>
uniform bool receiveShadow;
#include <shadowmap_pars_fragment>

// The share of sunlight that is not in shadow: the mean of nine samples of the shadow map, each interpolated.
float sunShare() {
  float shadow = 1.0;
  #if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
    vec3 at = vDirectionalShadowCoord[0].xyz / vDirectionalShadowCoord[0].w;
    at.z += directionalLightShadows[0].shadowBias;
    if (receiveShadow && at == clamp(at, 0.0, 1.0)) {
      vec2 apart = directionalLightShadows[0].shadowRadius / directionalLightShadows[0].shadowMapSize;
      shadow = 0.0;
      for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
          shadow += texture(directionalShadowMap[0], vec3(at.xy + vec2(i, j) * apart, at.z));
        }
      }
      shadow /= 9.0;
    }
  #endif
  return shadow;
}
`;

const partFragment = /* glsl */ `
${shadowFragmentHead}
${light}
${paint}
uniform highp sampler2DArray uSymbols;
${partVaryings}

void main() {
  int pattern = int(vMeta.x + 0.5), kind = int(vMeta.y + 0.5), flags = int(vMeta.z + 0.5);
  float value = vMeta.w;
  bool glows = (flags & GLOWS) != 0, through = (flags & SEE_THROUGH) != 0, fence = (flags & FENCE) != 0;
  bool isRound = kind == KIND_BALL || kind == KIND_ELLIPSOID || kind == KIND_CAPSULE || kind == KIND_CYLINDER;
  vec3 n = normalize(vNormal);
  vec3 eye = normalize(cameraPosition - vWorld);
  vec3 metres = kind == KIND_HULL ? vPlace : vPlace * vHalf.xyz;
  vec3 size = abs(dFdx(metres)) + abs(dFdy(metres));

  // The position on the surface, in metres from the lower corner.
  vec3 facingAxes = isRound ? abs(vPlace) : abs(vFace);
  bool onX = max(facingAxes.y, facingAxes.z) < facingAxes.x, onY = kind == KIND_WEDGE ? facingAxes.y > 0.3 : max(facingAxes.x, facingAxes.z) < facingAxes.y;
  vec2 uv = vec2(onX ? metres.z + vHalf.z : metres.x + vHalf.x, onY ? metres.z + vHalf.z : metres.y + vHalf.y);
  vec2 duv = vec2(onX ? size.z : size.x, onY ? size.z : size.y);
  if (kind == KIND_HULL) { uv = vec2(metres.x + metres.z, metres.y); duv = vec2(size.x + size.z, size.y); }
  if (kind == KIND_TUBE) { uv = vec2(metres.z + vHalf.z, metres.x + vHalf.x); duv = size.zx; }

  vec3 color = vColor.rgb;
  float alpha = vColor.a;
  if (pattern == SYMBOL) {
    vec2 at = clamp((1.0 - vPlace.zy) * 0.5, 0.5 / ${MASK}.0, 1.0 - 0.5 / ${MASK}.0);
    float ink = vFace.x < -0.5 ? texture(uSymbols, vec3(at, vHalf.w)).r : 0.0;
    // From near, the edge between two pixels of the mask is a sharp line.
    float blur = clamp(length(fwidth(at)) * ${MASK}.0, 0.1, 1.0) * 0.5;
    color = mix(vOther.rgb, color, smoothstep(0.5 - blur, 0.5 + blur, ink));
  } else if (pattern == RING) {
    color = ringAt(color, vOther.rgb, value, vPlace, max(size.x, max(size.y, size.z)) / max(vHalf.x, 1e-3));
  } else if (pattern == GRADIENT) {
    color = mix(color, vOther.rgb, clamp(0.5 * vPlace.y + 0.5, 0.0, 1.0));
  } else if (pattern == SPINES && length(vPlace) > 1.002) {
    color = mix(color, vOther.rgb, smoothstep(1.03, 1.13, length(vPlace)));
  } else if (pattern == SPINES) {
    color *= 0.7;
  } else if (pattern != PLAIN) {
    vec2 mixture = patternAt(pattern, vOther.w, uv, duv);
    color = mix(color, vOther.rgb, mixture.x) * mixture.y;
  }

  // Marks that distinguish zones and goals without hue.
  int mark = flags & 56;
  if (mark == ${MARK.HATCH} && onY) {
    float d = vWorld.x + vWorld.z, w = fwidth(d);
    color = mix(color, vec3(0.9), 0.55 * lines(d, w, 0.9, 0.22));
  } else if (mark == ${MARK.DOTS} && onY) {
    vec2 cell = fract(vWorld.xz / 0.8) - 0.5;
    float w = fwidth(vWorld.x) + fwidth(vWorld.z);
    color = mix(color, vec3(0.02), 0.7 * (1.0 - smoothstep(0.16, 0.16 + max(w, 0.02), length(cell))));
  } else if (mark == ${MARK.BANDS}) {
    color = mix(color, vec3(0.015), 0.8 * lines(vPlace.y + 0.1, fwidth(vPlace.y), 0.5, 0.2));
  } else if (mark == ${MARK.RINGS}) {
    color = mix(color, vec3(0.95), 0.8 * lines(vPlace.y + 0.07, fwidth(vPlace.y), 2.0, 0.14));
  }

  // The distance to the nearest edge of a flat face: edges are brighter.
  float edge = 0.0;
  if (kind == KIND_BOX) {
    vec3 inwards = (1.0 - abs(vPlace)) * vHalf.xyz;
    float nearest = onX ? min(inwards.y, inwards.z) : onY ? min(inwards.x, inwards.z) : min(inwards.x, inwards.y);
    float width = 0.02, blur = max(size.x, max(size.y, size.z));
    edge = (1.0 - smoothstep(0.5 * width, width + blur, nearest)) * clamp(width / max(blur, 1e-4), 0.0, 1.0);
  }

  float shadow = sunShare();
  float facing = max(dot(n, eye), 0.0);
  float rim = pow(1.0 - facing, 3.0);
  if (glows && !through) {
    // Glowing balls: slightly shaded, so that they do not look like discs.
    float roundness = isRound ? 0.93 + 0.09 * n.y + 0.05 * max(dot(n, uSun), 0.0) : 1.0;
    float shine = isRound && vHalf.x > 0.08 ? 0.35 * pow(max(dot(reflect(-eye, n), uSun), 0.0), 40.0) : 0.0;
    color = color * roundness + shine + color * rim * 0.12;
  } else if (glows) {
    // Glowing and transparent: a haze with slow movement.
    float flow = noise(vWorld.xz * 0.9 + vec2(uTime * 0.12, uTime * 0.07)) + 0.5 * noise(vWorld.xz * 2.3 - uTime * 0.1);
    color *= 0.86 + 0.2 * flow;
    color += edge * color * 0.6;
  } else if (fence) {
    float height = smoothstep(-0.1, 1.4, vWorld.y);
    float side = 0.985 + 0.06 * dot(n, uSun) - 0.05 * abs(n.y);
    color *= uLight * side * mix(0.84, 1.0, height) * mix(0.86, 1.0, shadow) * (1.0 + (max(value, 0.0) - 0.5) * 0.06);
    color *= 1.0 + (noise(vec2(vWorld.x + vWorld.z, vWorld.y * 0.35) * vec2(26.0, 3.0)) - 0.5) * 0.035 * visible(size.y, 0.05) * step(0.0, value);
  } else {
    vec3 shone = lit(n, shadow);
    float floorShade = mix(mix(0.74, 1.0, smoothstep(0.0, 0.55, vWorld.y)), 1.0, max(n.y, 0.0));
    if (through) {
      float gleam = 0.5 * pow(max(dot(reflect(-eye, n), uSun), 0.0), 60.0) * shadow;
      color = color * (0.35 + 0.65 * shone) + gleam + edge * 0.25;
      alpha = clamp(alpha * (0.72 + 1.1 * rim) + gleam + edge * 0.35, 0.0, 0.96);
    } else {
      color = color * shone * floorShade;
      if (isRound && pattern != SPINES) color += uLight * (0.05 * rim * uAbove + 0.06 * pow(max(dot(reflect(-eye, n), uSun), 0.0), 24.0) * shadow);
      else if (!isRound) color *= 1.0 + 0.16 * edge;
      color = compress(color, 0.78);
    }
  }
  gl_FragColor = vec4(color, alpha);
  #include <colorspace_fragment>
}
`;

const NO_SYMBOLS = symbolTexture(new Uint8Array(MASK * MASK));

/** Return the texture with the masks of symbols, one in each layer. */
export function symbolTexture(pixels: Uint8Array): DataArrayTexture {
  const layers = Math.max(1, Math.floor(pixels.length / (MASK * MASK)));
  const data = pixels.length >= MASK * MASK ? pixels : new Uint8Array(MASK * MASK);
  const texture = new DataArrayTexture(data, MASK, MASK, layers);
  texture.format = RedFormat;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

export function partMaterial(daylight: Daylight, seeThrough: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { ...UniformsUtils.clone(UniformsLib.lights), ...daylight.uniforms, uSymbols: { value: NO_SYMBOLS } },
    vertexShader: partVertex,
    fragmentShader: partFragment,
    lights: true,
    side: FrontSide,
    transparent: seeThrough,
    depthWrite: !seeThrough,
  });
}

/** The colours of a surface as uniforms. */
function colourUniforms(surface: Surface): Uniforms {
  return { uColor: { value: new Color().setRGB(...surface.color) }, uOther: { value: new Color().setRGB(...surface.other) } };
}

const levelFragment = /* glsl */ `
${shadowFragmentHead}
${light}
${paint}
uniform vec3 uColor;
uniform vec3 uOther;
uniform int uPattern;
uniform float uScale;
uniform float uFacing;
uniform vec2 uSize;
varying vec3 vWorld;

void main() {
  vec2 at = vec2(vWorld.x, -vWorld.z);
  vec2 uv = at + 1.0;
  vec2 mixture = patternAt(uPattern, uScale, uv, abs(dFdx(uv)) + abs(dFdy(uv)));
  float grain = 1.0;
  if (uPattern == PLAIN) {
    float far = length(fwidth(uv));
    grain += (noise(uv * 0.8) - 0.5) * 0.06 + (noise(uv * 13.0) - 0.5) * 0.07 * visible(far, 0.08)
           + (noise(uv * 61.0) - 0.5) * 0.08 * visible(far, 0.02);
  }
  vec3 color = mix(uColor, uOther, mixture.x) * mixture.y * grain;
  // The floor is a little darker along the fence.
  vec2 inside = min(at, uSize - at);
  float wall = uFacing > 0.0 ? mix(0.8, 1.0, smoothstep(-0.4, 1.3, min(inside.x, inside.y))) : 1.0;
  color *= lit(vec3(0.0, uFacing, 0.0), uFacing > 0.0 ? sunShare() : 1.0) * wall;
  gl_FragColor = vec4(color, 1.0);
  #include <colorspace_fragment>
}
`;

const levelVertex = /* glsl */ `
${shadowVertexHead}
varying vec3 vWorld;
void main() {
${vertexSteps}
  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  #include <shadowmap_vertex>
}
`;

/** Return the material of the floor (facing 1) or the ceiling (facing -1). */
export function levelMaterial(daylight: Daylight, surface: Surface, facing: 1 | -1, size: [number, number]): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      ...UniformsUtils.clone(UniformsLib.lights),
      ...daylight.uniforms,
      ...colourUniforms(surface),
      uPattern: { value: Math.round(surface.pattern) },
      uScale: { value: surface.scale },
      uFacing: { value: facing },
      uSize: { value: size },
    },
    vertexShader: levelVertex,
    fragmentShader: levelFragment,
    lights: true,
    side: FrontSide,
  });
}

export function skyMaterial(daylight: Daylight, surroundings: Surroundings, gradient: boolean): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: {
      ...daylight.uniforms,
      ...colourUniforms(surroundings.sky),
      uHalo: { value: new Color().setRGB(...surroundings.halo) },
      uGradient: { value: gradient ? 1 : 0 },
    },
    vertexShader: /* glsl */ `
      varying vec3 vDirection;
      void main() {
        vDirection = position;
        gl_Position = (projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0)).xyww;
      }
    `,
    fragmentShader: /* glsl */ `
      ${light}
      uniform vec3 uColor;
      uniform vec3 uOther;
      uniform vec3 uHalo;
      uniform float uGradient;
      varying vec3 vDirection;
      void main() {
        vec3 d = normalize(vDirection);
        float low = 1.0 - max(d.y, 0.0);
        vec3 color = mix(uColor, uOther, uGradient * low * low * low);
        float sun = max(dot(d, uSun), 0.0);
        color += pow(sun, 4.0) * uHalo;
        // The disc of the sun, behind a haze.
        color += uGradient * uHalo * (0.8 * pow(sun, 90.0) + 3.0 * smoothstep(0.9990, 0.9996, sun));
        if (d.y > 0.02) {
          vec2 high = d.xz / (d.y + 0.18) * 1.6 + uTime * 0.004;
          float cloud = 0.6 * noise(high) + 0.28 * noise(high * 2.3 + 7.0) + 0.14 * noise(high * 5.1);
          color = mix(color, uOther + 0.12 * uLight, uGradient * 0.42 * smoothstep(0.5, 0.85, cloud) * smoothstep(0.02, 0.3, d.y));
        }
        color *= uLight;
        color = compress(color, 0.72);
        color += (fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5) / 400.0;
        gl_FragColor = vec4(color, 1.0);
        #include <colorspace_fragment>
      }
    `,
    side: BackSide,
    depthWrite: false,
  });
}

/** Return the material of a colour over the whole picture: darkness, or the fog of a hot zone. */
export function veilMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    uniforms: { uVeil: { value: [0, 0, 0, 0] } },
    vertexShader: "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }",
    fragmentShader: "uniform vec4 uVeil; void main() { gl_FragColor = uVeil; }",
    transparent: true,
    depthTest: false,
    depthWrite: false,
  });
}
