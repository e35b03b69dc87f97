#include "solids.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace puzzlebox {
namespace {

// The engine reports a contact when surfaces are nearer than two contact offsets, the distance at which an animal
// starts.
constexpr double kContact = 0.02 - 1e-6;
// A surface whose normal points upwards at all supports an animal; less than this is rounding.
constexpr double kUpwards = 1e-3;
// Neighbours that share a face do not cut into each other.
constexpr double kHair = 1e-6;
// A cast ball hits a shape when it is this near; a shape it passes at this slope does not come nearer.
constexpr double kTouch = 1e-9;
constexpr double kParallel = 1e-9;
constexpr int kMostSteps = 60;
constexpr double kPi = 3.14159265358979323846;

Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double norm(Vec a) { return std::sqrt(dot(a, a)); }
Vec unit(Vec a) { return (1 / norm(a)) * a; }

Vec turn(const Pose& pose, Vec v) { return {dot(pose.row[0], v), dot(pose.row[1], v), dot(pose.row[2], v)}; }
Vec turn_back(const Pose& pose, Vec v) { return v.x * pose.row[0] + v.y * pose.row[1] + v.z * pose.row[2]; }
Vec outside(const Pose& pose, Vec v) { return pose.at + turn(pose, v); }
Vec inside(const Pose& pose, Vec v) { return turn_back(pose, v - pose.at); }

Pose make_pose(Vec at, double w, double x, double y, double z) {
  Pose pose;
  pose.at = at;
  pose.row[0] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)};
  pose.row[1] = {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)};
  pose.row[2] = {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
  return pose;
}

Gap gap_to_box(Vec p, Vec half) {
  Vec q = {std::clamp(p.x, -half.x, half.x), std::clamp(p.y, -half.y, half.y), std::clamp(p.z, -half.z, half.z)};
  Vec d = p - q;
  double distance = norm(d);
  if (distance > 1e-12) return {distance, (1 / distance) * d};
  double depth[3] = {half.x - std::abs(p.x), half.y - std::abs(p.y), half.z - std::abs(p.z)};
  if (depth[0] <= depth[1] && depth[0] <= depth[2]) return {-depth[0], {std::copysign(1.0, p.x), 0, 0}};
  if (depth[1] <= depth[2]) return {-depth[1], {0, std::copysign(1.0, p.y), 0}};
  return {-depth[2], {0, 0, std::copysign(1.0, p.z)}};
}

Vec nearest_on_edge(Vec p, Vec a, Vec b) {
  Vec ab = b - a;
  double t = std::clamp(dot(p - a, ab) / dot(ab, ab), 0.0, 1.0);
  return a + t * ab;
}

Gap gap_to_hull(Vec p, const Solid& hull) {
  double deepest = -std::numeric_limits<double>::infinity();
  Vec deepest_normal = {0, 1, 0};
  double best = std::numeric_limits<double>::infinity();
  Vec nearest;
  for (const Face& face : hull.faces) {
    double height = dot(face.normal, p) - face.offset;
    if (height > deepest) deepest = height, deepest_normal = face.normal;
    if (height <= 0) continue;
    Vec foot = p - height * face.normal;
    bool within = true;
    std::size_t count = face.corners.size();
    for (std::size_t i = 0; i < count; ++i) {
      Vec a = hull.corners[face.corners[i]], b = hull.corners[face.corners[(i + 1) % count]];
      if (dot(cross(b - a, foot - a), face.normal) >= 0) continue;
      within = false;
      Vec q = nearest_on_edge(p, a, b);
      double distance = norm(p - q);
      if (distance < best) best = distance, nearest = q;
    }
    if (within && height < best) best = height, nearest = foot;
  }
  if (deepest <= 0) return {deepest, deepest_normal};
  if (best < 1e-12) return {best, deepest_normal};
  return {best, (1 / best) * (p - nearest)};
}

