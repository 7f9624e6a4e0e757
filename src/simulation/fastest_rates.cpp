// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/fastest_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace zwang {

FastestRates::FastestRates(Movement& motion)
    : motion_(motion),
      tau_(2 * motion.model.nv()),
      beta_(2 * motion.set.rows()),
      column_(2 * motion.model.nv()),
      lambda_(2 * motion.set.rows()) {
  const JointEffects& effects = motion.settings.solver.joint_effects;
  const Tree<double>& tree = motion.model.tree<double>();
  dampers_.name = "dampers";
  springs_.name = "springs";
  for (Kind* kind : {&dampers_, &springs_}) {
    kind->coefficient = Buffer<double>(motion.model.nv());
    kind->x = Buffer<double>(motion.model.nv());
    if (tree.passive == nullptr || !(kind == &dampers_ ? effects.damping : effects.springs)) continue;
    for (Index k = 0; k < tree.spanning_nv; ++k) {
      const auto& column = tree.column[k];
      const double number = kind == &dampers_ ? tree.passive[k].damping : tree.passive[k].stiffness;
      kind->coefficient[column.v] += number * column.multiplier * column.multiplier;
      kind->any = kind->any || number > 0;
    }
  }
}

void FastestRates::begin() {
  for (Kind* kind : {&dampers_, &springs_}) {
    kind->eigenvalue = 0;
    for (Index k = 0; k < kind->x.size(); ++k) kind->x[k] = kind->coefficient[k] > 0 ? 1 + 1e-3 * k : 0.0;
  }
}

/// x: a step of the iteration; the eigenvalue: its Rayleigh quotient. False where x is moved by nothing.
bool FastestRates::iterate(Kind& kind) {
  const Index nv = kind.x.size(), rows = beta_.size() / 2;
  double below = 0, above = 0, size = 0;
  for (Index k = 0; k < nv; ++k) {
    tau_[k] = 0;
    tau_[nv + k] = kind.coefficient[k] * kind.x[k];
    below += kind.x[k] * tau_[nv + k];
  }
  motion_.solver.solve_columns(matrix_in(tau_.data(), nv, 2), matrix_in(beta_.data(), rows, 2),
                               Eigen::Map<Eigen::MatrixXd>(column_.data(), nv, 2),
                               Eigen::Map<Eigen::MatrixXd>(lambda_.data(), rows, 2));
  for (Index k = 0; k < nv; ++k) {
    column_[k] = column_[nv + k] - column_[k];
    above += tau_[nv + k] * column_[k];
    size = std::max(size, kind.coefficient[k] > 0 ? std::fabs(column_[k]) : 0.0);
  }
  if (!(below > 0) || !(size > 0) || !std::isfinite(size)) return false;
  kind.eigenvalue = above / below;
  for (Index k = 0; k < nv; ++k) kind.x[k] = kind.coefficient[k] > 0 ? column_[k] / size : 0.0;
  return true;
}

bool FastestRates::is_followed(const Kind& kind, double rate, double h, double limit, const char* integrator) {
  if (!(h * rate > 2 * limit)) return true;
  Index most = 0;
  for (Index k = 0; k < kind.x.size(); ++k)
    if (kind.coefficient[k] * kind.x[k] * kind.x[k] > kind.coefficient[most] * kind.x[most] * kind.x[most]) most = k;
  char text[400];
  std::snprintf(
      text, sizeof text,
      "the step of %.3g s is too long for the %s of the joints: they act at %.3g 1/s, that of '%s' most, and %s "
      "follows them in steps up to %.2g s. Take shorter steps%s",
      h, kind.name, rate, motion_.model.coordinate_names()[static_cast<std::size_t>(most)].c_str(), integrator,
      limit / rate, &kind == &dampers_ ? ", or integrator semi_implicit, which takes dampers at any step" : "");
  return motion_.fail(Status::not_converged, text);
}

bool FastestRates::follow(double h, const IntegratorRow& integrator, int iterations) {
  for (Kind* kind : {&dampers_, &springs_}) {
    const double limit = kind == &dampers_ ? integrator.dampers : integrator.springs;
    if (!kind->any || !std::isfinite(limit)) continue;
    for (int k = 0; k < iterations && iterate(*kind); ++k) {}
    const double rate = kind == &dampers_ ? kind->eigenvalue : std::sqrt(kind->eigenvalue);
    if (!is_followed(*kind, rate, h, limit, integrator.name)) return false;
  }
  return true;
}

}  // namespace zwang
