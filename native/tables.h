// The tables of a scene as Python passes them, for painting.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "camera.h"

namespace puzzlebox {

namespace nb = nanobind;

// Tables are passed as bytes (`ascontiguousarray(table).view(uint8)`), in rows of exactly the size the kernel expects.
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Record>
std::pair<const Record*, int> records(const Bytes& bytes, const char* what) {
  if (bytes.size() % sizeof(Record)) throw std::invalid_argument(std::string(what) + ": rows of another layout");
  return {reinterpret_cast<const Record*>(bytes.data()), static_cast<int>(bytes.size() / sizeof(Record))};
}

// The tables of a scene; it holds references to their arrays.
struct Tables {
  Bytes parts, poses, planes, pixels, surroundings;
  std::optional<Bytes> vertices, triangles, bones;
  Scene scene{};

  Tables(Bytes parts_, Bytes poses_, Bytes planes_, Bytes pixels_, Bytes surroundings_, std::optional<Bytes> vertices_,
         std::optional<Bytes> triangles_, std::optional<Bytes> bones_)
      : parts(parts_),
        poses(poses_),
        planes(planes_),
        pixels(pixels_),
        surroundings(surroundings_),
        vertices(vertices_),
        triangles(triangles_),
        bones(bones_) {
    std::tie(scene.parts, scene.part_count) = records<ScenePart>(parts, "parts");
    std::tie(scene.poses, scene.pose_count) = records<ScenePose>(poses, "poses");
    auto [plane, plane_count] = records<std::array<float, 4>>(planes, "planes");
    scene.planes = plane ? plane->data() : nullptr;
    scene.plane_count = plane_count;
    scene.pixels = pixels.data();
    scene.pixel_rows = static_cast<int>(pixels.size()) / kMask;
    auto [around, count] = records<SceneSurroundings>(surroundings, "surroundings");
    if (count != 1) throw std::invalid_argument("surroundings: exactly one row");
    scene.surroundings = around;
    if (vertices) std::tie(scene.vertices, scene.vertex_count) = records<SceneVertex>(*vertices, "vertices");
    if (bones) std::tie(scene.bones, scene.bone_count) = records<SceneBone>(*bones, "bones");
    if (triangles) {
      auto [corner, triangle_count] = records<std::array<std::int32_t, 3>>(*triangles, "triangles");
      scene.triangles = corner ? corner->data() : nullptr;
      scene.triangle_count = triangle_count;
    }
  }
};

}  // namespace puzzlebox
