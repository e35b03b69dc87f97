#include "touch.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace puzzlebox {

namespace {

// The signed distance of a point to a shape in its own frame, negative inside.
double distance_to(const TouchShape& s, double x, double y, double z) {
  switch (s.kind) {
    case Geom::kPlane: return z;
    case Geom::kSphere: return std::sqrt(x * x + y * y + z * z) - s.size[0];
    case Geom::kCapsule: {
      double beyond = z - std::clamp(z, -s.size[1], s.size[1]);
      return std::sqrt(x * x + y * y + beyond * beyond) - s.size[0];
    }
    case Geom::kEllipsoid: {
      double a = x / s.size[0], b = y / s.size[1], c = z / s.size[2];
      double length = std::sqrt(a * a + b * b + c * c);
      a /= s.size[0], b /= s.size[1], c /= s.size[2];
      return length * (length - 1) / std::max(std::sqrt(a * a + b * b + c * c), 1e-9);
    }
    case Geom::kCylinder: return std::max(std::sqrt(x * x + y * y) - s.size[0], std::fabs(z) - s.size[1]);
    case Geom::kBox:
      return std::max({std::fabs(x) - s.size[0], std::fabs(y) - s.size[1], std::fabs(z) - s.size[2]});
  }
  return 1;
}

// Half of the smallest thickness of a shape: what has sunk in farther than that has its nearest surface behind it.
double half_thickness(const TouchShape& s) {
  switch (s.kind) {
    case Geom::kSphere:
    case Geom::kCapsule: return s.size[0];
    case Geom::kCylinder: return std::min(s.size[0], s.size[1]);
    case Geom::kEllipsoid:
    case Geom::kBox: return std::min({s.size[0], s.size[1], s.size[2]});
    case Geom::kPlane: break;
  }
  return HUGE_VAL;
}

// A change of the depth in metres that counts as none.
constexpr double kSame = 1e-9;

// How far a shape pushes in flesh of some thickness. `depth_at(t)` is the depth inside the shape of the place t metres
// below the skin; it is concave, because shapes are convex. From the place where the shape is thickest, its nearest surface
// is the one that pushes; on the way there nothing is nearer to the bone.
template <class Depth>
double push_through(double flesh, Depth depth_at) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = flesh;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = depth_at(a), at_b = depth_at(b);
  while (high - low > 1e-6) {
    // Of places that are equally deep, the one that is nearest to the bone counts.
    if (at_b >= at_a - kSame) {
      low = a, a = b, at_a = at_b;
      b = low + kGolden * (high - low), at_b = depth_at(b);
    } else {
      high = b, b = a, at_b = at_a;
      a = high - kGolden * (high - low), at_a = depth_at(a);
    }
  }
  double middle = (low + high) / 2, depth = depth_at(middle);
  return depth > 0 ? std::min(flesh, middle + depth) : 0;
}

constexpr double kBending = 0.02;
// As many as `deaf` has bits.
constexpr int kMostBones = 64;

// A position moved by a bone: three rows of four numbers.
void move(const double* m, const float* at, double* out) {
  for (int r = 0; r < 3; ++r, m += 4) out[r] = m[0] * at[0] + m[1] * at[1] + m[2] * at[2] + m[3];
}

}  // namespace