// One side of a tunnel's arch: four corners in the x-y plane, counter-clockwise.
void arch_side(Vec half, double ratio, int sides, int side, double out[4][2]) {
  double from = kPi * side / sides, to = kPi * (side + 1) / sides;
  const double angles[4] = {from, from, to, to};
  const double radii[4] = {ratio, 1, 1, ratio};
  for (int i = 0; i < 4; ++i) {
    out[i][0] = half.x * radii[i] * std::cos(angles[i]);
    out[i][1] = half.y * radii[i] * std::sin(angles[i]);
  }
}

// One side of the arch, as if it had no ends.
Gap gap_to_side(Vec p, const Solid& tube, std::size_t side) {
  const Vec* c = &tube.corners[4 * side];
  double deepest = -std::numeric_limits<double>::infinity(), nearest = std::numeric_limits<double>::infinity();
  Vec deepest_normal = {0, 1, 0}, nearest_normal = {0, 1, 0};
  for (int i = 0; i < 4; ++i) {
    Vec a = c[i], b = c[(i + 1) % 4];
    Vec along = b - a;
    Vec normal = tube.edges[4 * side + i];
    double height = normal.x * (p.x - a.x) + normal.y * (p.y - a.y);
    if (height > deepest) deepest = height, deepest_normal = normal;
    if (height <= 0) continue;
    double t = ((p.x - a.x) * along.x + (p.y - a.y) * along.y) / (along.x * along.x + along.y * along.y);
    t = std::clamp(t, 0.0, 1.0);
    double dx = p.x - a.x - t * along.x, dy = p.y - a.y - t * along.y;
    double distance = std::hypot(dx, dy);
    if (distance < nearest && distance > 1e-12) nearest = distance, nearest_normal = {dx / distance, dy / distance, 0};
  }
  return deepest <= 0 ? Gap{deepest, deepest_normal} : Gap{nearest, nearest_normal};
}

// One side of the arch, with its ends.
Gap with_ends(Gap side, double z, double half) {
  double ahead = std::abs(z) - half;
  Vec end = {0, 0, std::copysign(1.0, z)};
  if (side.distance <= 0 && ahead <= 0) return side.distance > ahead ? side : Gap{ahead, end};
  if (side.distance <= 0) return {ahead, end};
  if (ahead <= 0) return side;
  double distance = std::hypot(side.distance, ahead);
  return {distance, (side.distance / distance) * side.normal + (ahead / distance) * end};
}

Gap gap_to_tube(Vec p, const Solid& tube) {
  Gap nearest = {std::numeric_limits<double>::infinity(), {0, 1, 0}};
  for (std::size_t side = 0; side < tube.corners.size() / 4; ++side) {
    Gap gap = gap_to_side(p, tube, side);
    if (gap.distance < nearest.distance) nearest = gap;
  }
  return with_ends(nearest, p.z, tube.half.z);
}

Gap gap_to(Vec p, const Solid& solid) {
  switch (solid.kind) {
    case Kind::kBox:
      return gap_to_box(p - solid.centre, solid.half);
    case Kind::kBall: {
      Vec d = p - solid.centre;
      double distance = norm(d);
      return {distance - solid.half.x, distance > 1e-12 ? (1 / distance) * d : Vec{0, 1, 0}};
    }
    case Kind::kHull:
      return gap_to_hull(p, solid);
    case Kind::kTube:
      return gap_to_tube(p, solid);
  }
  return {std::numeric_limits<double>::infinity(), {0, 1, 0}};
}

