#include "camera.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "camera_shapes.h"
#include "cpu.h"

namespace puzzlebox {

namespace {

struct Vec3 {
  float x, y, z;
  float operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
Vec3 vec3(const float* p) { return {p[0], p[1], p[2]}; }
Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 operator*(Vec3 a, float k) { return {a.x * k, a.y * k, a.z * k}; }
float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Matrix {
  Vec3 row[3];
  Vec3 column(int i) const { return {row[0][i], row[1][i], row[2][i]}; }
};
Vec3 operator*(const Matrix& m, Vec3 v) { return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)}; }
// The transposed matrix times a vector: the inverse rotation.
Vec3 back(const Matrix& m, Vec3 v) { return m.row[0] * v.x + m.row[1] * v.y + m.row[2] * v.z; }
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out;
  for (int i = 0; i < 3; ++i) out.row[i] = back(b, a.row[i]);
  return out;
}
Matrix matrix(const float* q) {
  float w = q[0], x = q[1], y = q[2], z = q[3];
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}
bool is_turned(const float* q) { return q[1] != 0 || q[2] != 0 || q[3] != 0; }

// Light of sun and sky on a face with this normal; the kernel has the same for round surfaces.
void light_face(const SceneSurroundings& a, Vec3 n, float* out) {
  float sun = std::max(0.0f, dot(n, vec3(a.sun))), up = std::max(0.0f, n.y), down = std::max(0.0f, -n.y);
  for (int i = 0; i < 3; ++i) {
    float sky = up * a.above[i] + down * a.below[i] + (1 - up - down) * a.beside[i];
    out[i] = (sun * a.sunlight[i] + sky) * a.light;
  }
}

// The smallest rectangle of u and v around some points in front of the eye.
struct Bounds {
  float u0 = kFar, u1 = -kFar, v0 = kFar, v1 = -kFar;
  void add(float x, float y, float z) {
    float i = 1 / z, u = x * i, v = y * i;
    u0 = std::min(u0, u), u1 = std::max(u1, u), v0 = std::min(v0, v), v1 = std::max(v1, v);
  }
};

// The rectangle of a box in the frame of the eye (x right, y up, z forwards): its centre and its three half edges.
Bounds around_box(Vec3 centre, const Vec3 (&edge)[3]) {
  Vec3 corner[8];
  int behind = 0;
  for (int i = 0; i < 8; ++i) {
    corner[i] = centre;
    for (int k = 0; k < 3; ++k) corner[i] = corner[i] + edge[k] * (i >> k & 1 ? 1.0f : -1.0f);
    behind += corner[i].z < kNear;
  }
  Bounds out;
  if (behind == 8) return out;
  for (int i = 0; i < 8; ++i) {
    if (corner[i].z >= kNear) out.add(corner[i].x, corner[i].y, corner[i].z);
    if (!behind) continue;
    // Edges that pass behind the eye are cut off in front of it.
    for (int bit = 1; bit < 8; bit <<= 1) {
      const Vec3 &a = corner[i], &b = corner[i | bit];
      if ((i & bit) || (a.z < kNear) == (b.z < kNear)) continue;
      Vec3 cut = a + (b - a) * ((kNear - a.z) / (b.z - a.z));
      out.add(cut.x, cut.y, kNear);
    }
  }
  return out;
}

// The rectangle of a ball wholly in front of the eye: where lines through the eye touch it.
Bounds around_ball(Vec3 centre, float radius) {
  Bounds out;
  float r2 = radius * radius, below = 1 / (centre.z * centre.z - r2);
  float wide = radius * std::sqrt(centre.x * centre.x + centre.z * centre.z - r2);
  float high = radius * std::sqrt(centre.y * centre.y + centre.z * centre.z - r2);
  out.u0 = (centre.x * centre.z - wide) * below, out.u1 = (centre.x * centre.z + wide) * below;
  out.v0 = (centre.y * centre.z - high) * below, out.v1 = (centre.y * centre.z + high) * below;
  return out;
}

// The bounding box of a hull, in the frame of its part.
struct Extent {
  std::vector<float> planes;
  Vec3 low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
};
constexpr float kFarReach = 1e3f;
constexpr int kManyPlanes = 64, kManyHulls = 1024;

