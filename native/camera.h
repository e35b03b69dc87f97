// The animal's camera: it paints a scene by casting one ray per pixel against analytic shapes.
//
// The tables are those of puzzlebox.scene.scene, byte for byte. `camera.cpp` transforms every part into the frame of
// the eye and finds the rectangle of the picture it can be in (plain code, once per part); `camera_kernel.inc`
// (compiled once per instruction set) does the work per pixel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace puzzlebox {

#pragma pack(push, 1)
struct ScenePart {
  std::int32_t thing;
  std::uint8_t kind, pattern, flags, mark;
  float at[3], turn[4], half[3], color[4], other[4];
  std::int32_t first, count;
};
struct ScenePose {
  float at[3], turn[4], value;
  std::uint32_t flags;
};
struct SceneSurface {
  float color[3], other[3], pattern, scale;
};
struct SceneSurroundings {
  float size[2], floor_top, fence_top, post_top, post_width, panels[2], ceiling, light;
  float sun[3], sunlight[3], above[3], beside[3], below[3], halo[3];
  SceneSurface floor, fence, sky, lid;
};
// A vertex of a skinned mesh in the posture in which the mesh was made; it follows up to four bones.
struct SceneVertex {
  float at[3], normal[3], color[3];
  std::uint16_t bones[4];
  float weights[4];
};
// A bone of a mesh: the row of `poses` it is, and its pose when the mesh was made.
struct SceneBone {
  std::int32_t thing;
  float at[3], turn[4];
};
#pragma pack(pop)

enum class Form : std::uint8_t { kBox, kBall, kWedge, kTube, kCylinder, kCapsule, kEllipsoid, kHull, kSkin };
enum class Pattern : std::uint8_t {
  kPlain, kBricks, kStripes, kTiles, kPickets, kPlanks, kGrass, kGradient, kStone, kCardboard, kSymbol, kRing, kFur,
  kSpines
};
constexpr std::uint8_t kGlows = 1, kSeeThrough = 2, kShadowOnly = 4;
constexpr std::uint32_t kHidden = 1;
constexpr int kMask = 128;

// The values of `ids` that are not things.
constexpr int kIdSky = -1, kIdFloor = -2, kIdFence = -3, kIdCeiling = -4;

struct Scene {
  const ScenePart* parts;
  int part_count;
  const ScenePose* poses;
  int pose_count;
  const float* planes;  // rows of four
  int plane_count;
  const std::uint8_t* pixels;  // rows of kMask
  int pixel_rows;
  const SceneSurroundings* surroundings;
  const SceneVertex* vertices;
  int vertex_count;
  const std::int32_t* triangles;  // rows of three
  int triangle_count;
  const SceneBone* bones;
  int bone_count;
};

struct View {
  float eye[3];
  float heading_degrees, pitch_degrees;
  float fov_degrees;  // across the shorter side of the picture, without its margin
  int skip_thing;  // the row that is not painted, or -1
  float roll_degrees;  // the head leans to its right
  int margin = 0;  // pixels at each edge that are beyond the field of view
};

struct Picture {
  std::uint8_t* image;
  int height, width, channels;
  float* distance;    // along the axis of view, infinite in the sky; or null
  std::int32_t* ids;  // the row of `poses` of each pixel; or null
  bool through;       // whether distances and ids ignore transparent surfaces
};

// Throws std::invalid_argument where the tables are inconsistent.
void paint(const Scene& scene, const View& view, const Picture& picture);

// Write how much of the sun the surface at each pixel sees (0 to 1); `picture.image` is not used. The sun is `samples`
// points, at most 64, on a disc of radius `spread` at a distance of one metre.
void shade(const Scene& scene, const View& view, const Picture& picture, int samples, float spread, float* out);

// The instruction set the camera uses: "avx512", "avx2" or "baseline". Tests can set a lower one.
const char* camera_level();
bool set_camera_level(const char* name);

}  // namespace puzzlebox
