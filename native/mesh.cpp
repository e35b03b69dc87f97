#include "mesh.h"

#include <stdexcept>

namespace puzzlebox {

namespace {

// Rows of a rotation by a quaternion.
void rotation(const float* q, float out[3][3]) {
  float w = q[0], x = q[1], y = q[2], z = q[3];
  out[0][0] = 1 - 2 * (y * y + z * z), out[0][1] = 2 * (x * y - w * z), out[0][2] = 2 * (x * z + w * y);
  out[1][0] = 2 * (x * y + w * z), out[1][1] = 1 - 2 * (x * x + z * z), out[1][2] = 2 * (y * z - w * x);
  out[2][0] = 2 * (x * z - w * y), out[2][1] = 2 * (y * z + w * x), out[2][2] = 1 - 2 * (x * x + y * y);
}

// From the posture in which the mesh was made to the current pose of a bone: three rows of four.
void bone_matrix(const SceneBone& bone, const ScenePose& pose, float* out) {
  float now[3][3], then[3][3];
  rotation(pose.turn, now), rotation(bone.turn, then);
  for (int i = 0; i < 3; ++i) {
    float* row = out + 4 * i;
    for (int k = 0; k < 3; ++k) row[k] = now[i][0] * then[k][0] + now[i][1] * then[k][1] + now[i][2] * then[k][2];
    row[3] = pose.at[i] - (row[0] * bone.at[0] + row[1] * bone.at[1] + row[2] * bone.at[2]);
  }
}

}  // namespace

void MeshStore::add(const Scene& scene, const ScenePart& part, int id) {
  if (part.first < 0 || part.count < 0 || part.count > scene.triangle_count - part.first) {
    throw std::invalid_argument("a mesh has no triangles");
  }
  if (part.count) meshes.push_back({part.first, part.count, id, (part.flags & kGlows) != 0});
}

void MeshStore::prepare(const Scene& scene, std::size_t area) {
  matrices.resize(12 * static_cast<std::size_t>(scene.bone_count));
  for (int i = 0; i < scene.bone_count; ++i) {
    const SceneBone& bone = scene.bones[i];
    if (bone.thing < 0 || bone.thing >= scene.pose_count) throw std::invalid_argument("a bone belongs to no thing");
    bone_matrix(bone, scene.poses[bone.thing], matrices.data() + 12 * static_cast<std::size_t>(i));
  }
  for (int i = 0; i < scene.vertex_count; ++i) {
    for (std::uint16_t bone : scene.vertices[i].bones) {
      if (bone >= scene.bone_count) throw std::invalid_argument("a vertex has no such bone");
    }
  }
  for (const Mesh& mesh : meshes) {
    const std::int32_t* corner = scene.triangles + 3 * static_cast<std::size_t>(mesh.first);
    for (int i = 0; i < 3 * mesh.count; ++i) {
      bool there = corner[i] >= 0 && corner[i] < scene.vertex_count;
      if (!there) throw std::invalid_argument("a triangle has no such vertex");
    }
  }
  std::size_t needed = static_cast<std::size_t>(kMeshColumns) * scene.vertex_count;
  if (columns.size() < needed) columns.resize(needed);
  if (painted.size() < 3 * area) painted.resize(3 * area);
}

}  // namespace puzzlebox
