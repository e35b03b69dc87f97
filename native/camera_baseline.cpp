// The camera's kernel in plain code.
#define CAMERA_LEVEL baseline
#include "camera_kernel.inc"
