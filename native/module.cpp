// The one native extension of Puzzlebox. Each kernel lives in its own file; this one only names them for Python.
#include <nanobind/nanobind.h>

#include "cpu.h"

NB_MODULE(_native, module) {
  module.doc() = "Native kernels of Puzzlebox.";
  module.def("instruction_set", &puzzlebox::instruction_set,
             "The widest vector instructions of this processor: 'avx512', 'avx2' or 'baseline'.");
}