// A corner is where three planes meet inside all others.
Extent extent_of(const float* planes, int count) {
  Extent out;
  out.planes.assign(planes, planes + 4 * count);
  auto cross = [](Vec3 a, Vec3 b) { return Vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; };
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      Vec3 a = vec3(planes + 4 * i), b = vec3(planes + 4 * j), edge = cross(a, b);
      for (int k = j + 1; k < count; ++k) {
        Vec3 c = vec3(planes + 4 * k);
        float volume = dot(edge, c);
        if (std::fabs(volume) < 1e-6f) continue;
        Vec3 corner = cross(b, c) * planes[4 * i + 3] + cross(c, a) * planes[4 * j + 3] + edge * planes[4 * k + 3];
        corner = corner * (1 / volume);
        bool inside = true;
        for (int m = 0; m < count && inside; ++m) {
          inside = dot(vec3(planes + 4 * m), corner) <= planes[4 * m + 3] + 1e-3f * (1 + std::fabs(planes[4 * m + 3]));
        }
        if (!inside) continue;
        out.low = {std::min(out.low.x, corner.x), std::min(out.low.y, corner.y), std::min(out.low.z, corner.z)};
        out.high = {std::max(out.high.x, corner.x), std::max(out.high.y, corner.y), std::max(out.high.z, corner.z)};
      }
    }
  }
  return out;
}

// Memory that is reused from picture to picture, one set per thread.
struct Store {
  std::vector<float> u, v, depth, scratch;
  std::vector<int> ids;
  std::vector<Shape> shapes;
  std::vector<Plane> planes;
  MeshStore mesh;
  std::unordered_map<std::uint64_t, Extent> hulls;  // by a hash of their planes

  // Null for a hull with too many planes to measure quickly.
  const Extent* hull(const float* rows, int count) {
    if (count > kManyPlanes) return nullptr;
    std::uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < 4 * count; i += 2) {
      std::uint64_t word;
      std::memcpy(&word, rows + i, sizeof(word));
      hash = (hash ^ word) * 1099511628211u;
      hash ^= hash >> 29;
    }
    auto found = hulls.find(hash);
    bool known = found != hulls.end() && found->second.planes.size() == 4 * static_cast<std::size_t>(count) &&
                 !std::memcmp(found->second.planes.data(), rows, 4 * sizeof(float) * count);
    if (known) return &found->second;
    if (hulls.size() >= kManyHulls) hulls.clear();
    return &(hulls[hash] = extent_of(rows, count));
  }
};

class Painting {
 public:
  // With `everything`, parts outside the picture are kept too: they may cast shadows into it.
  Painting(const Scene& scene, const View& view, const Picture& picture, Store& store, bool everything = false)
      : scene_(scene), view_(view), store_(store), everything_(everything) {
    Frame& f = frame;
    f.picture = &picture;
    f.width = picture.width, f.height = picture.height;
    f.stride = (f.width + kPadding - 1) / kPadding * kPadding;
    f.around = scene.surroundings;
    std::size_t area = static_cast<std::size_t>(f.stride) * f.height;
    if (store.depth.size() < area) store.depth.resize(area), store.ids.resize(area);
    store.scratch.resize(static_cast<std::size_t>(kScratchRows) * f.stride);
    f.depth = store.depth.data(), f.ids = store.ids.data(), f.scratch = store.scratch.data();

    const float degree = 0.017453292519943295f;
    f.pixel = 2 * std::tan(view.fov_degrees * degree / 2) / (std::min(f.width, f.height) - 2 * view.margin);
    store.u.resize(f.stride), store.v.resize(f.height);
    for (int x = 0; x < f.stride; ++x) store.u[x] = (x + 0.5f - 0.5f * f.width) * f.pixel;
    for (int y = 0; y < f.height; ++y) store.v[y] = (0.5f * f.height - y - 0.5f) * f.pixel;
    f.u = store.u.data(), f.v = store.v.data();

    float h = view.heading_degrees * degree, p = view.pitch_degrees * degree;
    float sh = std::sin(h), ch = std::cos(h), sp = std::sin(p), cp = std::cos(p);
    right_ = {ch, 0, -sh}, up_ = {-sh * sp, cp, -ch * sp}, forward_ = {sh * cp, sp, ch * cp};
    if (view.roll_degrees != 0) {
      float r = view.roll_degrees * degree, sr = std::sin(r), cr = std::cos(r);
      Vec3 level_right = right_;
      right_ = right_ * cr - up_ * sr, up_ = up_ * cr + level_right * sr;
    }
    for (int i = 0; i < 3; ++i) {
      f.eye[i] = view.eye[i];
      f.right[i] = right_[i], f.up[i] = up_[i], f.forward[i] = forward_[i];
    }
    f.level = view.pitch_degrees == 0 && view.roll_degrees == 0;
    store.shapes.clear(), store.planes.clear(), store.mesh.meshes.clear();
    store.planes.reserve(scene.plane_count);  // shapes hold pointers into it
    add(false);
    f.opaque_count = static_cast<int>(store.shapes.size());
    add(true);
    f.shape_count = static_cast<int>(store.shapes.size());
    f.shapes = store.shapes.data();
    f.scene = &scene;
    f.mesh = store.mesh.meshes.empty() ? nullptr : &store.mesh;
    if (f.mesh) store.mesh.prepare(scene, area);
    for (int i = 0; i < 3; ++i) f.painted[i] = f.mesh ? store.mesh.painted.data() + i * area : nullptr;
  }

