// Skinned meshes: vertices that follow several bones, drawn as triangles into the pictures of the camera.
#pragma once

#include <vector>

#include "camera.h"

namespace puzzlebox {

// The meshes of a picture, and memory for the kernel (camera_mesh.inc) that is reused from picture to picture.
struct MeshStore {
  struct Mesh {
    int first, count, id;  // triangles, and the id of their pixels
    bool glows;
  };
  std::vector<Mesh> meshes;
  std::vector<float> matrices;  // 12 numbers for each bone
  std::vector<float> columns;   // kMeshColumns numbers for each vertex, column by column
  std::vector<float> painted;   // three planes of colours, as large as the picture

  // Add a part that is a mesh. Throws std::invalid_argument where the tables are inconsistent.
  void add(const Scene& scene, const ScenePart& part, int id);
  // Set the matrices of all bones, and make room for the vertices.
  void prepare(const Scene& scene, std::size_t area);
};
// Of a vertex: position and normal in the world; then pixels right and down, one over the distance, and the colour.
constexpr int kMeshColumns = 12;

}  // namespace puzzlebox
