// The part of a physics step that needs no rule: animals turn, push, stop and pay for the time, the engine moves the
// bodies, and the kernel finds the contacts. Several steps at once, as long as nothing happens in them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solids.h"

namespace puzzlebox {

namespace nb = nanobind;

// The state of an animal that changes from one physics step to the next.
struct Animal {
  double push;        // newtons
  double quick_stop;  // the part of its speed that remains after a step without a push
  double heading = 0;
  double health = 100;
  double total = 0;
  int held = 0, spared = 0;
  bool grounded = false, done = false, earned = false;
  double before = 0;  // its total at the start of the current decision

  void face(double degrees);
  void turn(int side);
  // Pay for a step (`cost` is zero or less); return false when the health is used up.
  bool spend(double cost);
};

// The end of a run of physics steps: how many were started, and what happened in the last.
struct Stretch {
  int steps = 0;
  std::vector<int> starved;  // animals whose health the time used up; the engine has not moved in this step
  std::vector<std::pair<int, int>> meetings;
  int astray = -1;  // the row of a lost body
  bool eventful() const { return !starved.empty() || !meetings.empty() || astray >= 0; }
};

class Motion {
 public:
  // `system` is the engine's; `animals` and `bodies` are in the same order. `put_back` is called with the rows of
  // bodies that are outside, and returns whether it moved any; None: they stay where they are.
  Motion(nb::object system, nb::object solids, std::vector<nb::object> animals, nb::list bodies, nb::object put_back);

  // The packed state after the last step; None after anything else may have changed it.
  nb::object state() const { return state_; }
  void set_state(nb::object state) { state_ = std::move(state); }

  // Physics steps so far.
  long clock = 0;

  // Start a decision: rewards are counted from here.
  void begin();

  // Let every animal act and pay for one physics step.
  void act(const std::vector<int>& actions, double cost, Stretch& out);
  // Play one physics step of the engine.
  void move(Stretch& out);
  // Act and move, up to `most` times, until something happens.
  void go(const std::vector<int>& actions, double cost, int most, Stretch& out);

  using Poses = nb::ndarray<float, nb::shape<-1, 9>, nb::c_contig, nb::device::cpu>;
  using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  // Set the poses of a scene, and the rows in them of the bodies, in the order of the state.
  void show_in(Poses poses, Places places);
  // Write the poses of all bodies to those rows.
  void show();
  const Animal& animal(int index) const { return *players_.at(index).animal; }
  int animals() const { return static_cast<int>(players_.size()); }
  int thing(int index) const { return players_.at(index).thing; }
  const Solids& solids() const { return *solids_; }
  // The packed state as floats.
  const float* packed();
  // Write health, velocity to the right, up and forwards, and position of an animal.
  void feel(int animal, float* seven);

 private:
  struct Player {
    Animal* animal;
    nb::object kept;  // holds a reference to `animal`
    int thing;
    nb::object add_force_torque, set_linear_velocity;
  };
  void push(Player& player, double force);
  void stop(Player& player);
  const float* row_of(const Player& player) { return packed() + solids_->row(player.thing) * kRow; }

  nb::object step_, pack_, put_back_, kept_solids_;
  const Solids* solids_;
  std::vector<Player> players_;
  std::vector<char> grounded_;
  std::vector<int> strays_;
  nb::object state_;
  // The arguments of the engine's calls: three numbers that are overwritten each time, and three zeros.
  nb::object vector_, nothing_;
  float* numbers_;
  Poses poses_;
  Places places_;
};

void bind_motion(nb::module_& module);

}  // namespace puzzlebox