  Frame frame;

 private:
  void add(bool see_through) {
    for (int i = 0; i < scene_.part_count; ++i) {
      const ScenePart& part = scene_.parts[i];
      if (((part.flags & kSeeThrough) != 0) != see_through) continue;
      if (see_through && !(part.color[3] > 0)) continue;  // invisible, so it is the nearest surface of no pixel
      if (part.thing < 0 || part.thing >= scene_.pose_count) throw std::invalid_argument("a part belongs to no thing");
      if (part.kind > static_cast<int>(Form::kSkin)) throw std::invalid_argument("a part is of an unknown kind");
      const ScenePose& pose = scene_.poses[part.thing];
      if ((pose.flags & kHidden) || part.thing == view_.skip_thing) continue;
      if ((part.flags & kShadowOnly) && !everything_) continue;
      if (part.kind == static_cast<int>(Form::kSkin)) {
        add_skin(part);
      } else {
        add(part, pose);
      }
    }
  }

  // A shape without a rectangle, for the id of its pixels; its triangles are drawn after the shapes.
  void add_skin(const ScenePart& part) {
    Shape s{};
    s.form = Form::kSkin;
    s.flags = part.flags;
    s.thing = part.thing;
    s.id = kFirstShape + static_cast<int>(store_.shapes.size());
    s.color[3] = 1;
    store_.mesh.add(scene_, part, s.id);
    store_.shapes.push_back(s);
  }

