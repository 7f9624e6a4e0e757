// SPDX-License-Identifier: BSD-3-Clause
// The module zwang._zwang. Users import zwang, which re-exports it.
#include "bind.hpp"
#include "kept_functions.hpp"
#include "module_once.hpp"
#include "short_text.hpp"
#include "wrong_call.hpp"

/// THE list of parts: each `bind_<name>` in a file of its own.
#define ZWANG_PARTS(a_part)                                                                                          \
  a_part(errors) a_part(model) a_part(load) a_part(write) a_part(building) a_part(dynamics) a_part(algorithms)       \
      a_part(derivatives) a_part(derivative_products) a_part(joint_wrench_derivatives) a_part(parameter_derivatives) \
          a_part(second_derivatives) a_part(quantities) a_part(cholesky) a_part(manifold) a_part(random_states)      \
              a_part(exp_log) a_part(attitudes) a_part(inertial_parameters) a_part(zero_moment_point)                \
                  a_part(user_joints) a_part(constraints) a_part(solver) a_part(delassus) a_part(assembly)           \
                      a_part(inverse_kinematics) a_part(batch) a_part(documents) a_part(systems) a_part(contacts)    \
                          a_part(contact_cholesky) a_part(codegen) a_part(inverse) a_part(mobility)                  \
                              a_part(wrench_observer) a_part(scene) a_part(simulation) a_part(batch_simulator)       \
                                  a_part(path_planning) a_part(view) a_part(pinocchio)

namespace zwang::python {

#define ZWANG_DECLARED(name) void bind_##name(nb::module_& m);
ZWANG_PARTS(ZWANG_DECLARED)
#undef ZWANG_DECLARED

namespace {

void fill(nb::module_& m) {
  m.attr("__version__") = ZWANG_VERSION;
#define ZWANG_BOUND(name) bind_##name(m);
  ZWANG_PARTS(ZWANG_BOUND)
#undef ZWANG_BOUND
  keep_functions(m.attr("JointEffects"));
  give_short_texts(m);
  explain_wrong_calls(m);
}

}  // namespace
}  // namespace zwang::python

NB_MODULE(_zwang, m) {
  static zwang::python::ModuleOnce once;
  once.fill(m, zwang::python::fill);
}