// Whether two convex shapes overlap: no axis of faces or crossed edges separates them.
bool apart_along(Vec axis, const Vec* a, std::size_t na, const Vec* b, std::size_t nb) {
  double length = norm(axis);
  if (length < 1e-9) return false;
  double low_a = std::numeric_limits<double>::infinity(), high_a = -low_a, low_b = low_a, high_b = -low_a;
  for (std::size_t i = 0; i < na; ++i) {
    double h = dot(axis, a[i]);
    low_a = std::min(low_a, h), high_a = std::max(high_a, h);
  }
  for (std::size_t i = 0; i < nb; ++i) {
    double h = dot(axis, b[i]);
    low_b = std::min(low_b, h), high_b = std::max(high_b, h);
  }
  double slack = kHair * length;
  return high_a <= low_b + slack || high_b <= low_a + slack;
}

const Vec kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Whether a box, by its corners and the directions of its edges, overlaps a convex shape in the same frame.
bool box_cuts(const Vec* box, const Vec* axes, const Vec* corners, std::size_t count, const Vec* normals,
              std::size_t normal_count, const Vec* edges, std::size_t edge_count) {
  for (int i = 0; i < 3; ++i) {
    if (apart_along(axes[i], box, 8, corners, count)) return false;
  }
  for (std::size_t i = 0; i < normal_count; ++i) {
    if (apart_along(normals[i], box, 8, corners, count)) return false;
  }
  for (std::size_t i = 0; i < edge_count; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (apart_along(cross(edges[i], axes[j]), box, 8, corners, count)) return false;
    }
  }
  return true;
}

void box_corners(Vec centre, Vec half, Vec* out) {
  for (int i = 0; i < 8; ++i) {
    out[i] = centre + Vec{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
  }
}

bool box_cuts_tube(const Vec* box, const Vec* axes, const Solid& tube) {
  double low_x = box[0].x, high_x = low_x, low_y = box[0].y, high_y = low_y;
  for (int i = 1; i < 8; ++i) {
    low_x = std::min(low_x, box[i].x), high_x = std::max(high_x, box[i].x);
    low_y = std::min(low_y, box[i].y), high_y = std::max(high_y, box[i].y);
  }
  for (std::size_t side = 0; side < tube.corners.size() / 4; ++side) {
    const Vec* c = &tube.corners[4 * side];
    auto x = std::minmax({c[0].x, c[1].x, c[2].x, c[3].x}), y = std::minmax({c[0].y, c[1].y, c[2].y, c[3].y});
    if (x.second <= low_x || x.first >= high_x || y.second <= low_y || y.first >= high_y) continue;
    Vec corners[8], normals[5], edges[5];
    for (int i = 0; i < 4; ++i) {
      corners[i] = {c[i].x, c[i].y, -tube.half.z};
      corners[i + 4] = {c[i].x, c[i].y, tube.half.z};
      edges[i] = c[(i + 1) % 4] - c[i];
      normals[i] = {edges[i].y, -edges[i].x, 0};
    }
    normals[4] = edges[4] = {0, 0, 1};
    if (box_cuts(box, axes, corners, 8, normals, 5, edges, 5)) return true;
  }
  return false;
}

// Return how far a ball that starts at `p`, outside of the shape, moves along `d` until it hits a convex shape; `most`
// if it does not. The gap to a convex shape is a convex function of the distance, so Newton's method never overshoots.
template <typename GapAt>
double way_to(GapAt gap_at, Gap gap, Vec p, Vec d, double radius, double most) {
  double way = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    double left = gap.distance - radius;
    if (left < kTouch) return way;
    double nearing = -dot(gap.normal, d);
    if (nearing <= kParallel) return most;
    way += left / nearing;
    if (way >= most) return most;
    gap = gap_at(p + way * d);
  }
  return way;
}

// Whether the segment from `p` along `d`, up to `most`, enters a box along the axes.
bool crosses(Vec p, Vec d, double most, Vec low, Vec high) {
  const double at[3] = {p.x, p.y, p.z}, to[3] = {d.x, d.y, d.z};
  const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
  double in = 0, out = most;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(to[i]) < 1e-12) {
      if (at[i] < lows[i] || at[i] > highs[i]) return false;
      continue;
    }
    double a = (lows[i] - at[i]) / to[i], b = (highs[i] - at[i]) / to[i];
    in = std::max(in, std::min(a, b)), out = std::min(out, std::max(a, b));
  }
  return in <= out;
}

