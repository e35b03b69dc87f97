// Which vector instructions this processor has: the kernels choose their code path by it at run time.
#pragma once

namespace puzzlebox {

// "avx512", "avx2" or "baseline" (plain code, also everywhere but x86).
const char* instruction_set();

}  // namespace puzzlebox
