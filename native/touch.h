// The sense of touch: how far shapes push in a soft skin at many places.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <vector>

namespace puzzlebox {

// The shapes of MuJoCo that can touch a skin; the numbers are those of mjtGeom.
enum class Geom : int { kPlane = 0, kSphere = 2, kCapsule = 3, kEllipsoid = 4, kCylinder = 5, kBox = 6 };

// A shape: its kind, half sizes, position, rotation matrix (rows), and the bone under the same skin that it is part of,
// or -1.
struct TouchShape {
  Geom kind;
  double size[3], at[3], turn[9];
  int bone;
};

class Touch {
 public:
  // `places`, `normals`: three numbers for each taxel in the posture in which the skin was made; `flesh`: the thickness of
  // the flesh under it in metres; `bones`, `weights`: four each;
  // `main`: the bone that each taxel belongs to; `deaf`: a bit for each bone whose shapes a taxel does not feel; `links`:
  // for each taxel the first of its rows in `to` and `pull`.
  Touch(std::vector<float> places, std::vector<float> normals, std::vector<float> flesh, std::vector<std::uint8_t> bones,
        std::vector<float> weights,
        std::vector<std::uint8_t> main, std::vector<std::uint64_t> deaf, std::vector<std::int32_t> links,
        std::vector<std::int32_t> to, std::vector<float> pull, int bone_count);

  int count() const { return static_cast<int>(main_.size()); }
  int bone_count() const { return static_cast<int>(of_bone_.size()); }

  // The displacement of each taxel in metres. `matrices`: twelve numbers for each bone, from the posture of the skin to
  // now. `pairs`: bones, each with a row of `shapes` that touches it.
  void measure(const double* matrices, const std::vector<std::pair<int, int>>& pairs,
               const std::vector<TouchShape>& shapes, double* out) const;

 private:
  void move_taxels(int bone, const double* matrices, std::vector<double>& out) const;
  // The normal of a taxel now, of length 1.
  std::array<double, 3> normal_of(int taxel, const double* matrices) const;

  std::vector<float> places_, normals_, flesh_, weights_, pull_;
  std::vector<std::uint8_t> bones_, main_;
  std::vector<std::uint64_t> deaf_;
  std::vector<std::int32_t> links_, to_;
  std::vector<std::vector<int>> of_bone_;
  // The thickest flesh under the taxels of each bone.
  std::vector<double> thickest_;
  // Around the taxels of each bone, in the posture of the skin.
  struct Ball {
    float at[3];
    double radius;
  };
  std::vector<Ball> balls_;
};

void bind_touch(nanobind::module_& module);

}  // namespace puzzlebox