// A tube is not convex, but each of its sides is.
double way_to_tube(const Solid& tube, Vec p, Vec d, double radius, double most) {
  for (std::size_t side = 0; side < tube.corners.size() / 4; ++side) {
    const Vec* c = &tube.corners[4 * side];
    auto x = std::minmax({c[0].x, c[1].x, c[2].x, c[3].x}), y = std::minmax({c[0].y, c[1].y, c[2].y, c[3].y});
    Vec low = {x.first - radius, y.first - radius, -tube.half.z - radius};
    Vec high = {x.second + radius, y.second + radius, tube.half.z + radius};
    if (!crosses(p, d, most, low, high)) continue;
    auto gap_at = [&](Vec q) { return with_ends(gap_to_side(q, tube, side), q.z, tube.half.z); };
    most = way_to(gap_at, gap_at(p), p, d, radius, most);
  }
  return most;
}

// Return the faces of the convex hull of some points, by trying every plane through three of them: they are few.
void enclose(Solid& solid) {
  const std::vector<Vec>& p = solid.corners;
  int count = static_cast<int>(p.size());
  Vec middle;
  for (Vec v : p) middle = middle + (1.0 / count) * v;
  double hair = 1e-7 * solid.reach;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        Vec normal = cross(p[j] - p[i], p[k] - p[i]);
        if (norm(normal) < hair * solid.reach) continue;
        normal = unit(normal);
        double offset = dot(normal, p[i]);
        if (dot(normal, middle) > offset) normal = -1.0 * normal, offset = -offset;
        Face face = {normal, offset, {}};
        bool outermost = true;
        for (int l = 0; l < count && outermost; ++l) {
          double height = dot(normal, p[l]) - offset;
          if (height > hair) outermost = false;
          if (std::abs(height) <= hair) face.corners.push_back(l);
        }
        auto same = [&](const Face& other) { return dot(other.normal, normal) > 1 - 1e-9; };
        if (!outermost || std::any_of(solid.faces.begin(), solid.faces.end(), same)) continue;
        Vec heart;
        for (int corner : face.corners) heart = heart + (1.0 / face.corners.size()) * p[corner];
        Vec across = unit(p[face.corners[0]] - heart), up = cross(normal, across);
        std::sort(face.corners.begin(), face.corners.end(), [&](int a, int b) {
          Vec va = p[a] - heart, vb = p[b] - heart;
          return std::atan2(dot(up, va), dot(across, va)) < std::atan2(dot(up, vb), dot(across, vb));
        });
        solid.faces.push_back(std::move(face));
      }
    }
  }
  for (const Face& face : solid.faces) {
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      Vec edge = unit(p[face.corners[(i + 1) % face.corners.size()]] - p[face.corners[i]]);
      auto same = [&](Vec other) { return std::abs(dot(other, edge)) > 1 - 1e-9; };
      if (std::none_of(solid.edges.begin(), solid.edges.end(), same)) solid.edges.push_back(edge);
    }
  }
}

}  // namespace

void Solids::add(Solid solid) {
  if (solid.thing >= static_cast<int>(places_.size())) places_.resize(solid.thing + 1);
  solids_.push_back(std::move(solid));
}

void Solids::add_box(int thing, std::uint32_t parts, Vec centre, Vec half) {
  add({thing, parts, Kind::kBox, centre, half, norm(half), {}, {}, {}});
}

void Solids::add_ball(int thing, std::uint32_t parts, Vec centre, double radius) {
  add({thing, parts, Kind::kBall, centre, {radius, radius, radius}, radius, {}, {}, {}});
}

