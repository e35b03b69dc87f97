// Vectors of floats. The camera's kernel is written once with these types and compiled for each instruction set; the
// namespace of the set keeps the copies apart. No templates of the standard library here: the linker keeps one copy of
// those, which might be the one for a newer processor.
#pragma once

#include <math.h>
#include <string.h>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

namespace puzzlebox::CAMERA_LEVEL {

#if defined(__AVX512F__)

constexpr int kLanes = 16;
struct F {
  __m512 v;
  F() = default;
  F(__m512 x) : v(x) {}
  F(float x) : v(_mm512_set1_ps(x)) {}
};
struct I {
  __m512i v;
  I() = default;
  I(__m512i x) : v(x) {}
  I(int x) : v(_mm512_set1_epi32(x)) {}
};
struct M {
  __mmask16 v;
};
INLINE F operator+(F a, F b) { return a.v + b.v; }
INLINE F operator-(F a, F b) { return a.v - b.v; }
INLINE F operator*(F a, F b) { return a.v * b.v; }
INLINE F operator/(F a, F b) { return a.v / b.v; }
INLINE F operator-(F a) { return -a.v; }
INLINE M operator<(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)}; }
INLINE M operator<=(F a, F b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)}; }
INLINE M operator==(I a, I b) { return {_mm512_cmpeq_epi32_mask(a.v, b.v)}; }
INLINE M operator&(M a, M b) { return {static_cast<__mmask16>(a.v & b.v)}; }
INLINE M operator|(M a, M b) { return {static_cast<__mmask16>(a.v | b.v)}; }
INLINE M without(M a, M b) { return {static_cast<__mmask16>(a.v & ~b.v)}; }
INLINE M all_lanes() { return {0xffff}; }
INLINE unsigned bits(M a) { return a.v; }
INLINE F select(M m, F a, F b) { return _mm512_mask_blend_ps(m.v, b.v, a.v); }
INLINE I select(M m, I a, I b) { return _mm512_mask_blend_epi32(m.v, b.v, a.v); }
INLINE F smaller(F a, F b) { return _mm512_min_ps(a.v, b.v); }  // b where a is NaN
INLINE F larger(F a, F b) { return _mm512_max_ps(a.v, b.v); }
INLINE F abs(F a) { return _mm512_abs_ps(a.v); }
INLINE F floor(F a) { return _mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
INLINE F root(F a) { return _mm512_sqrt_ps(a.v); }
INLINE F rough_inverse_root(F a) { return _mm512_rsqrt14_ps(a.v); }
INLINE F rough_inverse(F a) { return _mm512_rcp14_ps(a.v); }
INLINE F load(const float* p) { return _mm512_loadu_ps(p); }
INLINE void store(float* p, F a) { _mm512_storeu_ps(p, a.v); }
INLINE I load(const int* p) { return _mm512_loadu_si512(p); }
INLINE void store(int* p, I a) { _mm512_storeu_si512(p, a.v); }
INLINE I nearest_int(F a) { return _mm512_cvtps_epi32(a.v); }
INLINE F to_float(I a) { return _mm512_cvtepi32_ps(a.v); }
INLINE I operator|(I a, I b) { return _mm512_or_si512(a.v, b.v); }
template <int n>
INLINE I shift_left(I a) {
  return _mm512_slli_epi32(a.v, n);
}

#elif defined(__AVX2__)

constexpr int kLanes = 8;
struct F {
  __m256 v;
  F() = default;
  F(__m256 x) : v(x) {}
  F(float x) : v(_mm256_set1_ps(x)) {}
};
struct I {
  __m256i v;
  I() = default;
  I(__m256i x) : v(x) {}
  I(int x) : v(_mm256_set1_epi32(x)) {}
};
struct M {
  __m256 v;
};
INLINE F operator+(F a, F b) { return a.v + b.v; }
INLINE F operator-(F a, F b) { return a.v - b.v; }
INLINE F operator*(F a, F b) { return a.v * b.v; }
INLINE F operator/(F a, F b) { return a.v / b.v; }
INLINE F operator-(F a) { return -a.v; }
INLINE M operator<(F a, F b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)}; }
INLINE M operator<=(F a, F b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)}; }
INLINE M operator==(I a, I b) { return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))}; }
INLINE M operator&(M a, M b) { return {_mm256_and_ps(a.v, b.v)}; }
INLINE M operator|(M a, M b) { return {_mm256_or_ps(a.v, b.v)}; }
INLINE M without(M a, M b) { return {_mm256_andnot_ps(b.v, a.v)}; }
INLINE M all_lanes() { return {_mm256_castsi256_ps(_mm256_set1_epi32(-1))}; }
INLINE unsigned bits(M a) { return static_cast<unsigned>(_mm256_movemask_ps(a.v)); }
INLINE F select(M m, F a, F b) { return _mm256_blendv_ps(b.v, a.v, m.v); }
INLINE I select(M m, I a, I b) {
  return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(b.v), _mm256_castsi256_ps(a.v), m.v));
}
INLINE F smaller(F a, F b) { return _mm256_min_ps(a.v, b.v); }
INLINE F larger(F a, F b) { return _mm256_max_ps(a.v, b.v); }
INLINE F abs(F a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v); }
INLINE F floor(F a) { return _mm256_floor_ps(a.v); }
INLINE F root(F a) { return _mm256_sqrt_ps(a.v); }
INLINE F rough_inverse_root(F a) { return _mm256_rsqrt_ps(a.v); }
INLINE F rough_inverse(F a) { return _mm256_rcp_ps(a.v); }
INLINE F load(const float* p) { return _mm256_loadu_ps(p); }
INLINE void store(float* p, F a) { _mm256_storeu_ps(p, a.v); }
INLINE I load(const int* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
INLINE void store(int* p, I a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
INLINE I nearest_int(F a) { return _mm256_cvtps_epi32(a.v); }
INLINE F to_float(I a) { return _mm256_cvtepi32_ps(a.v); }
INLINE I operator|(I a, I b) { return _mm256_or_si256(a.v, b.v); }
template <int n>
INLINE I shift_left(I a) {
  return _mm256_slli_epi32(a.v, n);
}

#else

// Four lanes of SSE2 or NEON, or a single float where the compiler has no vectors.
#if defined(__GNUC__) || defined(__clang__)
constexpr int kLanes = 4;
typedef float Floats __attribute__((vector_size(16)));
typedef int Ints __attribute__((vector_size(16)));
INLINE Floats spread(float x) { return Floats{x, x, x, x}; }
INLINE Ints spread(int x) { return Ints{x, x, x, x}; }
INLINE int lane(Ints a, int i) { return a[i]; }
INLINE Ints mask_of(Ints a) { return a; }
INLINE Floats pick(Ints m, Floats a, Floats b) {
  return reinterpret_cast<Floats>((m & reinterpret_cast<Ints>(a)) | (~m & reinterpret_cast<Ints>(b)));
}
INLINE Ints pick(Ints m, Ints a, Ints b) { return (m & a) | (~m & b); }
INLINE Floats as_floats(Ints a) { return __builtin_convertvector(a, Floats); }
INLINE Ints as_ints(Floats a) { return __builtin_convertvector(a, Ints); }
INLINE float get(Floats a, int i) { return a[i]; }
INLINE void put(Floats& a, int i, float x) { a[i] = x; }
#else
constexpr int kLanes = 1;
typedef float Floats;
typedef int Ints;
INLINE Floats spread(float x) { return x; }
INLINE Ints spread(int x) { return x; }
INLINE int lane(Ints a, int) { return a; }
INLINE Ints mask_of(bool a) { return a ? -1 : 0; }
INLINE Floats pick(Ints m, Floats a, Floats b) { return m ? a : b; }
INLINE Ints pick(Ints m, Ints a, Ints b) { return m ? a : b; }
INLINE Floats as_floats(Ints a) { return static_cast<float>(a); }
INLINE Ints as_ints(Floats a) { return static_cast<int>(a); }
INLINE float get(Floats a, int) { return a; }
INLINE void put(Floats& a, int, float x) { a = x; }
#endif
struct F {
  Floats v;
  F() = default;
  explicit F(Floats x, int) : v(x) {}
  F(float x) : v(spread(x)) {}
};
struct I {
  Ints v;
  I() = default;
  explicit I(Ints x, int) : v(x) {}
  I(int x) : v(spread(x)) {}
};
struct M {
  Ints v;
};
INLINE F operator+(F a, F b) { return F(a.v + b.v, 0); }
INLINE F operator-(F a, F b) { return F(a.v - b.v, 0); }
INLINE F operator*(F a, F b) { return F(a.v * b.v, 0); }
INLINE F operator/(F a, F b) { return F(a.v / b.v, 0); }
INLINE F operator-(F a) { return F(-a.v, 0); }
INLINE M operator<(F a, F b) { return {mask_of(a.v < b.v)}; }
INLINE M operator<=(F a, F b) { return {mask_of(a.v <= b.v)}; }
INLINE M operator==(I a, I b) { return {mask_of(a.v == b.v)}; }
INLINE M operator&(M a, M b) { return {a.v & b.v}; }
INLINE M operator|(M a, M b) { return {a.v | b.v}; }
INLINE M without(M a, M b) { return {a.v & ~b.v}; }
INLINE M all_lanes() { return {spread(-1)}; }
INLINE unsigned bits(M a) {
#if defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<Floats>(a.v)));
#else
  unsigned out = 0;
  for (int i = 0; i < kLanes; ++i) out |= (lane(a.v, i) & 1u) << i;
  return out;
#endif
}
INLINE F select(M m, F a, F b) { return F(pick(m.v, a.v, b.v), 0); }
INLINE I select(M m, I a, I b) { return I(pick(m.v, a.v, b.v), 0); }
#if defined(__SSE2__)
INLINE F smaller(F a, F b) { return F(_mm_min_ps(a.v, b.v), 0); }
INLINE F larger(F a, F b) { return F(_mm_max_ps(a.v, b.v), 0); }
#else
INLINE F smaller(F a, F b) { return select(a < b, a, b); }
INLINE F larger(F a, F b) { return select(b < a, a, b); }
#endif
INLINE F abs(F a) { return select(a < F(0.0f), -a, a); }
INLINE F floor(F a) {
  F whole(as_floats(as_ints(a.v)), 0);
  return whole - select(a < whole, F(1.0f), F(0.0f));
}
INLINE F root(F a) {
#if defined(__SSE2__)
  return F(_mm_sqrt_ps(a.v), 0);
#else
  F out = a;
  for (int i = 0; i < kLanes; ++i) put(out.v, i, sqrtf(get(a.v, i)));
  return out;
#endif
}
#if defined(__SSE2__)
INLINE F rough_inverse_root(F a) { return F(_mm_rsqrt_ps(a.v), 0); }
INLINE F rough_inverse(F a) { return F(_mm_rcp_ps(a.v), 0); }
#else
INLINE F rough_inverse_root(F a) { return F(1.0f) / root(a); }
INLINE F rough_inverse(F a) { return F(1.0f) / a; }
#endif
INLINE F load(const float* p) {
  F out;
  memcpy(&out.v, p, sizeof(out.v));
  return out;
}
INLINE void store(float* p, F a) { memcpy(p, &a.v, sizeof(a.v)); }
INLINE I load(const int* p) {
  I out;
  memcpy(&out.v, p, sizeof(out.v));
  return out;
}
INLINE void store(int* p, I a) { memcpy(p, &a.v, sizeof(a.v)); }
INLINE I nearest_int(F a) { return I(as_ints((a + F(0.5f)).v), 0); }  // for numbers of 0 or more
INLINE F to_float(I a) { return F(as_floats(a.v), 0); }
INLINE I operator|(I a, I b) { return I(a.v | b.v, 0); }
template <int n>
INLINE I shift_left(I a) {
  return I(a.v << n, 0);
}

#endif

// The lower three bytes of every lane, one after the other; writes up to `kLanes` bytes more than that.
INLINE void store_triples(unsigned char* p, I a) {
#if defined(__AVX512F__) || defined(__AVX2__)
  const __m128i order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
  auto quarter = [&](int at, __m128i four) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p + at), _mm_shuffle_epi8(four, order));
  };
