// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/friction_at_rest.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/instances.hpp"

namespace zwang::detail {
namespace {

constexpr double k_border = 1e-13;                    // of the largest force: sums of a sweep and of inverse dynamics
constexpr double k_missed = 1e-9;                     // likewise, of an equation of motion
constexpr int k_patience = 10, k_most_sweeps = 1000;  // at a border within rounding either side will do

bool sweep_with_given(Data& data, const double* q, const double* v, const double* tau, double* qdd) {
  page::NoRiders<double> none;
  return page::articulated_sweep(data, q, v, tau, qdd, none);
}

}  // namespace

Index rubs_at_rest(const Model& model, const double* v, const JointEffects& effects) {
  if (!effects.friction || model.tree<double>().passive == nullptr) return -1;
  const std::vector<double>& c = model.friction();
  for (Index k = 0; k < model.nv(); ++k)
    if (v[k] == 0 && c[static_cast<std::size_t>(k)] > 0) return k;
  return -1;
}

std::string friction_text(const Model& model, Index v) {
  const auto k = static_cast<std::size_t>(v);
  return "coordinate '" + model.coordinate_names()[k] + "' is at rest, where its Coulomb friction is anything up to " +
         std::to_string(model.friction()[k]);
}

void check_differentiable(const Model& model, const double* v, const JointEffects& effects, const char* function) {
  const Index k = rubs_at_rest(model, v, effects);
  if (k < 0) return;
  throw std::invalid_argument(std::string(function) + ": " + friction_text(model, k) +
                              ": there is no derivative; leave friction off, or ask at another velocity");
}

Status forward_at_rest(const Model& model, Data& data, const double* q, const double* v, const double* tau,
                       double* qdd) {
  const Tree<double>& tree = model.tree<double>();
  const Index nv = model.nv(), stride = data.mass.stride;
  const double* const c = model.friction().data();
  auto& given = data.articulated;
  double *const total = data.mass.force.data() + stride, *const needed = total + stride;
  const auto rests = [&](Index k) { return v[k] == 0 && c[k] > 0; };
  for (Index k = 0; k < nv; ++k) total[k] = tau[k];
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    given.is_given[k] = rests(tree.column[k].v);
    given.given[k] = 0;
  }
  const auto sticks = [&](Index y) {
    for (Index k = 0; k < tree.spanning_nv; ++k)
      if (tree.column[k].v == y) return given.is_given[k] != 0;
    return false;
  };
  const auto change = [&](Index y, bool to_stick, double friction) {
    for (Index k = 0; k < tree.spanning_nv; ++k)
      if (tree.column[k].v == y) given.is_given[k] = to_stick;
    total[y] = tau[y] + friction;
  };
  Index fewest = nv + 1;
  Status status = Status::not_converged;
  for (int n = 0, patience = k_patience; n < k_most_sweeps; ++n) {
    given.has_given = true;
    const bool regular = sweep_with_given(data, q, v, total, qdd);
    given.has_given = false;
    if (!regular) {
      status = Status::singular_mass;
      break;
    }
    page::inverse_dynamics(data, q, v, qdd, needed);
    double largest = 0;
    for (Index y = 0; y < nv; ++y) largest = std::max({largest, std::fabs(tau[y]), std::fabs(needed[y])});
    const auto wrong = [&](Index y) {
      if (!rests(y)) return false;
      if (sticks(y)) return std::fabs(needed[y] - tau[y]) > c[y] + k_border * largest;
      return (total[y] - tau[y]) * qdd[y] > 0;  // friction that drives
    };
    Index count = 0;
    for (Index y = 0; y < nv; ++y) count += wrong(y);
    if (count == 0) {
      bool moves = true;  // as the equations of motion say
      for (Index y = 0; y < nv; ++y)
        moves = moves && (sticks(y) || std::fabs(needed[y] - total[y]) <= k_missed * largest);
      if (moves) status = Status::ok;
      break;
    }
    const bool all = count < fewest || --patience >= 0;
    if (count < fewest) fewest = count, patience = k_patience;
    for (Index y = 0; y < nv; ++y) {
      if (!wrong(y)) continue;
      const bool stuck = sticks(y);
      change(y, !stuck, stuck ? std::copysign(c[y], needed[y] - tau[y]) : 0.0);
      if (!all) break;
    }
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) given.is_given[k] = 0;
  return status;
}

}  // namespace zwang::detail
