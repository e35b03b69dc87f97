// The native extension of Puzzlebox. Each kernel has its own file; this one binds them to Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "camera.h"
#include "cpu.h"
#include "cruise.h"
#include "motion.h"
#include "retina.h"
#include "solids.h"
#include "tables.h"
#include "touch.h"

namespace nb = nanobind;
using puzzlebox::Solids;
using puzzlebox::Vec;

namespace {

using Triple = std::array<double, 3>;
using State = std::optional<nb::bytes>;

Vec vec(const Triple& t) { return {t[0], t[1], t[2]}; }

// Return the floats of a packed state, which must have a row for every body the kernel follows.
const float* floats(const Solids& solids, const nb::bytes& state) {
  if (state.size() < solids.rows() * puzzlebox::kRow * sizeof(float)) throw std::invalid_argument("the state is too short");
  return reinterpret_cast<const float*>(state.c_str());
}

const float* floats(const Solids& solids, const State& state) { return state ? floats(solids, *state) : nullptr; }

// Return the id of a thing, or throw where it is negative.
int checked(int thing) {
  if (thing < 0) throw std::invalid_argument("things are numbered from 0");
  return thing;
}

std::vector<Vec> vecs(const std::vector<Triple>& triples) {
  std::vector<Vec> out;
  for (const Triple& t : triples) out.push_back(vec(t));
  return out;
}

using Columns = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_solids(nb::module_& module) {
  nb::class_<Solids>(module, "Solids", "The shapes of all things in one arena, for tests of contact and distance.")
      .def(nb::init<>())
      .def("add_box", [](Solids& s, int thing, unsigned parts, Triple centre, Triple half) {
        s.add_box(checked(thing), parts, vec(centre), vec(half));
      })
      .def("add_ball", [](Solids& s, int thing, unsigned parts, Triple centre, double radius) {
        s.add_ball(checked(thing), parts, vec(centre), radius);
      })
      .def("add_hull", [](Solids& s, int thing, unsigned parts, const std::vector<Triple>& points) {
        s.add_hull(checked(thing), parts, vecs(points));
      })
      .def("add_tube", [](Solids& s, int thing, unsigned parts, Triple half, double ratio, int sides) {
        s.add_tube(checked(thing), parts, vec(half), ratio, sides);
      })
      .def("remove", &Solids::remove)
      .def("fix", [](Solids& s, int thing, Triple at, std::array<double, 4> q) {
        s.fix(checked(thing), vec(at), q[0], q[1], q[2], q[3]);
      })
      .def("follow", &Solids::follow, "Set the things whose poses are the rows of the packed state, in order.")
      .def("watch", &Solids::watch, "Set the things that are animals.")
      .def("bound", [](Solids& s, Triple low, Triple high) { s.bound(vec(low), vec(high)); })
      .def("keep_within", [](Solids& s, Triple low, Triple high) { s.keep_within(vec(low), vec(high)); })
      .def(
          "look",
          [](const Solids& s, nb::bytes before, nb::bytes after) {
            std::vector<char> grounded;
            std::vector<std::pair<int, int>> meetings;
            s.look(floats(s, before), grounded, meetings);
            int rows = static_cast<int>(after.size() / (sizeof(float) * puzzlebox::kRow));
            int astray = s.astray(floats(s, after), rows);
            return nb::make_tuple(nb::bytes(grounded.data(), grounded.size()), astray, meetings);
          },
          "A byte for each animal, 1 where it stands on something; the row that is astray after the step (or -1); and the\n"
          "contacts of animals (by index) with things, by the poses before it.")
      .def(
          "cut_by_box",
          [](const Solids& s, State state, Triple centre, Triple half, double yaw, unsigned parts) {
            return s.cut_by_box(floats(s, state), vec(centre), vec(half), yaw, parts);
          },
          nb::arg("state").none(), nb::arg("centre"), nb::arg("half"), nb::arg("yaw"), nb::arg("parts"))
      .def(
          "near",
          [](const Solids& s, State state, Triple point, double radius, unsigned parts) {
            return s.near(floats(s, state), vec(point), radius, parts);
          },
          nb::arg("state").none(), nb::arg("point"), nb::arg("radius"), nb::arg("parts"))
      .def(
          "cast",
          [](const Solids& s, nb::bytes state, int eye, const std::vector<double>& yaws, double radius, double length) {
            std::vector<puzzlebox::Hit> hits;
            s.cast(floats(s, state), checked(eye), yaws, radius, length, hits);
            nb::list out;
            for (const auto& hit : hits) out.append(nb::make_tuple(hit.thing, hit.parts, hit.distance));
            return out;
          },
          nb::arg("state"), nb::arg("eye"), nb::arg("yaws"), nb::arg("radius"), nb::arg("length"),
          "For each yaw, what a ball cast from the centre of a thing hits: the id of that thing (-1: nothing), the bits of\n"
          "the shape it hit, and how far it moved.")
      .def(
          "scan",
          [](const Solids& s, nb::bytes state, int eye, double heading, const std::vector<double>& turns, double radius,
             double length, Columns columns, Floats out) {
            std::size_t rays = turns.size();
            if (!rays || out.shape(0) % rays) throw std::invalid_argument("out: a multiple of the number of rays");
            s.scan(floats(s, state), checked(eye), heading, turns, radius, length, columns.data(), columns.shape(0),
                   out.data(), out.shape(0) / rays);
          },
          nb::arg("state"), nb::arg("eye"), nb::arg("heading"), nb::arg("turns"), nb::arg("radius"), nb::arg("length"),
          nb::arg("columns"), nb::arg("out"),
          "Write casts as numbers, a row for each turn from the heading (radians): 1 in the column of what was hit, and\n"
          "last the distance over the length. `columns` has a row for nothing and one for each thing: its column (-1:\n"
          "none) for a hit of one of its solid shapes, and for a hit of another shape.");
}

using puzzlebox::Bytes;
using puzzlebox::Tables;
using Place = std::array<float, 3>;

puzzlebox::View view_of(const Place& eye, float heading, float pitch, float fov_degrees, int skip_thing,
                        float roll = 0) {
  if (!(fov_degrees > 0 && fov_degrees < 179)) throw std::invalid_argument("the field of view is 0 to 179 degrees");
  return {{eye[0], eye[1], eye[2]}, heading, pitch, fov_degrees, skip_thing, roll};
}

void check_size(std::size_t height, std::size_t width) {
  const std::size_t most = 16384;
  bool fits = height >= 1 && width >= 1 && height <= most && width <= most;
  if (!fits) throw std::invalid_argument("1 to 16384 pixels a side");
}

using Image = nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

puzzlebox::Picture picture_of(const Image& image, const std::optional<Numbers>& distance, const std::optional<Ids>& ids,
                              bool through) {
  check_size(image.shape(0), image.shape(1));
  if (image.shape(2) != 1 && image.shape(2) != 3) throw std::invalid_argument("image: height x width x 3 or 1");
  auto same = [&](std::size_t rows, std::size_t columns) {
    bool equal = rows == image.shape(0) && columns == image.shape(1);
    if (!equal) throw std::invalid_argument("all outputs are of one size");
  };
  if (distance) same(distance->shape(0), distance->shape(1));
  if (ids) same(ids->shape(0), ids->shape(1));
  return {image.data(),
          static_cast<int>(image.shape(0)),
          static_cast<int>(image.shape(1)),
          static_cast<int>(image.shape(2)),
          distance ? distance->data() : nullptr,
          ids ? ids->data() : nullptr,
          through};
}

void bind_camera(nb::module_& module) {
  nb::class_<Tables>(module, "Tables", "The tables of puzzlebox.scene.scene, as bytes, for painting.")
      .def(nb::init<Bytes, Bytes, Bytes, Bytes, Bytes, std::optional<Bytes>, std::optional<Bytes>,
                    std::optional<Bytes>>(), nb::arg("parts"), nb::arg("poses"), nb::arg("planes"),
           nb::arg("pixels"), nb::arg("surroundings"), nb::arg("vertices").none() = nb::none(),
           nb::arg("triangles").none() = nb::none(), nb::arg("bones").none() = nb::none())
      .def(
          "paint",
          [](const Tables& tables, Place eye, float heading, float pitch, float fov_degrees, Image image, bool lights,
             std::optional<Numbers> distance, std::optional<Ids> ids, int skip_thing, bool through,
             float roll, int margin) {
            puzzlebox::View view = view_of(eye, heading, pitch, fov_degrees, skip_thing, roll);
            bool fits = margin >= 0 && 2 * static_cast<std::size_t>(margin) < std::min(image.shape(0), image.shape(1));
            if (!fits) throw std::invalid_argument("margin: 0 or more, and less than half of the picture");
            view.margin = margin;
            puzzlebox::Picture picture = picture_of(image, distance, ids, through);
            nb::gil_scoped_release release;
            if (lights || distance || ids) puzzlebox::paint(tables.scene, view, picture);
            if (!lights) std::memset(picture.image, 0, image.size());
          },
          nb::arg("eye"), nb::arg("heading"), nb::arg("pitch"), nb::arg("fov_degrees"), nb::arg("image"),
          nb::arg("lights") = true, nb::arg("distance").none() = nb::none(), nb::arg("ids").none() = nb::none(),
          nb::arg("skip_thing") = -1, nb::arg("through") = false, nb::arg("roll") = 0.0f, nb::arg("margin") = 0,
          "Paint the scene into `image`.")
      .def(
          "look",
          [](const Tables& tables, int row, float heading, float fov_degrees, Image image,
             std::optional<Numbers> distance, std::optional<Ids> ids, bool through) {
            if (row < 0 || row >= tables.scene.pose_count) throw std::invalid_argument("row: there is no such pose");
            const float* at = tables.scene.poses[row].at;
            puzzlebox::View view = view_of({at[0], at[1], at[2]}, heading, 0, fov_degrees, row);
            puzzlebox::Picture picture = picture_of(image, distance, ids, through);
            nb::gil_scoped_release release;
            puzzlebox::paint(tables.scene, view, picture);
          },
          nb::arg("row"), nb::arg("heading"), nb::arg("fov_degrees"), nb::arg("image"), nb::arg("distance").none(),
          nb::arg("ids").none(), nb::arg("through"),
          "Paint the scene from the centre of the thing in a row of the poses, which is not painted itself.")
      .def(
          "shade",
          [](const Tables& tables, Place eye, float heading, float pitch, float fov_degrees, Numbers out, int samples,
             float spread, int skip_thing, float roll) {
            check_size(out.shape(0), out.shape(1));
            puzzlebox::View view = view_of(eye, heading, pitch, fov_degrees, skip_thing, roll);
            int height = static_cast<int>(out.shape(0)), width = static_cast<int>(out.shape(1));
            puzzlebox::Picture picture{nullptr, height, width, 3, nullptr, nullptr, false};
            nb::gil_scoped_release release;
            puzzlebox::shade(tables.scene, view, picture, samples, spread, out.data());
          },
          nb::arg("eye"), nb::arg("heading"), nb::arg("pitch"), nb::arg("fov_degrees"), nb::arg("out"),
          nb::arg("samples"), nb::arg("spread"), nb::arg("skip_thing") = -1, nb::arg("roll") = 0.0f,
          "Write how much of the sun the surface at each pixel sees, 0 to 1.");
  module.def("camera_level", &puzzlebox::camera_level, "The instruction set the camera uses.");
  module.def("set_camera_level", &puzzlebox::set_camera_level,
             "Set 'baseline', 'avx2' or 'avx512' for tests; False where this processor does not support it.");
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "Native kernels of Puzzlebox.";
  module.def("instruction_set", &puzzlebox::instruction_set,
             "The widest vector instructions of this processor: 'avx512', 'avx2' or 'baseline'.");
  bind_solids(module);
  puzzlebox::bind_motion(module);
  puzzlebox::bind_cruise(module);
  bind_camera(module);
  puzzlebox::bind_touch(module);
  puzzlebox::bind_retina(module);
}
