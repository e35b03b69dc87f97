#include "cruise.h"

#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace puzzlebox {

namespace {

constexpr double kRadians = 3.14159265358979323846 / 180.0;

}  // namespace

Cruise::Cruise(nb::object motion, nb::list actions, double cost, int period, long until)
    : kept_motion_(motion), motion_(nb::cast<Motion*>(motion)), actions_(actions), cost_(cost), period_(period),
      until_(until) {
  if (motion_->animals() != 1) throw std::invalid_argument("a cruise is for one animal");
}

nb::object Cruise::go(int action) {
  if (until_ >= 0 && motion_->clock + period_ >= until_) return nb::bool_(false);
  actions_.append(nb::make_tuple(action));
  motion_->begin();
  Stretch out;
  motion_->go({action}, cost_, period_, out);
  return out.eventful() ? nb::cast(out) : nb::none();
}

void Cruise::see(nb::object tables, int row, float fov_degrees, Image image) {
  const Tables* cast_tables = nb::cast<const Tables*>(tables);
  if (row < 0 || row >= cast_tables->scene.pose_count) throw std::invalid_argument("row: there is no such pose");
  if (image.shape(2) != 1 && image.shape(2) != 3) throw std::invalid_argument("image: height x width x 3 or 1");
  kept_tables_ = tables, tables_ = cast_tables, row_ = row, fov_degrees_ = fov_degrees, image_ = image;
  picture_ = {image.data(), static_cast<int>(image.shape(0)), static_cast<int>(image.shape(1)),
              static_cast<int>(image.shape(2)), nullptr, nullptr, false};
}

void Cruise::scan(std::vector<double> turns, double radius, double length, Columns columns, Floats out) {
  bool fits = !turns.empty() && out.shape(0) % turns.size() == 0;
  if (!fits) throw std::invalid_argument("out: a multiple of the number of rays");
  fans_.push_back({std::move(turns), radius, length, columns, out});
}

void Cruise::feel(Floats out) {
  if (out.shape(0) != 7) throw std::invalid_argument("out: seven numbers");
  vitals_ = out;
}

void Cruise::tell(Column<double> rewards, Column<double> totals, Column<double> health, std::size_t row) {
  bool exists = row < rewards.shape(0) && row < totals.shape(0) && row < health.shape(0);
  if (!exists) throw std::invalid_argument("row: there is no such row");
  rewards_ = rewards, totals_ = totals, health_ = health, results_row_ = row;
}

void Cruise::perceive() {
  const Animal& animal = motion_->animal(0);
  if (tables_) {
    motion_->show();
    const float* at = tables_->scene.poses[row_].at;
    View view{{at[0], at[1], at[2]}, static_cast<float>(animal.heading), 0, fov_degrees_, row_};
    nb::gil_scoped_release release;
    paint(tables_->scene, view, picture_);
  }
  for (const Fan& fan : fans_) {
    motion_->solids().scan(motion_->packed(), motion_->thing(0), animal.heading * kRadians, fan.turns, fan.radius,
                           fan.length, fan.columns.data(), fan.columns.shape(0), fan.out.data(),
                           fan.out.shape(0) / fan.turns.size());
  }
  if (vitals_.is_valid()) motion_->feel(0, vitals_.data());
  if (rewards_.is_valid()) {
    rewards_.data()[results_row_] = animal.total - animal.before;
    totals_.data()[results_row_] = animal.total;
    health_.data()[results_row_] = animal.health;
  }
}

void bind_cruise(nb::module_& module) {
  nb::class_<Cruise>(module, "Cruise", "Decisions of a single animal in which no rule fires.")
      .def(nb::init<nb::object, nb::list, double, int, long>(), nb::arg("motion"), nb::arg("actions"), nb::arg("cost"),
           nb::arg("period"), nb::arg("until"))
      .def("see", &Cruise::see, nb::arg("tables"), nb::arg("row"), nb::arg("fov_degrees"), nb::arg("image"))
      .def("scan", &Cruise::scan, nb::arg("turns"), nb::arg("radius"), nb::arg("length"), nb::arg("columns"),
           nb::arg("out"))
      .def("feel", &Cruise::feel, nb::arg("out"))
      .def("tell", &Cruise::tell, nb::arg("rewards"), nb::arg("totals"), nb::arg("health"), nb::arg("row"))
      .def("go", &Cruise::go,
           "Play a decision. None: nothing happened. False: it was not started, because a rule could fire in it. A\n"
           "Stretch: it was started, and then something happened.")
      .def("perceive", &Cruise::perceive, "Fill in the senses of the animal.");
}

}  // namespace puzzlebox
