// SPDX-License-Identifier: BSD-3-Clause
// The module zwang._zwang. Users import zwang, which re-exports it.
#include "bind.hpp"
#include "kept_functions.hpp"
#include "module_once.hpp"
#include "short_text.hpp"
#include "wrong_call.hpp"

namespace zwang::python {
namespace {

void fill(nb::module_& m) {
  m.attr("__version__") = ZWANG_VERSION;
  bind_errors(m);
  bind_model(m);
  bind_load(m);
  bind_building(m);
  bind_dynamics(m);
  bind_algorithms(m);
  bind_derivatives(m);
  bind_derivative_products(m);
  bind_joint_wrench_derivatives(m);
  bind_parameter_derivatives(m);
  bind_second_derivatives(m);
  bind_quantities(m);
  bind_cholesky(m);
  bind_manifold(m);
  bind_random_states(m);
  bind_exp_log(m);
  bind_constraints(m);
  bind_solver(m);
  bind_delassus(m);
  bind_assembly(m);
  bind_inverse_kinematics(m);
  bind_batch(m);
  bind_documents(m);
  bind_systems(m);
  bind_contact_cholesky(m);
  bind_formulas(m);
  bind_inverse(m);
  bind_mobility(m);
  bind_wrench_observer(m);
  bind_simulation(m);
  bind_path_planning(m);
  bind_view(m);
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
