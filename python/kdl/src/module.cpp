// SPDX-License-Identifier: BSD-3-Clause
// zwang._kdl: KDL's names for Python, as PyKDL has them and more.
#include "../../src/module_once.hpp"
#include "../../src/wrong_call.hpp"
#include "bind.hpp"

namespace zwang::python::kdl {
namespace {

void fill(nb::module_& m) {
  m.doc() = "Orocos KDL's names over zwang's algorithms: scripts for PyKDL run with `import zwang.kdl as PyKDL`.";
  bind_geometry(m);
  bind_planar(m);
  bind_rates(m);
  bind_arrays(m);
  bind_structures(m);
  bind_solvers(m);
  bind_inverse_kinematics(m);
  bind_motion(m);
  bind_models(m);
  write_help(m);
  explain_wrong_calls(m);
}

}  // namespace
}  // namespace zwang::python::kdl

NB_MODULE(_kdl, m) {
  static zwang::python::ModuleOnce once;
  once.fill(m, zwang::python::kdl::fill);
}
