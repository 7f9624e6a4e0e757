// SPDX-License-Identifier: BSD-3-Clause
#include "choose/choice.hpp"

namespace zwang {

Choice::Choice(const Problem& of)
    : whole(of),
      force(of.layout.capacity),
      released(of.layout.capacity),
      acts(of.layout.capacity),
      loaded_(of.layout.capacity) {}

void Choice::begin() {
  std::fill_n(loaded_.data(), loaded_.size(), 0.0);
  choose();
  made = limited = false;
  singular = -1;
}

void Choice::choose() {
  std::fill_n(force.data(), force.size(), 0.0);
  std::fill_n(acts.data(), acts.size(), Acts::as_row);
  idle = false;
  end = ActiveSet::End::found;
}

void Choice::load(Problem& problem) {
  if (!limited) return;
  auto& f = problem.state.data.force;
  if (!f.has_external) std::fill_n(f.external.data(), f.external.size(), Force<double>::zero());
  f.has_external = true;
  for (Index k = 0; k < whole.rows.m; ++k) {
    const Index r = whole.rows.row_of[k];
    const double lambda = force[r] - loaded_[r];
    loaded_[r] = force[r];
    if (lambda == 0) continue;
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      if (body > 0) f.external[body] += inverse(whole.state.data.position.placement[body]) * (K * lambda);
    });
  }
}

void Choice::unload(Data& data) const {
  for (Index k = 0; limited && k < whole.rows.m; ++k) {
    const double lambda = loaded_[whole.rows.row_of[k]];
    if (lambda == 0) continue;
    page::for_each_part(whole.rows, k, [&](Index body, const Force<double>& K) {
      if (body > 0) data.force.external[body] -= inverse(whole.state.data.position.placement[body]) * (K * lambda);
    });
  }
}

void Choice::add_torques(Role role, double* out) const {
  for (Index k = 0; limited && k < whole.rows.m; ++k)
    if (const double lambda = force[whole.rows.row_of[k]]; lambda != 0 && whole.rows.role[k] == role)
      for (Index c = 0; c < whole.state.data.tree().spanning_nv; ++c)
        out[whole.state.data.tree().column[c].v] += whole.jacobian(k, c) * lambda;
}

}  // namespace zwang
