#include "mesh.h"

#include <algorithm>
#include <cmath>
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

void MeshStore::clear() {
  x.clear(), y.clear(), inverse.clear(), red.clear(), green.clear(), blue.clear();
  triangles.clear(), row.clear(), matrices.clear();
}

void MeshStore::add(const Scene& scene, const ScenePart& part, int id, const Frame& f) {
  if (part.first < 0 || part.count < 0 || part.count > scene.triangle_count - part.first) {
    throw std::invalid_argument("a mesh has no triangles");
  }
  if (matrices.empty()) {
    matrices.resize(12 * static_cast<std::size_t>(scene.bone_count));
    for (int i = 0; i < scene.bone_count; ++i) {
      const SceneBone& bone = scene.bones[i];
      if (bone.thing < 0 || bone.thing >= scene.pose_count) throw std::invalid_argument("a bone belongs to no thing");
      bone_matrix(bone, scene.poses[bone.thing], matrices.data() + 12 * static_cast<std::size_t>(i));
    }
    row.assign(scene.vertex_count, -1);
  }
  const SceneSurroundings& around = *f.around;
  const float per = 1 / f.pixel, middle_x = 0.5f * f.width, middle_y = 0.5f * f.height;
  const bool glows = part.flags & kGlows;
  auto place = [&](int number) {
    if (number < 0 || number >= scene.vertex_count) throw std::invalid_argument("a triangle has no such vertex");
    if (row[number] >= 0) return row[number];
    const SceneVertex& vertex = scene.vertices[number];
    float m[12] = {};
    for (int k = 0; k < 4; ++k) {
      float weight = vertex.weights[k];
      if (weight == 0) continue;
      if (vertex.bones[k] >= scene.bone_count) throw std::invalid_argument("a vertex has no such bone");
      const float* bone = matrices.data() + 12 * static_cast<std::size_t>(vertex.bones[k]);
      for (int i = 0; i < 12; ++i) m[i] += weight * bone[i];
    }
    float at[3], n[3];
    for (int i = 0; i < 3; ++i) {
      const float* r = m + 4 * i;
      at[i] = r[0] * vertex.at[0] + r[1] * vertex.at[1] + r[2] * vertex.at[2] + r[3] - f.eye[i];
      n[i] = r[0] * vertex.normal[0] + r[1] * vertex.normal[1] + r[2] * vertex.normal[2];
    }
    float right = at[0] * f.right[0] + at[1] * f.right[1] + at[2] * f.right[2];
    float up = at[0] * f.up[0] + at[1] * f.up[1] + at[2] * f.up[2];
    float ahead = at[0] * f.forward[0] + at[1] * f.forward[1] + at[2] * f.forward[2];
    float i = ahead > kNear ? 1 / ahead : 0;
    x.push_back(middle_x + right * i * per), y.push_back(middle_y - up * i * per), inverse.push_back(i);
    float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float scale = length > 1e-9f ? 1 / length : 0;
    for (float& each : n) each *= scale;
    // As `light_face` in camera.cpp and `lit` in the kernel.
    float sun = std::max(0.0f, n[0] * around.sun[0] + n[1] * around.sun[1] + n[2] * around.sun[2]);
    float above = std::max(0.0f, n[1]), below = std::max(0.0f, -n[1]), beside = 1 - above - below;
    float lit[3];
    for (int k = 0; k < 3; ++k) {
      float light = sun * around.sunlight[k] + above * around.above[k] + below * around.below[k] + beside * around.beside[k];
      lit[k] = vertex.color[k] * (glows ? 1 : light * around.light);
    }
    red.push_back(lit[0]), green.push_back(lit[1]), blue.push_back(lit[2]);
    row[number] = static_cast<int>(x.size()) - 1;
    return row[number];
  };
  for (int i = part.first; i < part.first + part.count; ++i) {
    const std::int32_t* corner = scene.triangles + 3 * static_cast<std::size_t>(i);
    int a = place(corner[0]), b = place(corner[1]), c = place(corner[2]);
    triangles.push_back({a, b, c, id});
  }
}

void draw_mesh(const Frame& f) {
  const MeshStore& mesh = *f.mesh;
  const float *px = mesh.x.data(), *py = mesh.y.data(), *pi = mesh.inverse.data();
  const float *pr = mesh.red.data(), *pg = mesh.green.data(), *pb = mesh.blue.data();
  const float width = static_cast<float>(f.width), height = static_cast<float>(f.height);
  for (const MeshStore::Triangle& t : mesh.triangles) {
    const int a = t.a, b = t.b, c = t.c;
    // A triangle that reaches behind the eye is not drawn.
    if (!(pi[a] > 0 && pi[b] > 0 && pi[c] > 0)) continue;
    const float ax = px[a], ay = py[a], bx = px[b], by = py[b], cx = px[c], cy = py[c];
    const float area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
    if (!(area > 0)) continue;  // seen from behind
    const float left = std::min(ax, std::min(bx, cx)), right = std::max(ax, std::max(bx, cx));
    const float top = std::min(ay, std::min(by, cy)), bottom = std::max(ay, std::max(by, cy));
    if (!(right > 0 && left < width && bottom > 0 && top < height)) continue;
    // Pixels whose centres are inside.
    const int x0 = static_cast<int>(std::ceil(std::max(left, 0.0f) - 0.5f)), y0 = static_cast<int>(std::ceil(std::max(top, 0.0f) - 0.5f));
    const int x1 = std::min(f.width - 1, static_cast<int>(std::floor(std::min(right, width) - 0.5f)));
    const int y1 = std::min(f.height - 1, static_cast<int>(std::floor(std::min(bottom, height) - 0.5f)));
    if (x0 > x1 || y0 > y1) continue;
    const float per_area = 1 / area;
    // Weights of b and c are linear in the picture; that of a is the rest.
    const float b_x = (cy - ay) * per_area, b_y = -(cx - ax) * per_area;
    const float c_x = -(by - ay) * per_area, c_y = (bx - ax) * per_area;
    for (int y = y0; y <= y1; ++y) {
      const float dy = y + 0.5f - ay;
      const std::size_t line = static_cast<std::size_t>(y) * f.stride;
      for (int x = x0; x <= x1; ++x) {
        const float dx = x + 0.5f - ax;
        const float wb = dx * b_x + dy * b_y, wc = dx * c_x + dy * c_y, wa = 1 - wb - wc;
        // A little more than the triangle, so that rounding leaves no gap between neighbours.
        if (!(wa >= -1e-5f && wb >= -1e-5f && wc >= -1e-5f)) continue;
        const float distance = 1 / (wa * pi[a] + wb * pi[b] + wc * pi[c]);
        const std::size_t at = line + x;
        if (!(distance < f.depth[at])) continue;
        f.depth[at] = distance;
        f.ids[at] = t.id;
        f.painted[0][at] = wa * pr[a] + wb * pr[b] + wc * pr[c];
        f.painted[1][at] = wa * pg[a] + wb * pg[b] + wc * pg[c];
        f.painted[2][at] = wa * pb[a] + wb * pb[b] + wc * pb[c];
      }
    }
  }
}

}  // namespace puzzlebox