#if defined(__AVX512F__)
  quarter(0, _mm512_castsi512_si128(a.v));
  quarter(12, _mm512_extracti32x4_epi32(a.v, 1));
  quarter(24, _mm512_extracti32x4_epi32(a.v, 2));
  quarter(36, _mm512_extracti32x4_epi32(a.v, 3));
#else
  quarter(0, _mm256_castsi256_si128(a.v));
  quarter(12, _mm256_extracti128_si256(a.v, 1));
#endif
#else
  int lanes[kLanes];
  store(lanes, a);
  for (int i = 0; i < kLanes; ++i) memcpy(p + 3 * i, lanes + i, 4);
#endif
}
INLINE F inverse(F a) {
#if defined(__SSE2__)
  // One step of Newton's method: exact enough for a division here, and faster.
  F r = rough_inverse(a);
  return r * (F(2.0f) - a * r);
#else
  return F(1.0f) / a;
#endif
}
INLINE F clamp(F a, float low, float high) { return smaller(larger(a, F(low)), F(high)); }
INLINE F mix(F a, F b, F k) { return a + (b - a) * k; }
INLINE F fraction(F a) { return a - floor(a); }
INLINE bool any(M m) { return bits(m) != 0; }
INLINE float larger_of(float a, float b) { return a < b ? b : a; }
INLINE int lowest(unsigned set) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_ctz(set);
#else
  int i = 0;
  while (!(set >> i & 1)) ++i;
  return i;
#endif
}

}  // namespace puzzlebox::CAMERA_LEVEL
