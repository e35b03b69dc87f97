// What an immature eye makes of a picture: blur, lost contrast, pale colours, a narrow field.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace puzzlebox {

// What limits an eye. Zeros and ones switch a limit off.
struct RetinaLimits {
  float threshold = 0;   // the least local contrast that is seen; 0: all
  float saturation = 1;  // of colours: 0 is grey, 1 is full
  float focus = 0;       // the dioptres the eye is focused at
  float slack = 0;       // dioptres away from that which do not blur
  float defocus = 0;     // standard deviation of the blur in pixels for each dioptre beyond; 0: none
};

// The filter of square pictures of one size. It keeps its memory between pictures.
class Retina {
 public:
  // `kernel`: the blur of acuity from its middle outwards; one number for no blur. `mask`: what is multiplied with each
  // pixel; empty for nothing. `bands`: the number of octaves whose contrast has a threshold. `mirror`: whether the
  // picture goes on beyond its edges as its mirror image, or else as its outermost pixels.
  Retina(int size, std::vector<float> kernel, std::vector<float> mask, int bands, bool mirror);

  // Filter a picture of side x side x 3 bytes of sRGB, whose middle size x size pixels are written to `out`; the others
  // only take part in blur. `depth`: metres, side x side, or null for no blur by distance. `out` may be the picture.
  void filter(const std::uint8_t* picture, int side, const float* depth, const RetinaLimits& limits, std::uint8_t* out);

  int size() const { return size_; }

 private:
  using Plane = std::vector<float>;
  void resize(int side);
  void cut();
  template <class Row>
  void separable(Plane& plane, int reach, Row row);
  void blur(Plane& plane);
  void smooth(Plane& plane, int spacing);
  void defocus(const float* depth, const RetinaLimits& limits, int planes);
  void lose_contrast(float threshold);

  // `side_` is that of the planes now: with the margin, or without it.
  int size_, side_, bands_;
  bool mirror_;
  std::vector<float> kernel_, mask_;
  // Luminance, and red and blue less luminance.
  Plane planes_[3];
  Plane half_, sharp_, level_, variance_;
  std::vector<Plane> octaves_;
  std::vector<float> padded_;
  float linear_[256];
  std::vector<std::uint8_t> bytes_;
};

void bind_retina(nanobind::module_& module);

}  // namespace puzzlebox
