// The one native extension of Puzzlebox. Each kernel lives in its own file; this one only names them for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "cpu.h"
#include "solids.h"

namespace nb = nanobind;
using puzzlebox::Solids;
using puzzlebox::Vec;

namespace {

using Triple = std::array<double, 3>;
using State = std::optional<nb::bytes>;

Vec vec(const Triple& t) { return {t[0], t[1], t[2]}; }

// The numbers of a packed state, which must have a row for every body the kernel follows.
const float* floats(const Solids& solids, const nb::bytes& state) {
  if (state.size() < solids.rows() * puzzlebox::kRow * sizeof(float)) throw std::invalid_argument("the state is too short");
  return reinterpret_cast<const float*>(state.c_str());
}

const float* floats(const Solids& solids, const State& state) { return state ? floats(solids, *state) : nullptr; }

// Things are numbered from 0.
int checked(int thing) {
  if (thing < 0) throw std::invalid_argument("things are numbered from 0");
  return thing;
}

std::vector<Vec> vecs(const std::vector<Triple>& triples) {
  std::vector<Vec> out;
  for (const Triple& t : triples) out.push_back(vec(t));
  return out;
}

void bind_solids(nb::module_& module) {
  nb::class_<Solids>(module, "Solids", "The forms of all things in one arena, and who is near what.")
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
      .def("follow", &Solids::follow, "The things whose poses are the rows of the packed state, in order.")
      .def("watch", &Solids::watch, "The things that are animals.")
      .def("bound", [](Solids& s, Triple low, Triple high) { s.bound(vec(low), vec(high)); })
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
          "meetings of animals (by index) with things, by the poses before it.")
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
          nb::arg("state").none(), nb::arg("point"), nb::arg("radius"), nb::arg("parts"));
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "Native kernels of Puzzlebox.";
  module.def("instruction_set", &puzzlebox::instruction_set,
             "The widest vector instructions of this processor: 'avx512', 'avx2' or 'baseline'.");
  bind_solids(module);
}
