// The agent's camera: a picture of a scene by casting one ray per pixel against analytic forms.
//
// The tables are those of puzzlebox.scene.scene, byte for byte. Work is split in two: `camera.cpp` brings every part
// into the frame of the eye and finds the rectangle of the picture it can be in (plain code, once per part), and
// `camera_kernel.inc` (compiled once per instruction set) does what is done per pixel.
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
#pragma pack(pop)

enum class Form : std::uint8_t { kBox, kBall, kWedge, kTube, kCylinder, kCapsule, kEllipsoid, kHull };
enum class Pattern : std::uint8_t {
  kPlain, kBricks, kStripes, kTiles, kPickets, kPlanks, kGrass, kGradient, kStone, kCardboard, kSymbol, kRing, kFur,
  kSpines
};
constexpr std::uint8_t kGlows = 1, kSeeThrough = 2;
constexpr std::uint32_t kHidden = 1;
constexpr int kMask = 128;

// What the `ids` of a picture say where no thing is.
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
};

struct View {
  float eye[3];
  float heading_degrees, pitch_degrees;
  float fov_degrees;  // across the shorter side of the picture
  int skip_thing;  // the animal that looks, or -1
};

struct Picture {
  std::uint8_t* image;
  int height, width, channels;
  float* distance;    // along the axis of view, infinite in the sky; or null
  std::int32_t* ids;  // or null
  bool through;       // distances and ids are those of what is opaque, else of what is nearest
};

// Throws std::invalid_argument where the tables contradict each other.
void paint(const Scene& scene, const View& view, const Picture& picture);

// How much of the sun each pixel's place sees (0 to 1), for the large painter; `picture.image` is left alone.
// The sun is `samples` points, at most 64, on a disc of the radius `spread` one metre away.
void shade(const Scene& scene, const View& view, const Picture& picture, int samples, float spread, float* out);

// The instruction set the camera uses: "avx512", "avx2" or "baseline"; and a way to choose a lesser one, for tests.
const char* camera_level();
bool set_camera_level(const char* name);

}  // namespace puzzlebox
