// The part of a physics step that needs nobody's opinion: animals turn, push, stop and pay for the time, the engine
// moves everything, and the kernel says who met what. Several steps at once, as long as nothing happens in them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solids.h"

namespace puzzlebox {

namespace nb = nanobind;

// What changes of an animal from one physics step to the next.
struct Animal {
  double push;        // newtons
  double quick_stop;  // what is left of its speed after a step without a push
  double heading = 0;
  double health = 100;
  double total = 0;
  int held = 0, spared = 0;
  bool grounded = false, done = false, earned = false;
  double before = 0;  // its total when the decision began that is carried out now

  void face(double degrees);
  void turn(int side);
  // Pay for a step (`cost` is zero or less); false when that was its last health.
  bool spend(double cost);
};

// How a run of physics steps ended: how many were begun, and what there is to tell of the last.
struct Stretch {
  int steps = 0;
  std::vector<int> starved;  // animals whose last health time took, before the engine moved anything
  std::vector<std::pair<int, int>> meetings;
  int astray = -1;  // the row that was lost
  bool eventful() const { return !starved.empty() || !meetings.empty() || astray >= 0; }
};

class Motion {
 public:
  // `system` is the engine's; animals and their bodies in the same order. `put_back` is called with the rows of bodies
  // that are outside and says whether it moved any; None: they stay where they are.
  Motion(nb::object system, nb::object solids, std::vector<nb::object> animals, nb::list bodies, nb::object put_back);

  // The packed state after the last step; None where somebody has changed it since.
  nb::object state() const { return state_; }
  void set_state(nb::object state) { state_ = std::move(state); }

  // Physics steps so far.
  long clock = 0;

  // A decision begins: rewards are counted from here.
  void begin();

  // Let every animal act and pay for one physics step.
  void act(const std::vector<int>& actions, double cost, Stretch& out);
  // Let the engine move everything.
  void move(Stretch& out);
  // Both, up to `most` times, until there is something to tell.
  void go(const std::vector<int>& actions, double cost, int most, Stretch& out);

  using Poses = nb::ndarray<float, nb::shape<-1, 9>, nb::c_contig, nb::device::cpu>;
  using Places = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  // Where the poses of a scene are, and which rows of them are those of the bodies, in the order of the state.
  void show_in(Poses poses, Places places);
  // Write where all bodies are there.
  void show();
  // Where an animal looks, what it got since the decision began, and who else knows of it.
  const Animal& animal(int index) const { return *players_.at(index).animal; }
  int animals() const { return static_cast<int>(players_.size()); }
  int thing(int index) const { return players_.at(index).thing; }
  const Solids& solids() const { return *solids_; }
  // The packed state as numbers.
  const float* packed();
  // What an animal feels of itself: health, velocity to the right, up and forwards, and its position.
  void feel(int animal, float* seven);

 private:
  struct Player {
    Animal* animal;
    nb::object kept;  // keeps `animal` alive
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
  // What the engine is given: three numbers that are written anew each time, and three zeros.
  nb::object vector_, nothing_;
  float* numbers_;
  Poses poses_;
  Places places_;
};

void bind_motion(nb::module_& module);

}  // namespace puzzlebox
