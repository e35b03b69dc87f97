// The camera's kernel for AVX-512, compiled with it enabled.
#define CAMERA_LEVEL avx512
#include "camera_kernel.inc"