void Solids::add_hull(int thing, std::uint32_t parts, const std::vector<Vec>& points) {
  Solid solid = {thing, parts, Kind::kHull, {}, {}, 0, points, {}, {}};
  for (Vec v : points) solid.centre = solid.centre + (1.0 / points.size()) * v;
  for (Vec v : points) solid.reach = std::max(solid.reach, norm(v - solid.centre));
  enclose(solid);
  add(std::move(solid));
}

void Solids::add_tube(int thing, std::uint32_t parts, Vec half, double ratio, int sides) {
  Solid solid = {thing, parts, Kind::kTube, {}, half, 0, {}, {}, {}};
  solid.reach = std::hypot(std::max(half.x, half.y), half.z);
  for (int side = 0; side < sides; ++side) {
    double quad[4][2];
    arch_side(half, ratio, sides, side, quad);
    for (auto& corner : quad) solid.corners.push_back({corner[0], corner[1], 0});
    for (int i = 0; i < 4; ++i) {
      Vec along = solid.corners[4 * side + (i + 1) % 4] - solid.corners[4 * side + i];
      solid.edges.push_back(unit({along.y, -along.x, 0}));
    }
  }
  add(std::move(solid));
}

void Solids::remove(int thing) {
  auto of_thing = [thing](const Solid& solid) { return solid.thing == thing; };
  solids_.erase(std::remove_if(solids_.begin(), solids_.end(), of_thing), solids_.end());
  if (thing < static_cast<int>(places_.size())) places_[thing] = Place{};
}

void Solids::fix(int thing, Vec at, double w, double x, double y, double z) {
  if (thing >= static_cast<int>(places_.size())) places_.resize(thing + 1);
  places_[thing] = Place{-1, make_pose(at, w, x, y, z)};
}

void Solids::watch(const std::vector<int>& animals) {
  animals_.clear();
  for (int animal : animals) {
    double radius = 0;
    for (const Solid& solid : solids_) {
      if (solid.thing == animal) radius = solid.half.x;
    }
    animals_.push_back({animal, radius});
  }
}

void Solids::follow(const std::vector<int>& things) {
  rows_ = things.size();
  for (Place& place : places_) place.row = -1;
  for (std::size_t row = 0; row < things.size(); ++row) {
    if (things[row] >= static_cast<int>(places_.size())) places_.resize(things[row] + 1);
    places_[things[row]].row = static_cast<int>(row);
  }
}

Pose Solids::pose_of(int thing, const float* state) const {
  const Place& place = places_[thing];
  if (place.row < 0 || state == nullptr) return place.pose;
  const float* s = state + kRow * place.row;
  return make_pose({s[4], s[5], s[6]}, s[0], s[1], s[2], s[3]);
}

void Solids::look(const float* state, std::vector<char>& grounded, std::vector<std::pair<int, int>>& meetings) const {
  grounded.assign(animals_.size(), 0);
  for (std::size_t index = 0; index < animals_.size(); ++index) {
    auto [animal, radius] = animals_[index];
    Vec centre = pose_of(animal, state).at;
    for (const Solid& solid : solids_) {
      if (solid.thing == animal) continue;
      const Place& place = places_[solid.thing];
      double reach = solid.reach + radius + kContact;
      bool centred = solid.centre.x == 0 && solid.centre.y == 0 && solid.centre.z == 0;
      if (centred) {  // most things: without a rotation it is clear that they are far away
        Vec at = place.row < 0 ? place.pose.at
                               : Vec{state[kRow * place.row + 4], state[kRow * place.row + 5], state[kRow * place.row + 6]};
        Vec d = at - centre;
        if (dot(d, d) > reach * reach) continue;
      }
      Pose pose = pose_of(solid.thing, state);
      if (!centred) {
        Vec d = outside(pose, solid.centre) - centre;
        if (dot(d, d) > reach * reach) continue;
      }
      Gap gap = gap_to(inside(pose, centre), solid);
      double distance = gap.distance - radius;
      bool contact = distance < kContact;
      if ((solid.parts & kSolid) && contact && turn(pose, gap.normal).y > kUpwards) grounded[index] = 1;
      if (((solid.parts & kTouched) && contact) || ((solid.parts & kEntered) && distance < 0)) {
        std::pair<int, int> meeting{static_cast<int>(index), solid.thing};
        if (std::find(meetings.begin(), meetings.end(), meeting) == meetings.end()) meetings.push_back(meeting);
      }
    }
  }
}

