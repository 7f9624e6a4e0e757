// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/all_terms.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/page/body_forces.hpp"
#include "algorithm/support.hpp"

namespace zwang {

AllTerms::AllTerms(const Model& model) : nv_(model.nv()) {
  Index size = 0;
  int k = 0;
  for (const Index numbers : {nv_ * nv_, nv_ * nv_, 6 * nv_, 6 * nv_, nv_, nv_}) {
    first_[k++] = size;
    size += (numbers + 7) / 8 * 8;
  }
  numbers_ = Buffer<double>(size);
}

void all_terms(const Model& model, Data& data, VectorIn q, VectorIn v, AllTerms& out, const JointEffects& effects) {
  detail::check_data(model, data, "all_terms");
  detail::check_q(model, q, "all_terms");
  detail::check_v(model, v, "all_terms", "v");
  const Index nv = model.nv();
  if (out.nv_ != nv) detail::throw_size("all_terms", "out", out.nv_, nv);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  double* const h = out.block(5);
  double total[8];
  double* const terms[] = {out.block(0), out.block(1), out.block(2), out.block(3), out.block(4), h, total};
  const bool finite = kernels().quantity->all_terms(&data, q.data(), v.data(), terms);
  std::copy_n(q.data(), data.q.size(), data.q.data());
  JointEffects at_rest = effects;
  at_rest.armature = false;
  detail::add_passive(data, q.data(), v.data(), at_rest, -1.0, h);
  if (detail::has_excess(data, effects)) {
    data.force.has_external = false;  // what follows is no longer in body axes
    for (Index i = 1; i <= data.tree().n; ++i) data.force.external[i] = -page::excess_force(data, i);
    page::add_joint_forces(data, data.force.external, h);
  }
  out.centre_of_mass = {total[0], total[1], total[2]};
  out.centre_of_mass_velocity = {total[3], total[4], total[5]};
  out.kinetic_energy = total[6];
  out.potential_energy = total[7] + detail::energy_of_effects(data, q.data(), effects);
  const Index known = finite ? out.first_[2] : 0;  // the first two blocks
  detail::check_result(out.block(0) + known, out.numbers_.size() - known, "all_terms");
  detail::checked(out.centre_of_mass + out.centre_of_mass_velocity, "all_terms");
  detail::checked(out.kinetic_energy + out.potential_energy, "all_terms");
}

}  // namespace zwang
