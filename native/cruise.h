// Steps of an only animal in which nothing happens but physics, and what it then perceives: nearly all steps of most
// episodes, and for vectors of environments, done without any Python in between.
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

  // `actions` gets what is done; a decision lasts `period` physics steps, each of which costs `cost`; the light changes
  // at the physics step `until` (-1: never).
  Cruise(nb::object motion, nb::list actions, double cost, int period, long until);

  // Carry out a decision. None: nothing happened. False: it was not begun, because more than the engine has a say in it.
  // A Stretch: it was begun, and then something happened.
  nb::object go(int action);

  // What `perceive` has to fill in: senses, and in one row of some columns what the decision brought, what there was in
  // all, whether that is enough, and the health that is left.
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
  Floats feeling_;
  Column<double> rewards_, totals_, health_;
  std::size_t told_ = 0;  // the row
};

void bind_cruise(nb::module_& module);

}  // namespace puzzlebox