int Solids::astray(const float* state, int rows) const {
  for (int row = 0; row < rows; ++row) {
    const float* s = state + kRow * row;
    float sum = 0;
    for (int i = 0; i < kRow; ++i) sum += s[i] * 0.0f;  // NaN when any is NaN or infinite
    if (sum != 0.0f || !(s[4] >= low_.x && s[4] <= high_.x && s[5] >= low_.y && s[5] <= high_.y && s[6] >= low_.z &&
                         s[6] <= high_.z)) {
      return row;
    }
  }
  return -1;
}

void Solids::strays(const float* state, int rows, std::vector<int>& out) const {
  for (int row = 0; row < rows; ++row) {
    const float* s = state + kRow * row;
    bool within = s[4] >= least_.x && s[4] <= most_.x && s[5] >= least_.y && s[5] <= most_.y && s[6] >= least_.z &&
                  s[6] <= most_.z;
    if (!within) out.push_back(row);
  }
}

std::vector<int> Solids::cut_by_box(const float* state, Vec centre, Vec half, double yaw, std::uint32_t parts) const {
  Pose box = make_pose(centre, std::cos(yaw / 2), 0, std::sin(yaw / 2), 0);
  double box_reach = norm(half);
  std::vector<int> hits;
  for (const Solid& solid : solids_) {
    if (!(solid.parts & parts) || (!hits.empty() && hits.back() == solid.thing)) continue;
    Pose pose = pose_of(solid.thing, state);
    Vec d = outside(pose, solid.centre) - centre;
    double reach = solid.reach + box_reach;
    if (dot(d, d) > reach * reach) continue;
    bool hit = false;
    if (solid.kind == Kind::kBall) {
      hit = gap_to_box(inside(box, outside(pose, solid.centre)), half).distance < solid.half.x - kHair;
    } else {
      Vec corners[8], axes[3];  // the box in the frame of the solid
      box_corners({}, half, corners);
      for (Vec& corner : corners) corner = inside(pose, outside(box, corner));
      for (int i = 0; i < 3; ++i) axes[i] = turn_back(pose, turn(box, kAxes[i]));
      if (solid.kind == Kind::kBox) {
        Vec other[8];
        box_corners(solid.centre, solid.half, other);
        hit = box_cuts(corners, axes, other, 8, kAxes, 3, kAxes, 3);
      } else if (solid.kind == Kind::kTube) {
        hit = box_cuts_tube(corners, axes, solid);
      } else {
        std::vector<Vec> normals;
        for (const Face& face : solid.faces) normals.push_back(face.normal);
        hit = box_cuts(corners, axes, solid.corners.data(), solid.corners.size(), normals.data(), normals.size(),
                       solid.edges.data(), solid.edges.size());
      }
    }
    if (hit) hits.push_back(solid.thing);
  }
  return hits;
}

std::vector<int> Solids::near(const float* state, Vec point, double radius, std::uint32_t parts) const {
  std::vector<int> hits;
  for (const Solid& solid : solids_) {
    if (!(solid.parts & parts) || (!hits.empty() && hits.back() == solid.thing)) continue;
    Pose pose = pose_of(solid.thing, state);
    Vec d = outside(pose, solid.centre) - point;
    double reach = solid.reach + radius;
    if (dot(d, d) > reach * reach) continue;
    if (gap_to(inside(pose, point), solid).distance < radius) hits.push_back(solid.thing);
  }
  return hits;
}