Touch::Touch(std::vector<float> places, std::vector<float> normals, std::vector<float> flesh,
             std::vector<std::uint8_t> bones, std::vector<float> weights, std::vector<std::uint8_t> main, std::vector<std::uint64_t> deaf, std::vector<std::int32_t> links,
             std::vector<std::int32_t> to, std::vector<float> pull, int bone_count)
    : places_(std::move(places)),
      normals_(std::move(normals)),
      flesh_(std::move(flesh)),
      weights_(std::move(weights)),
      pull_(std::move(pull)),
      bones_(std::move(bones)),
      main_(std::move(main)),
      deaf_(std::move(deaf)),
      links_(std::move(links)),
      to_(std::move(to)) {
  std::size_t n = main_.size();
  bool fits = places_.size() == 3 * n && normals_.size() == 3 * n && flesh_.size() == n && bones_.size() == 4 * n && weights_.size() == 4 * n && deaf_.size() == n &&
              links_.size() == n + 1 && to_.size() == pull_.size() && links_.front() == 0 && links_.back() == static_cast<int>(to_.size());
  if (!fits) throw std::invalid_argument("taxels: columns of different lengths");
  if (bone_count > kMostBones) throw std::invalid_argument("taxels: at most 64 bones");
  of_bone_.resize(bone_count);
  auto check = [&](bool good, const char* what) {
    if (!good) throw std::invalid_argument(std::string("taxels: there is no such ") + what);
  };
  for (std::uint8_t bone : bones_) check(bone < bone_count, "bone");
  for (std::size_t i = 0; i < n; ++i) {
    check(main_[i] < bone_count, "bone");
    check(links_[i] <= links_[i + 1], "link");
    of_bone_[main_[i]].push_back(static_cast<int>(i));
  }
  for (const std::vector<int>& taxels : of_bone_) {
    Ball ball{{0, 0, 0}, 0};
    double thickest = 0;
    for (int i : taxels) thickest = std::max(thickest, static_cast<double>(flesh_[i]));
    thickest_.push_back(thickest);
    for (int i : taxels) {
      for (int r = 0; r < 3; ++r) ball.at[r] += places_[3 * i + r] / static_cast<float>(taxels.size());
    }
    for (int i : taxels) {
      const float* at = places_.data() + 3 * i;
      double x = at[0] - ball.at[0], y = at[1] - ball.at[1], z = at[2] - ball.at[2];
      ball.radius = std::max(ball.radius, std::sqrt(x * x + y * y + z * z));
    }
    // Skin that bends with other bones moves a little out of the ball.
    ball.radius = 1.2 * ball.radius + kBending;
    balls_.push_back(ball);
  }
  for (std::int32_t other : to_) check(other >= 0 && other < static_cast<int>(n), "neighbour");
}

void Touch::move_taxels(int bone, const double* matrices, std::vector<double>& out) const {
  out.reserve(3 * of_bone_[bone].size());
  for (int i : of_bone_[bone]) {
    const float* at = places_.data() + 3 * static_cast<std::size_t>(i);
    double p[3] = {};
    for (int k = 0; k < 4; ++k) {
      double weight = weights_[4 * static_cast<std::size_t>(i) + k], own[3];
      if (weight == 0) continue;
      move(matrices + 12 * bones_[4 * static_cast<std::size_t>(i) + k], at, own);
      for (int r = 0; r < 3; ++r) p[r] += weight * own[r];
    }
    out.insert(out.end(), p, p + 3);
  }
}

std::array<double, 3> Touch::normal_of(int taxel, const double* matrices) const {
  std::size_t i = static_cast<std::size_t>(taxel);
  const float* n = normals_.data() + 3 * i;
  double out[3] = {};
  for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) {
    const double* m = matrices + 12 * bones_[k];
    for (int r = 0; r < 3; ++r, m += 4) out[r] += weights_[k] * (m[0] * n[0] + m[1] * n[1] + m[2] * n[2]);
  }
  double length = std::max(std::sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]), 1e-9);
  return {out[0] / length, out[1] / length, out[2] / length};
}

