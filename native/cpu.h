// The vector instructions of this processor, by which the kernels choose their code path at run time.
#pragma once

namespace puzzlebox {

// Return "avx512", "avx2" or "baseline" (plain code, also on all processors but x86).
const char* instruction_set();

}  // namespace puzzlebox
