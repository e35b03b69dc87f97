// Decisions of a single animal in which no rule fires, and what it then perceives. These are nearly all decisions of
// most episodes; vectors of environments play them without calling Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "motion.h"
#include "tables.h"

namespace puzzlebox {

class Cruise {
 public:
  template <class T>
  using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Image = nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
  using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Columns = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

  // Actions are appended to `actions`; a decision lasts `period` physics steps, each of which costs `cost`; the light
  // changes at the physics step `until` (-1: never).
  Cruise(nb::object motion, nb::list actions, double cost, int period, long until);

  // Play a decision. None: nothing happened. False: the decision was not started, because a rule could fire in it. A
  // Stretch: it was started, and then something happened.
  nb::object go(int action);

  // Set what `perceive` fills in: senses, and in one row of some columns the reward of the decision, the return so far
  // and the health.
  void see(nb::object tables, int row, float fov_degrees, Image image);
  void scan(std::vector<double> turns, double radius, double length, Columns columns, Floats out);
  void feel(Floats out);
  void tell(Column<double> rewards, Column<double> totals, Column<double> health, std::size_t row);
  void perceive();

 private:
  struct Fan {
    std::vector<double> turns;
    double radius, length;
    Columns columns;
    Floats out;
  };
  const Animal& animal() const { return motion_->animal(0); }

  nb::object kept_motion_, kept_tables_;
  Motion* motion_;
  nb::list actions_;
  double cost_;
  int period_;
  long until_;
  const Tables* tables_ = nullptr;
  int row_ = -1;
  float fov_degrees_ = 0;
  Picture picture_{};
  Image image_;
  std::vector<Fan> fans_;
  Floats vitals_;
  Column<double> rewards_, totals_, health_;
  std::size_t results_row_ = 0;
};

void bind_cruise(nb::module_& module);

}  // namespace puzzlebox
