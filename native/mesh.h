// Skinned meshes: vertices that follow several bones, drawn as triangles into the pictures of the camera.
#pragma once

#include <vector>

#include "camera_shapes.h"

namespace puzzlebox {

// The triangles of all meshes of a picture, by vertex: pixels to the right and down, one over the distance along the
// axis of view (0 behind the eye), and the colour in the light of sun and sky.
struct MeshStore {
  std::vector<float> x, y, inverse, red, green, blue;
  std::vector<float> painted;       // three planes of colours, as large as the picture
  std::vector<float> matrices;      // 12 numbers for each bone
  std::vector<int> row;             // where each vertex of the scene is in the vectors above, or -1
  struct Triangle {
    int a, b, c, id;
  };
  std::vector<Triangle> triangles;

  void clear();
  // Add a part that is a mesh, with the id its pixels get. The frame must have its size, eye and axes.
  void add(const Scene& scene, const ScenePart& part, int id, const Frame& frame);
};

}  // namespace puzzlebox
