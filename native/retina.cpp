#include "retina.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace puzzlebox {

namespace {

// The luminance of linear red, green and blue (sRGB).
constexpr float kRed = 0.2126f, kGreen = 0.7152f, kBlue = 0.0722f;
// Steps of linear light from which bytes are looked up; fine enough that no byte is left out in the dark.
constexpr int kSteps = 8192;
// Blur of a smaller variance, in square pixels, cannot be seen.
constexpr float kLeastVariance = 0.01f;
// Local contrast is relative to the light around a pixel; in deep shadow it is relative to this.
constexpr float kDarkest = 0.002f;
constexpr int kMostLevels = 6;

// The pixel that stands for one beyond the edges of a mirrored picture, whatever the distance.
int mirrored(int at, int size) {
  int turn = at % (2 * size);
  if (turn < 0) turn += 2 * size;
  return turn < size ? turn : 2 * size - 1 - turn;
}

}  // namespace

Retina::Retina(int size, std::vector<float> kernel, std::vector<float> mask, int bands, bool mirror)
    : size_(size), side_(size), bands_(bands), mirror_(mirror), kernel_(std::move(kernel)), mask_(std::move(mask)) {
  std::size_t pixels = static_cast<std::size_t>(size) * size;
  if (size < 1 || size > 4096) throw std::invalid_argument("size: 1 to 4096 pixels");
  if (kernel_.empty()) throw std::invalid_argument("kernel: at least one number");
  if (!mask_.empty() && mask_.size() != pixels) throw std::invalid_argument("mask: one number for each pixel");
  if (bands < 0 || bands > 8) throw std::invalid_argument("bands: 0 to 8");
  octaves_.assign(static_cast<std::size_t>(bands) + 1, Plane(pixels));
  for (int i = 0; i < 256; ++i) {
    double v = i / 255.0;
    linear_[i] = static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  bytes_.resize(kSteps + 1);
  for (int i = 0; i <= kSteps; ++i) {
    double v = static_cast<double>(i) / kSteps;
    v = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    bytes_[i] = static_cast<std::uint8_t>(255 * v + 0.5);
  }
}

void Retina::resize(int side) {
  side_ = side;
  std::size_t pixels = static_cast<std::size_t>(side) * side;
  for (Plane& plane : planes_) plane.resize(pixels);
  half_.resize(pixels);
}

// Cut off the margin of all planes.
void Retina::cut() {
  int margin = (side_ - size_) / 2;
  for (Plane& plane : planes_) {
    for (int y = 0; y < size_; ++y) {
      const float* line = plane.data() + static_cast<std::size_t>(y + margin) * side_ + margin;
      std::copy(line, line + size_, plane.data() + static_cast<std::size_t>(y) * size_);
    }
  }
  resize(size_);
}

// Apply a symmetric filter along rows and then along columns; beyond the edges is the mirror image of the picture, or the
// outermost pixels go on. `row` writes side_ sums to `out`; what it gets for `at(k)` is the same run of pixels moved by k.
template <class Row>
void Retina::separable(Plane& plane, int reach, Row row) {
  int n = side_;
  padded_.resize(static_cast<std::size_t>(n + 2 * reach));
  auto inside = [&](int at) { return mirror_ ? mirrored(at, n) : std::clamp(at, 0, n - 1); };
  for (int y = 0; y < n; ++y) {
    const float* line = plane.data() + static_cast<std::size_t>(y) * n;
    for (int k = 0; k < reach; ++k) {
      padded_[k] = line[inside(k - reach)];
      padded_[reach + n + k] = line[inside(n + k)];
    }
    std::copy_n(line, n, padded_.begin() + reach);
    const float* middle = padded_.data() + reach;
    row([&](int k) { return middle + k; }, half_.data() + static_cast<std::size_t>(y) * n);
  }
  for (int y = 0; y < n; ++y) {
    row([&](int k) { return half_.data() + static_cast<std::size_t>(inside(y + k)) * n; },
        plane.data() + static_cast<std::size_t>(y) * n);
  }
}

void Retina::blur(Plane& plane) {
  int reach = static_cast<int>(kernel_.size()) - 1, n = side_;
  if (reach == 0) return;
  separable(plane, reach, [&](auto at, float* __restrict out) {
    const float* middle = at(0);
    // Two distances in one pass over the row: half as much reading and writing of sums.
    const float *before = at(-1), *after = at(1);
    const float *second_before = at(-std::min(2, reach)), *second_after = at(std::min(2, reach));
    float first = kernel_[1], second = reach > 1 ? kernel_[2] : 0;
    float centre = kernel_[0];
    for (int x = 0; x < n; ++x) {
      out[x] = centre * middle[x] + first * (before[x] + after[x]) + second * (second_before[x] + second_after[x]);
    }
    for (int k = 3; k <= reach; k += 2) {
      int far = std::min(k + 1, reach);
      before = at(-k), after = at(k), second_before = at(-far), second_after = at(far);
      first = kernel_[k], second = far > k ? kernel_[far] : 0;
      for (int x = 0; x < n; ++x) {
        out[x] += first * (before[x] + after[x]) + second * (second_before[x] + second_after[x]);
      }
    }
  });
}

// Smooth by a cubic B-spline with holes: five pixels, `spacing` apart; its variance is the square of `spacing`.
void Retina::smooth(Plane& plane, int spacing) {
  int n = side_;
  separable(plane, 2 * spacing, [&](auto at, float* __restrict out) {
    const float *a = at(-2 * spacing), *b = at(-spacing), *c = at(0), *d = at(spacing), *e = at(2 * spacing);
    for (int x = 0; x < n; ++x) out[x] = 0.375f * c[x] + 0.25f * (b[x] + d[x]) + 0.0625f * (a[x] + e[x]);
  });
}

// Blur each pixel by its distance: a mixture of the two nearest levels of smoothness that has the right variance.
void Retina::defocus(const float* depth, const RetinaLimits& limits, int planes) {
  std::size_t pixels = planes_[0].size();
  variance_.resize(pixels);
  float most = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    float away = std::fabs(1.0f / std::max(depth[i], 0.01f) - limits.focus) - limits.slack;
    float sigma = limits.defocus * std::max(away, 0.0f);
    variance_[i] = sigma * sigma;
    most = std::max(most, variance_[i]);
  }
  if (most < kLeastVariance) return;
  for (int p = 0; p < planes; ++p) {
    Plane& plane = planes_[p];
    sharp_ = plane;
    level_ = plane;
    float low = 0;
    for (int j = 0; j < kMostLevels && low < most && 2 << j < size_; ++j) {
      smooth(level_, 1 << j);
      float step = static_cast<float>(1 << (2 * j));
      // What is smoother than this level moves on to the next one, pixel by pixel.
      for (std::size_t i = 0; i < pixels; ++i) {
        float share = std::clamp((variance_[i] - low) / step, 0.0f, 1.0f);
        plane[i] += share * (level_[i] - sharp_[i]);
      }
      sharp_ = level_;
      low += step;
    }
  }
}

