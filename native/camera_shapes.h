// The input of the camera's kernels: parts in the frame of the eye.
#pragma once

#include "camera.h"
#include "mesh.h"

namespace puzzlebox {

constexpr float kNear = 0.01f, kFar = 1e30f;
constexpr int kFaces = 5;        // faces of a shape with a light of their own in `Shape::light`
constexpr int kLayers = 8;       // transparent surfaces kept per pixel, the nearest ones
constexpr float kTubeRatio = 0.7865f;
// The number of lanes of the widest kernel: rows are padded to full vectors.
constexpr int kPadding = 16;
// Few vectors hold several parts, so ids are plain numbers. The surroundings come first:
enum Background { kSky, kFloor, kCeiling, kFenceLeft, kFenceRight, kFenceNear, kFenceFar, kFirstShape };

// A plane of a hull: inside is n . p <= offset. Along a ray: n . direction = c + u a + v b.
struct Plane {
  float a, b, c;
  float rest;      // offset - n . eye, negative where the eye is outside
  float n[3], offset;  // in the frame of the part
  float light[3];
};

// A part in its own frame, as seen by the eye. A ray at (u, v) of the picture runs along c + u a + v b from `eye`. For
// shapes that this simplifies (box, wedge, ellipsoid, tube, cylinder), these are divided by the half sizes of the part.
struct Shape {
  Form form;
  Pattern pattern;
  std::uint8_t flags, mark;
  int thing;
  int id;                      // of the part, among the shapes
  int x0, x1, y0, y1;          // rectangle of the picture, ends excluded
  float eye[3], a[3], b[3], c[3];
  float half[3], unit[3];      // unit: the factors of `eye`, `a`, `b`, `c`
  float middle[3], reach;      // a bounding ball in the world, for shadows
  float turn[3][3];            // rows: the part's frame to the world's
  bool upright;                // rows of the picture are rows of the part: its y axis is the eye's up
  float color[4], other[4];
  float light[kFaces][3];      // box: the visible side along x, y, z; wedge: x, y, z, slope; tube, cylinder: ends
  float value;
  const Plane* planes;         // first those that the eye is outside of: visible faces
  int plane_count, seen_count;
  const std::uint8_t* pixels;  // kMask * kMask, or null
};

struct Frame {
  int width, height, stride;   // stride: width padded to full vectors
  float pixel;                 // size of a pixel in u and v
  const float* u;              // by column
  const float* v;              // by row
  float eye[3], right[3], up[3], forward[3];
  bool level;                  // no pitch
  const SceneSurroundings* around;
  float* depth;                // height * stride
  int* ids;
  float* scratch;              // columns for the kernel's own use, kScratchRows rows
  const Shape* shapes;         // opaque ones, then transparent ones
  int opaque_count, shape_count;
  const Picture* picture;
  const Scene* scene;
  MeshStore* mesh;             // null where there is none
  float* painted[3];           // colours of pixels that show a mesh, as large as `depth`
};

constexpr int kScratchRows = 8 + 2 * kLayers;

namespace baseline {
void paint_frame(const Frame& frame);
void shade_frame(const Frame& frame, int samples, float spread, float* out);
}
namespace avx2 {
void paint_frame(const Frame& frame);
void shade_frame(const Frame& frame, int samples, float spread, float* out);
}
namespace avx512 {
void paint_frame(const Frame& frame);
void shade_frame(const Frame& frame, int samples, float spread, float* out);
}

}  // namespace puzzlebox
