// The shapes of all things in one arena. At every physics step they answer: what does an animal touch, which zones is
// it in, does it stand on something? When a thing is placed: is there room?
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace puzzlebox {

struct Vec {
  double x = 0, y = 0, z = 0;
};

// Position and rotation (rows of the matrix) of a thing.
struct Pose {
  Vec at;
  Vec row[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

// The tests a shape takes part in; the same bits as in puzzlebox.arena.world.engine.
enum Part : std::uint32_t {
  kSolid = 1,    // it collides
  kBlocks = 2,   // nothing may be placed where it is
  kTouched = 4,  // an animal in contact with it is reported
  kEntered = 8,  // an animal that overlaps it is reported
};

enum class Kind { kBox, kBall, kHull, kTube };

// A polygon of a convex shape, seen from outside.
struct Face {
  Vec normal;
  double offset;             // normal . point on the face
  std::vector<int> corners;  // in order around the face
};

// One shape, in the frame of its thing.
struct Solid {
  int thing;
  std::uint32_t parts;
  Kind kind;
  Vec centre;
  Vec half;       // box: half sizes; ball: radius in x; tube: half width, half height, half length
  double reach;   // radius of a bounding ball around the centre
  std::vector<Vec> corners;
  std::vector<Face> faces;
  std::vector<Vec> edges;  // directions of the edges, each once; of a tube the outward normals of its sides, four each
};

// A point's distance from a surface (negative inside) and the direction away from it.
struct Gap {
  double distance;
  Vec normal;
};

// Quaternion, position, linear and angular velocity of one body, as the engine packs them.
constexpr int kRow = 13;

// The floor's id, as in puzzlebox.arena.world.engine.
constexpr int kFloor = 0;

// The result of a cast: the thing (-1: nothing), the bits of its shape, and how far the ball moved.
struct Hit {
  int thing = -1;
  std::uint32_t parts = 0;
  double distance = 0;
};

class Solids {
 public:
  void add_box(int thing, std::uint32_t parts, Vec centre, Vec half);
  void add_ball(int thing, std::uint32_t parts, Vec centre, double radius);
  void add_hull(int thing, std::uint32_t parts, const std::vector<Vec>& points);
  // The upper half of a tube: ratio of inner to outer diameter, and number of sides of its half circle.
  void add_tube(int thing, std::uint32_t parts, Vec half, double ratio, int sides);
  void remove(int thing);
  // Set the pose of a thing: fixed, or in a row of the packed state.
  void fix(int thing, Vec at, double w, double x, double y, double z);
  void follow(const std::vector<int>& things);
  void watch(const std::vector<int>& animals);
  // The number of rows of a packed state, and the row of a thing (-1: it is fixed).
  std::size_t rows() const { return rows_; }
  int row(int thing) const { return places_[thing].row; }
  // The animals: thing and radius.
  const std::vector<std::pair<int, double>>& animals() const { return animals_; }
  void bound(Vec low, Vec high) { low_ = low, high_ = high; }
  // The bounds of positions: within the fence, above the floor.
  void keep_within(Vec low, Vec high) { least_ = low, most_ = high; }

  // Find the contacts of the animals, by the poses at the start of a step; `grounded` gets one byte per animal.
  void look(const float* state, std::vector<char>& grounded, std::vector<std::pair<int, int>>& meetings) const;
  // Return the first row that is not finite or has left the arena, or -1.
  int astray(const float* state, int rows) const;
  // Find the rows whose positions are outside the bounds of `keep_within`.
  void strays(const float* state, int rows, std::vector<int>& out) const;
  // Return the things that a box (rotated about y by `yaw` radians) cuts into, in the order they were added.
  std::vector<int> cut_by_box(const float* state, Vec centre, Vec half, double yaw, std::uint32_t parts) const;
  // Return the things within `radius` of a point.
  std::vector<int> near(const float* state, Vec point, double radius, std::uint32_t parts) const;
  // Cast balls from the centre of a thing, level, in the directions of some yaws (radians, 0 is +z, clockwise seen from
  // above). The thing itself, the floor and whatever a ball overlaps at its start are ignored.
  void cast(const float* state, int eye, const std::vector<double>& yaws, double radius, double length,
            std::vector<Hit>& hits) const;
  // Write casts as numbers, `width` for each turn from the heading: 1 in the column of what was hit, and last the
  // distance over the length. `columns` has two columns for nothing and for each thing: the column (-1: none) for a hit
  // of one of its solid shapes, and for a hit of another shape.
  void scan(const float* state, int eye, double heading, const std::vector<double>& turns, double radius, double length,
            const std::int32_t* columns, std::size_t things, float* out, std::size_t width) const;

 private:
  struct Place {
    int row = -1;
    Pose pose;
  };
  void add(Solid solid);
  Pose pose_of(int thing, const float* state) const;

  std::vector<Solid> solids_;
  std::vector<Place> places_;  // by thing
  std::vector<std::pair<int, double>> animals_;  // thing and radius
  std::size_t rows_ = 0;
  Vec low_, high_;
  Vec least_{-1e30, -1e30, -1e30}, most_{1e30, 1e30, 1e30};
};

}  // namespace puzzlebox