// Remove contrast below the threshold in each octave. A pattern between two octaves is in both, so neighbours count
// together; contrast far above the threshold stays as it is.
void Retina::lose_contrast(float threshold) {
  Plane& light = planes_[0];
  std::size_t pixels = light.size();
  octaves_[0] = light;
  for (int k = 0; k < bands_; ++k) {
    octaves_[k + 1] = octaves_[k];
    smooth(octaves_[k + 1], 1 << k);
  }
  light = octaves_[bands_];
  float least = threshold * threshold;
  for (int k = 0; k < bands_; ++k) {
    const float* __restrict finer = octaves_[k > 0 ? k - 1 : 0].data();
    const float* __restrict fine = octaves_[k].data();
    const float* __restrict coarse = octaves_[k + 1].data();
    const float* __restrict coarser = octaves_[k + 2 <= bands_ ? k + 2 : bands_].data();
    float* __restrict out = light.data();
    for (std::size_t i = 0; i < pixels; ++i) {
      float own = fine[i] - coarse[i], with_finer = finer[i] - coarse[i], with_coarser = fine[i] - coarser[i];
      float with_both = finer[i] - coarser[i];
      float most = std::max(std::max(own * own, with_both * with_both),
                            std::max(with_finer * with_finer, with_coarser * with_coarser));
      float around = std::max(coarser[i], kDarkest);
      float needed = least * around * around;
      out[i] += own * std::max(0.0f, 1.0f - needed / std::max(most, 1e-20f));
    }
  }
}