void Solids::cast(const float* state, int eye, const std::vector<double>& yaws, double radius, double length,
                  std::vector<Hit>& hits) const {
  if (eye >= static_cast<int>(places_.size())) throw std::invalid_argument("there is no such thing");
  hits.assign(yaws.size(), Hit{-1, 0, length});
  std::vector<Vec> directions;
  directions.reserve(yaws.size());
  for (double yaw : yaws) directions.push_back({std::sin(yaw), 0, std::cos(yaw)});
  Vec start = pose_of(eye, state).at;
  for (const Solid& solid : solids_) {
    if (solid.thing == eye || solid.thing == kFloor) continue;
    const Place& place = places_[solid.thing];
    bool centred = solid.centre.x == 0 && solid.centre.y == 0 && solid.centre.z == 0;
    Pose pose;
    Vec middle;
    if (centred) {  // most things: without a rotation it is clear whether a ray comes near
      const float* s = place.row < 0 ? nullptr : state + kRow * place.row;
      middle = s == nullptr ? place.pose.at : Vec{s[4], s[5], s[6]};
    } else {
      pose = pose_of(solid.thing, state);
      middle = outside(pose, solid.centre);
    }
    Vec there = middle - start;
    double around = dot(there, there), reach = solid.reach + radius;
    bool near_known = false, overlaps = false;
    Vec local;
    Gap gap = {};
    for (std::size_t ray = 0; ray < directions.size() && !overlaps; ++ray) {
      Vec d = directions[ray];
      double along = dot(there, d), aside = around - along * along;
      double off = reach * reach - aside;
      if (off < 0 || (along < 0 && around > reach * reach)) continue;
      if (along - std::sqrt(off) >= hits[ray].distance) continue;
      double most = hits[ray].distance, way = most;
      if (solid.kind == Kind::kBall) {  // its bounding ball is the shape itself
        if (around <= reach * reach) break;
        way = along - std::sqrt(off);
      } else {
        if (!near_known) {
          near_known = true;
          if (centred) pose = pose_of(solid.thing, state);
          local = inside(pose, start);
          gap = gap_to(local, solid);
          overlaps = gap.distance <= radius;
          if (overlaps) break;
        }
        Vec direction = turn_back(pose, d);
        if (solid.kind == Kind::kTube) {
          way = way_to_tube(solid, local, direction, radius, most);
        } else if (solid.kind == Kind::kBox) {
          way = way_to([&](Vec p) { return gap_to_box(p - solid.centre, solid.half); }, gap, local, direction, radius, most);
        } else {
          way = way_to([&](Vec p) { return gap_to_hull(p, solid); }, gap, local, direction, radius, most);
        }
      }
      if (way < most) hits[ray] = {solid.thing, solid.parts, way};
    }
  }
}

void Solids::scan(const float* state, int eye, double heading, const std::vector<double>& turns, double radius,
                  double length, const std::int32_t* columns, std::size_t things, float* out, std::size_t width) const {
  if (width < 2) throw std::invalid_argument("so many numbers a ray");
  std::vector<double> yaws(turns);
  for (double& yaw : yaws) yaw += heading;
  std::vector<Hit> hits;
  cast(state, eye, yaws, radius, length, hits);
  std::fill(out, out + hits.size() * width, 0.0f);
  for (const Hit& hit : hits) {
    std::size_t thing = hit.thing + 1, part = hit.parts & kSolid ? 0 : 1;
    if (thing >= things) throw std::invalid_argument("columns: a row for each thing");
    int column = columns[2 * thing + part];
    if (column >= static_cast<int>(width) - 1) throw std::invalid_argument("columns: there are fewer");
    if (column >= 0) out[column] = 1.0f;
    out[width - 1] = static_cast<float>(hit.distance / length);
    out += width;
  }
}

}  // namespace puzzlebox
