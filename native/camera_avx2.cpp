// The camera's kernel for AVX2 and FMA, compiled with these enabled.
#define CAMERA_LEVEL avx2
#include "camera_kernel.inc"