  void add(const ScenePart& part, const ScenePose& pose) {
    Matrix turn = matrix(pose.turn);
    Vec3 centre = vec3(pose.at) + turn * vec3(part.at);
    if (is_turned(part.turn)) turn = turn * matrix(part.turn);
    Vec3 from_eye = centre - vec3(view_.eye);
    Vec3 a = back(turn, right_), b = back(turn, up_), c = back(turn, forward_);

    Form form = static_cast<Form>(part.kind);
    Shape s;
    if (!find_rectangle(part, form, {dot(from_eye, right_), dot(from_eye, up_), dot(from_eye, forward_)}, a, b, c, s)) {
      if (!everything_ || !(part.half[0] > 0 && part.half[1] > 0 && part.half[2] > 0)) return;
      s.x0 = s.x1 = s.y0 = s.y1 = 0;
    }
    if (part.flags & kShadowOnly) s.x0 = s.x1 = s.y0 = s.y1 = 0;

    s.form = form;
    s.pattern = static_cast<Pattern>(part.pattern);
    s.flags = part.flags, s.mark = part.mark;
    s.thing = part.thing;
    s.value = pose.value;
    s.id = kFirstShape + static_cast<int>(store_.shapes.size());
    s.upright = frame.level && std::fabs(b.x) < 2e-4f && std::fabs(b.z) < 2e-4f;
    std::memcpy(s.half, part.half, sizeof(s.half));
    std::memcpy(s.color, part.color, sizeof(s.color));
    std::memcpy(s.other, part.other, sizeof(s.other));
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) s.turn[i][k] = turn.row[i][k];
    }
    Vec3 eye = back(turn, from_eye) * -1.0f;
    for (int i = 0; i < 3; ++i) {
      float unit = form == Form::kHull ? 1 : form == Form::kCapsule ? 1 / part.half[0] : 1 / part.half[i];
      s.unit[i] = unit;
      s.middle[i] = centre[i];
      s.eye[i] = eye[i] * unit, s.a[i] = a[i] * unit, s.b[i] = b[i] * unit, s.c[i] = c[i] * unit;
    }
    light(s, turn);
    Vec3 half = vec3(part.half);
    s.reach = form == Form::kHull      ? 2 * kFarReach
              : form == Form::kCapsule ? half.x + half.y
              : form == Form::kBall    ? half.x
                                       : std::sqrt(dot(half, half));
    s.planes = nullptr, s.plane_count = s.seen_count = 0;
    if (form == Form::kHull) add_planes(part, turn, eye, a, b, c, s);
    s.pixels = nullptr;
    if (form == Form::kBox && s.pattern == Pattern::kSymbol && part.count > 0) {
      bool there = part.first >= 0 && part.first <= scene_.pixel_rows - kMask;
      if (!there) throw std::invalid_argument("a symbol has no pixels");
      s.pixels = scene_.pixels + static_cast<std::size_t>(part.first) * kMask;
    }
    store_.shapes.push_back(s);
  }

  bool find_rectangle(const ScenePart& part, Form form, Vec3 centre, Vec3 a, Vec3 b, Vec3 c, Shape& s) const {
    float half[3] = {part.half[0], part.half[1], part.half[2]};
    if (form == Form::kHull) {
      check_planes(part);
      if (!part.count) return false;
      const Extent* extent = store_.hull(scene_.planes + 4 * part.first, part.count);
      if (!extent) {
        s.x0 = s.y0 = 0, s.x1 = frame.width, s.y1 = frame.height;
        return true;
      }
      Vec3 middle = (extent->low + extent->high) * 0.5f, reach = (extent->high - extent->low) * 0.5f;
      for (int i = 0; i < 3; ++i) half[i] = reach[i];
      centre = centre + Vec3{dot(a, middle), dot(b, middle), dot(c, middle)};
    }
    if (!(half[0] > 0 && half[1] > 0 && half[2] > 0)) return false;
    Bounds bounds;
    if (form == Form::kBall && centre.z > 1.01f * half[0] + kNear) {
      bounds = around_ball(centre, half[0]);
    } else {
      float high = form == Form::kCapsule ? half[1] + half[0] : half[1];
      Vec3 edge[3] = {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
      edge[0] = edge[0] * half[0], edge[2] = edge[2] * half[2];
      if (form == Form::kTube) {  // its axis is at its bottom
        edge[1] = edge[1] * (0.5f * half[1]);
        centre = centre + edge[1];
      } else {
        edge[1] = edge[1] * high;
      }
      bounds = around_box(centre, edge);
    }
    // The centres of pixels inside, and one more on every side because of rounding.
    float per = 1 / frame.pixel, middle_x = 0.5f * frame.width - 0.5f, middle_y = 0.5f * frame.height - 0.5f;
    s.x0 = bounded(bounds.u0 * per + middle_x, frame.width);
    s.x1 = bounded(bounds.u1 * per + middle_x + 2, frame.width);
    s.y0 = bounded(middle_y - bounds.v1 * per, frame.height);
    s.y1 = bounded(middle_y - bounds.v0 * per + 2, frame.height);
    return s.x0 < s.x1 && s.y0 < s.y1;
  }

  void check_planes(const ScenePart& part) const {
    if (part.first < 0 || part.count < 0 || part.count > scene_.plane_count - part.first) {
      throw std::invalid_argument("a hull has no planes");
    }
  }

  static int bounded(float x, int high) { return x > 0 ? x < high ? static_cast<int>(x) : high : 0; }

  void light(Shape& s, const Matrix& turn) const {
    const SceneSurroundings& around = *scene_.surroundings;
    auto face = [&](int k, Vec3 normal) { light_face(around, turn * normal, s.light[k]); };
    auto sign = [&](int axis) { return s.eye[axis] > 0 ? 1.0f : -1.0f; };
    switch (s.form) {
      case Form::kBox:
        face(0, {sign(0), 0, 0}), face(1, {0, sign(1), 0}), face(2, {0, 0, sign(2)});
        break;
      case Form::kWedge: {
        float y = 1 / s.half[1], z = 1 / s.half[2], i = 1 / std::sqrt(y * y + z * z);
        face(0, {sign(0), 0, 0}), face(1, {0, -1, 0}), face(2, {0, 0, -1}), face(3, {0, y * i, z * i});
        break;
      }
      case Form::kTube: face(0, {0, 0, sign(2)}); break;
      case Form::kCylinder: face(0, {0, sign(1), 0}); break;
      default: face(0, {0, 1, 0});
    }
  }

  void add_planes(const ScenePart& part, const Matrix& turn, Vec3 eye, Vec3 a, Vec3 b, Vec3 c, Shape& s) {
    // Parts may share planes: then there are more than reserved, and reallocation would invalidate earlier pointers.
    if (store_.planes.size() + part.count > store_.planes.capacity()) {
      const Plane* before = store_.planes.data();
      store_.planes.reserve(2 * (store_.planes.size() + part.count));
      for (Shape& other : store_.shapes) {
        if (other.planes) other.planes = store_.planes.data() + (other.planes - before);
      }
    }
    s.planes = store_.planes.data() + store_.planes.size();
    s.plane_count = part.count;
    s.seen_count = 0;
    for (bool seen : {true, false}) {
      for (int k = 0; k < part.count; ++k) {
        const float* row = scene_.planes + 4 * (part.first + k);
        Vec3 n = vec3(row);
        float rest = row[3] - dot(n, eye);
        if ((rest < 0) != seen) continue;
        Plane plane{dot(n, a), dot(n, b), dot(n, c), rest, {n.x, n.y, n.z}, row[3], {}};
        if (seen) light_face(*scene_.surroundings, turn * n, plane.light);
        s.seen_count += seen;
        store_.planes.push_back(plane);
      }
    }
  }

  const Scene& scene_;
  const View& view_;
  Store& store_;
  bool everything_;
  Vec3 right_, up_, forward_;
};