void Retina::filter(const std::uint8_t* picture, int side, const float* depth, const RetinaLimits& limits,
                    std::uint8_t* out) {
  resize(side);
  std::size_t pixels = planes_[0].size();
  float *light = planes_[0].data(), *red = planes_[1].data(), *blue = planes_[2].data();
  bool grey = limits.saturation == 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    float r = linear_[picture[3 * i]], g = linear_[picture[3 * i + 1]], b = linear_[picture[3 * i + 2]];
    float y = kRed * r + kGreen * g + kBlue * b;
    light[i] = y, red[i] = r - y, blue[i] = b - y;
  }
  int planes = grey ? 1 : 3;
  if (depth != nullptr && limits.defocus > 0) defocus(depth, limits, planes);
  for (int p = 0; p < planes; ++p) blur(planes_[p]);
  if (side > size_) cut();
  pixels = planes_[0].size();
  if (limits.threshold > 0) lose_contrast(limits.threshold);
  // What is not a number becomes black.
  auto byte_of = [&](float v) { return bytes_[static_cast<int>((v > 0 ? std::min(v, 1.0f) : 0.0f) * kSteps + 0.5f)]; };
  for (std::size_t i = 0; i < pixels; ++i) {
    float seen = mask_.empty() ? 1.0f : mask_[i], y = light[i] * seen;
    if (grey) {
      out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = byte_of(y);
      continue;
    }
    float u = red[i] * seen * limits.saturation, v = blue[i] * seen * limits.saturation;
    out[3 * i] = byte_of(y + u);
    out[3 * i + 1] = byte_of(y - (kRed * u + kBlue * v) / kGreen);
    out[3 * i + 2] = byte_of(y + v);
  }
}

namespace nb = nanobind;
using Numbers = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Picture = nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Depth = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void bind_retina(nb::module_& module) {
  nb::class_<Retina>(module, "Retina", "What an immature eye makes of a picture, for puzzlebox.infant.senses.retina.")
      .def(
          "__init__",
          [](Retina* self, int size, Numbers kernel, Numbers mask, int bands, bool mirror) {
            new (self) Retina(size, {kernel.data(), kernel.data() + kernel.size()},
                              {mask.data(), mask.data() + mask.size()}, bands, mirror);
          },
          nb::arg("size"), nb::arg("kernel"), nb::arg("mask"), nb::arg("bands"), nb::arg("mirror"))
      .def(
          "filter",
          [](Retina& self, Picture picture, nb::object depth, float threshold, float saturation, float focus,
             float slack, float defocus, Picture out) {
            std::size_t n = picture.shape(0), size = static_cast<std::size_t>(self.size());
            if (n < size || n > 4 * size || (n - size) % 2 != 0 || picture.shape(1) != n || picture.shape(2) != 3) {
              throw std::invalid_argument("picture: size x size x 3 bytes, or with the same margin at each edge");
            }
            if (out.shape(0) != size || out.shape(1) != size || out.shape(2) != 3) {
              throw std::invalid_argument("out: size x size x 3 bytes");
            }
            const float* distances = nullptr;
            Depth array;
            if (!depth.is_none()) {
              array = nb::cast<Depth>(depth);
              if (array.shape(0) != n || array.shape(1) != n) throw std::invalid_argument("depth: one number for each pixel");
              distances = array.data();
            }
            self.filter(picture.data(), static_cast<int>(n), distances, {threshold, saturation, focus, slack, defocus},
                        out.data());
          },
          nb::arg("picture"), nb::arg("depth").none(), nb::arg("threshold"), nb::arg("saturation"), nb::arg("focus"),
          nb::arg("slack"), nb::arg("defocus"), nb::arg("out"),
          "Filter a picture of sRGB bytes, and write its middle to `out`, which may be the picture; depth in metres blurs\n"
          "what is out of focus.");
}

}  // namespace puzzlebox
