// SPDX-License-Identifier: BSD-3-Clause
// zwang._kdl: KDL's names for Python, as PyKDL has them and more.
#include "../../src/wrong_call.hpp"
#include "bind.hpp"

NB_MODULE(_kdl, m) {
  using namespace zwang::python::kdl;
  m.doc() = "Orocos KDL's names over zwang's algorithms: scripts for PyKDL run with `import zwang.kdl as PyKDL`.";
  bind_geometry(m);
  bind_planar(m);
  bind_rates(m);
  bind_arrays(m);
  bind_structures(m);
  bind_solvers(m);
  bind_inverse_kinematics(m);
  bind_motion(m);
  zwang::python::explain_wrong_calls(m);
}