void Touch::measure(const double* matrices, const std::vector<std::pair<int, int>>& pairs,
                    const std::vector<TouchShape>& shapes, double* out) const {
  std::fill(out, out + count(), 0.0);
  std::vector<int> pushed;
  // Where the taxels of a bone are, three numbers each; computed when the first shape is near the bone.
  std::vector<std::vector<double>> moved(of_bone_.size());
  for (auto [bone, shape] : pairs) {
    if (bone < 0 || bone >= bone_count()) throw std::invalid_argument("pairs: there is no such bone");
    if (shape < 0 || shape >= static_cast<int>(shapes.size())) throw std::invalid_argument("pairs: no such shape");
    const TouchShape& s = shapes[shape];
    const double* t = s.turn;
    std::uint64_t bit = s.bone < 0 ? 0 : std::uint64_t{1} << s.bone;
    auto distance = [&](const double* at) {
      double x = at[0] - s.at[0], y = at[1] - s.at[1], z = at[2] - s.at[2];
      return distance_to(s, t[0] * x + t[3] * y + t[6] * z, t[1] * x + t[4] * y + t[7] * z,
                         t[2] * x + t[5] * y + t[8] * z);
    };
    const Ball& ball = balls_[bone];
    double middle[3];
    move(matrices + 12 * bone, ball.at, middle);
    if (distance(middle) > ball.radius) continue;
    if (moved[bone].empty()) move_taxels(bone, matrices, moved[bone]);
    const double* at = moved[bone].data();
    // Only what is thinner than the flesh can sink in past the middle of its thickness. Shapes of the same body have their
    // own flesh around them, and do not sink in.
    double half = s.bone < 0 ? half_thickness(s) : HUGE_VAL;
    double reach = half < thickest_[bone] ? thickest_[bone] : 0;
    for (int i : of_bone_[bone]) {
      const double* place = at;
      double depth = -distance(at);
      at += 3;
      if (depth <= -reach || (deaf_[i] & bit)) continue;
      if (half < flesh_[i] && depth > -flesh_[i]) {
        std::array<double, 3> normal = normal_of(i, matrices);
        auto depth_at = [&](double t) {
          double below[3] = {place[0] - t * normal[0], place[1] - t * normal[1], place[2] - t * normal[2]};
          return -distance(below);
        };
        constexpr double kStep = 1e-6;
        if (depth_at(kStep) >= depth - kSame) depth = std::max(depth, push_through(flesh_[i], depth_at));
      }
      if (depth <= 0) continue;
      if (out[i] == 0) pushed.push_back(i);
      out[i] = std::max(out[i], depth);
    }
  }
  // Displaced skin pulls its neighbours along.
  std::vector<double> own(pushed.size());
  for (std::size_t k = 0; k < pushed.size(); ++k) own[k] = out[pushed[k]];
  for (std::size_t k = 0; k < pushed.size(); ++k) {
    for (int j = links_[pushed[k]]; j < links_[pushed[k] + 1]; ++j) {
      out[to_[j]] = std::max(out[to_[j]], own[k] * pull_[j]);
    }
  }
}

namespace nb = nanobind;
using Doubles = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
std::vector<T> vector_of(const Column<T>& column) {
  return {column.data(), column.data() + column.size()};
}

void bind_touch(nb::module_& module) {
  nb::class_<Touch>(module, "Touch", "Taxels on a soft skin, for puzzlebox.infant.senses.skin.")
      .def(
          "__init__",
          [](Touch* self, Column<float> places, Column<float> normals, Column<float> flesh, Column<std::uint8_t> bones,
             Column<float> weights, Column<std::uint8_t> main, Column<std::uint64_t> deaf, Column<std::int32_t> links,
             Column<std::int32_t> to, Column<float> pull, int bone_count) {
            new (self) Touch(vector_of(places), vector_of(normals), vector_of(flesh), vector_of(bones), vector_of(weights),
                             vector_of(main), vector_of(deaf), vector_of(links), vector_of(to), vector_of(pull),
                             bone_count);
          },
          nb::arg("places"), nb::arg("normals"), nb::arg("flesh"), nb::arg("bones"), nb::arg("weights"), nb::arg("main"),
          nb::arg("deaf"), nb::arg("links"), nb::arg("to"), nb::arg("pull"), nb::arg("bone_count"))
      .def(
          "measure",
          [](const Touch& self, Doubles matrices, const std::vector<std::pair<int, int>>& pairs, Doubles shapes,
             Out out) {
            bool fits = matrices.shape(1) == 12 && static_cast<int>(matrices.shape(0)) == self.bone_count();
            if (!fits) throw std::invalid_argument("matrices: twelve numbers for each bone");
            if (shapes.shape(1) != 17) throw std::invalid_argument("shapes: seventeen numbers each");
            if (static_cast<int>(out.shape(0)) != self.count()) throw std::invalid_argument("out: one for each taxel");
            std::vector<TouchShape> solids(shapes.shape(0));
            for (std::size_t i = 0; i < solids.size(); ++i) {
              const double* row = shapes.data() + 17 * i;
              solids[i].kind = static_cast<Geom>(static_cast<int>(row[0]));
              std::copy(row + 1, row + 4, solids[i].size);
              std::copy(row + 4, row + 7, solids[i].at);
              std::copy(row + 7, row + 16, solids[i].turn);
              solids[i].bone = static_cast<int>(row[16]);
              if (solids[i].bone >= self.bone_count()) throw std::invalid_argument("shapes: there is no such bone");
            }
            self.measure(matrices.data(), pairs, solids, out.data());
          },
          nb::arg("matrices"), nb::arg("pairs"), nb::arg("shapes"), nb::arg("out"),
          "Write the displacement of each taxel in metres. A shape is its kind (mjtGeom), three half sizes, its position,\n"
          "its rotation matrix and its bone, or -1; a pair is a bone and the row of a shape that touches it.");
}

}  // namespace puzzlebox
