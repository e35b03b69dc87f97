#include "motion.h"

#include <nanobind/stl/vector.h>
#include <nanobind/stl/pair.h>

#include <cmath>

namespace puzzlebox {

namespace {

constexpr double kTurn = 2.0;  // degrees in one physics step: 100 a second
// Health is a sum of thousands of small costs; less than this is rounding.
constexpr double kNothing = 1e-9;
constexpr double kRadians = 3.14159265358979323846 / 180.0;
// Offsets in a row of the packed state, which starts with the rotation; and the width of a row of poses: position,
// rotation, and two more numbers (puzzlebox.scene.scene).
constexpr int kPosition = 4, kVelocity = 7;
constexpr int kPose = 9;

// Return an array of three floats, which owns them.
nb::object vector_of(float** data) {
  float* numbers = new float[3]();
  nb::capsule owner(numbers, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  if (data) *data = numbers;
  return nb::cast(nb::ndarray<nb::numpy, float, nb::shape<3>>(numbers, {3}, owner));
}

}  // namespace

void Animal::face(double degrees) {
  double rest = std::fmod(degrees, 360.0);
  heading = rest < 0 ? rest + 360.0 : rest == 0 ? 0.0 : rest;
}

void Animal::turn(int side) {
  if (side) face(heading + (side == 1 ? kTurn : -kTurn));
}

bool Animal::spend(double cost) {
  total += cost;
  health += 100.0 * cost;
  if (health > kNothing) return true;
  health = 0.0;
  return false;
}

Motion::Motion(nb::object system, nb::object solids, std::vector<nb::object> animals, nb::list bodies,
               nb::object put_back)
    : step_(system.attr("step")),
      pack_(system.attr("pack")),
      put_back_(put_back),
      kept_solids_(solids),
      solids_(nb::cast<const Solids*>(solids)),
      state_(nb::none()),
      nothing_(vector_of(nullptr)) {
  vector_ = vector_of(&numbers_);
  if (animals.size() != bodies.size() || animals.size() != solids_->animals().size())
    throw std::invalid_argument("one body for each animal the kernel watches");
  for (std::size_t i = 0; i < animals.size(); ++i)
    players_.push_back({nb::cast<Animal*>(animals[i]), animals[i], solids_->animals()[i].first,
                        bodies[i].attr("add_force_torque"), bodies[i].attr("set_linear_velocity")});
}

const float* Motion::packed() {
  if (state_.is_none()) state_ = pack_();
  nb::bytes bytes = nb::borrow<nb::bytes>(state_);
  if (bytes.size() < solids_->rows() * kRow * sizeof(float)) throw std::invalid_argument("the state is too short");
  return reinterpret_cast<const float*>(bytes.c_str());
}

void Motion::push(Player& player, double force) {
  double angle = player.animal->heading * kRadians;
  numbers_[0] = static_cast<float>(force * std::sin(angle));
  numbers_[1] = 0.0f;
  numbers_[2] = static_cast<float>(force * std::cos(angle));
  player.add_force_torque(vector_, nothing_);
}

void Motion::stop(Player& player) {
  float left = static_cast<float>(player.animal->quick_stop);
  if (left >= 1.0f) return;
  const float* velocity = row_of(player) + kVelocity;
  for (int axis = 0; axis < 3; ++axis) numbers_[axis] = velocity[axis] * left;
  player.set_linear_velocity(vector_);
}

void Motion::begin() {
  for (Player& player : players_) {
    player.animal->before = player.animal->total;
    player.animal->earned = false;
  }
}

void Motion::act(const std::vector<int>& actions, double cost, Stretch& out) {
  if (actions.size() != players_.size()) throw std::invalid_argument("one action for each animal");
  ++clock;
  for (std::size_t i = 0; i < players_.size(); ++i) {
    Animal& animal = *players_[i].animal;
    if (animal.done) continue;
    if (animal.held) {
      --animal.held;
    } else {
      int move = actions[i] / 3;
      animal.turn(actions[i] % 3);
      if (animal.grounded) {
        if (move == 0) {
          stop(players_[i]);
        } else {
          push(players_[i], move == 1 ? animal.push : -animal.push);
        }
      }
      animal.spared = 0;
    }
    if (animal.spared) {
      --animal.spared;
    } else if (cost != 0 && !animal.spend(cost)) {
      out.starved.push_back(static_cast<int>(i));
    }
  }
}

void Motion::move(Stretch& out) {
  packed();
  nb::object before = state_;  // contacts are those at the start of a step
  step_();
  state_ = pack_();
  const float* after = packed();
  grounded_.clear();
  solids_->look(reinterpret_cast<const float*>(nb::borrow<nb::bytes>(before).c_str()), grounded_, out.meetings);
  int rows = static_cast<int>(nb::len(state_) / (sizeof(float) * kRow));
  out.astray = solids_->astray(after, rows);
  if (out.astray < 0 && !put_back_.is_none()) {
    strays_.clear();
    solids_->strays(after, rows, strays_);
    if (!strays_.empty() && nb::cast<bool>(put_back_(strays_))) state_ = pack_();
  }
  for (std::size_t i = 0; i < players_.size(); ++i) players_[i].animal->grounded = grounded_[i] == 1;
}

void Motion::go(const std::vector<int>& actions, double cost, int most, Stretch& out) {
  while (out.steps < most) {
    ++out.steps;
    act(actions, cost, out);
    if (!out.starved.empty()) return;
    move(out);
    if (out.eventful()) return;
  }
}

void Motion::show_in(Poses poses, Places places) {
  if (places.shape(0) < solids_->rows()) throw std::invalid_argument("a place for each body");
  for (std::size_t body = 0; body < places.shape(0); ++body) {
    bool there = places(body) >= 0 && places(body) < static_cast<std::int64_t>(poses.shape(0));
    if (!there) throw std::invalid_argument("no such place");
  }
  poses_ = poses;
  places_ = places;
}

void Motion::show() {
  const float* state = packed();
  if (!places_.is_valid() || places_.shape(0) < solids_->rows()) throw std::invalid_argument("a place for each body");
  float* poses = poses_.data();
  const std::int64_t* places = places_.data();
  for (std::size_t body = 0; body < solids_->rows(); ++body) {
    const float* row = state + body * kRow;
    float* pose = poses + places[body] * kPose;
    for (int axis = 0; axis < 3; ++axis) pose[axis] = row[kPosition + axis];
    for (int axis = 0; axis < 4; ++axis) pose[3 + axis] = row[axis];
  }
  for (const Player& player : players_) {  // the body of an animal never turns
    double half = player.animal->heading * kRadians / 2;
    float* pose = poses + places[solids_->row(player.thing)] * kPose;
    pose[3] = static_cast<float>(std::cos(half));
    pose[5] = static_cast<float>(std::sin(half));
  }
}

void Motion::feel(int animal, float* seven) {
  const Player& player = players_.at(animal);
  const float* row = row_of(player);
  const float* velocity = row + kVelocity;
  double angle = player.animal->heading * kRadians, c = std::cos(angle), s = std::sin(angle);
  seven[0] = static_cast<float>(player.animal->health);
  seven[1] = static_cast<float>(velocity[0] * c - velocity[2] * s);
  seven[2] = velocity[1];
  seven[3] = static_cast<float>(velocity[0] * s + velocity[2] * c);
  for (int axis = 0; axis < 3; ++axis) seven[4 + axis] = row[kPosition + axis];
}

void bind_motion(nb::module_& module) {
  using Seven = nb::ndarray<float, nb::shape<7>, nb::c_contig, nb::device::cpu>;
  nb::class_<Animal>(module, "Animal", "What changes of an animal from one physics step to the next.")
      .def("__init__",
           [](Animal* self, double push, double quick_stop) {
             new (self) Animal{push, quick_stop};
           }, nb::arg("push"), nb::arg("quick_stop"))
      .def("__deepcopy__", [](const Animal& self, nb::dict) { return Animal(self); })
      .def("face", &Animal::face)
      .def_ro("heading", &Animal::heading)
      .def_rw("health", &Animal::health)
      .def_rw("total", &Animal::total)
      .def_rw("before", &Animal::before)
      .def_rw("held", &Animal::held)
      .def_rw("spared", &Animal::spared)
      .def_rw("grounded", &Animal::grounded)
      .def_rw("done", &Animal::done)
      .def_rw("earned", &Animal::earned);
  nb::class_<Stretch>(module, "Stretch", "The end of a run of physics steps.")
      .def_ro("steps", &Stretch::steps, "How many steps were started.")
      .def_ro("starved", &Stretch::starved,
              "Animals whose health the time used up; the engine has not moved in this step.")
      .def_ro("meetings", &Stretch::meetings,
              "Contacts of animals (by index) with things, by the poses before the last step.")
      .def_ro("astray", &Stretch::astray, "The row of a lost body in the state, or -1.")
      .def_prop_ro("eventful", &Stretch::eventful, "Whether anything happened.");
  nb::class_<Motion>(module, "Motion", "Physics steps of one arena.")
      .def(nb::init<nb::object, nb::object, std::vector<nb::object>, nb::list, nb::object>(), nb::arg("system"),
           nb::arg("solids"), nb::arg("animals"), nb::arg("bodies"), nb::arg("put_back").none() = nb::none())
      .def_prop_rw("state", &Motion::state, &Motion::set_state, nb::for_setter(nb::arg("state").none()),
                   "The packed state after the last step; None after anything else may have changed it.")
      .def_rw("clock", &Motion::clock, "Physics steps so far.")
      .def("begin", &Motion::begin, "Start a decision: rewards are counted from here.")
      .def(
          "act",
          [](Motion& m, const std::vector<int>& actions, double cost) {
            Stretch out;
            m.act(actions, cost, out);
            return out.starved;
          },
          "Let every animal act and pay for one physics step; return those whose health it used up.")
      .def(
          "move",
          [](Motion& m) {
            Stretch out;
            m.move(out);
            return out;
          },
          "Play one physics step of the engine.")
      .def(
          "go",
          [](Motion& m, const std::vector<int>& actions, double cost, int most) -> nb::object {
            Stretch out;
            m.go(actions, cost, most, out);
            return out.eventful() ? nb::cast(out) : nb::none();
          },
          "Act and move, `most` times or until something happens; None: nothing happened.")
      .def("show_in", &Motion::show_in, nb::arg("poses"), nb::arg("places"),
           "Set the poses of a scene, and the rows in them of the bodies.")
      .def("show", &Motion::show, "Write the poses of all bodies to those rows.")
      .def(
          "feel", [](Motion& m, int animal, Seven out) { m.feel(animal, out.data()); },
          "Write health, velocity to the right, up and forwards, and position of an animal.");
}

}  // namespace puzzlebox