struct Level {
  const char* name;
  void (*paint_frame)(const Frame&);
  void (*shade_frame)(const Frame&, int, float, float*);
};
#if defined(PUZZLEBOX_X86_KERNELS)
constexpr Level kLevels[] = {{"baseline", baseline::paint_frame, baseline::shade_frame},
                             {"avx2", avx2::paint_frame, avx2::shade_frame},
                             {"avx512", avx512::paint_frame, avx512::shade_frame}};
#else
constexpr Level kLevels[] = {{"baseline", baseline::paint_frame, baseline::shade_frame}};
#endif

Store& own_store() {
  thread_local Store store;
  return store;
}

const Level* best() {
  for (const Level& level : kLevels) {
    if (!std::strcmp(level.name, instruction_set())) return &level;
  }
  return kLevels;
}

const Level*& chosen() {
  static const Level* level = best();
  return level;
}

}  // namespace

const char* camera_level() { return chosen()->name; }

bool set_camera_level(const char* name) {
  for (const Level* level = kLevels; level <= best(); ++level) {
    if (std::strcmp(level->name, name)) continue;
    chosen() = level;
    return true;
  }
  return false;
}

void paint(const Scene& scene, const View& view, const Picture& picture) {
  Painting painting(scene, view, picture, own_store());
  chosen()->paint_frame(painting.frame);
}

void shade(const Scene& scene, const View& view, const Picture& picture, int samples, float spread, float* out) {
  Painting painting(scene, view, picture, own_store(), true);
  chosen()->shade_frame(painting.frame, samples, spread, out);
}

}  // namespace puzzlebox
