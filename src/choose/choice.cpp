// SPDX-License-Identifier: BSD-3-Clause
#include "choose/choice.hpp"

namespace zwang {

Choice::Choice(const Problem& of)
    : whole(of),
      force(of.layout.capacity),
      released(of.layout.capacity),
      acts(of.layout.capacity),
      own_(of.state.data.force.external.size()) {}

void Choice::begin() {
  choose();
  made = limited = loaded_ = false;
  singular = -1;
}

void Choice::choose() {
  std::fill_n(force.data(), force.size(), 0.0);
  std::fill_n(acts.data(), acts.size(), Acts::as_row);
  idle = false;
  end = ActiveSet::End::found;
}

void Choice::load(Problem& problem) {
  if (!limited) return unload(problem.state.data);
  auto& f = problem.state.data.force;
  if (!loaded_ && !f.has_external) std::fill_n(f.external.data(), f.external.size(), Force<double>::zero());
  if (!loaded_) std::copy_n(f.external.data(), own_.size(), own_.data());
  loaded_ = f.has_external = true;
  unload(problem.state.data);
  for_each_wrench([&](Index, Index body, const Force<double>& wrench) {
    f.external[body] += inverse(whole.state.data.position.placement[body]) * wrench;
  });
}

void Choice::unload(Data& data) const {
  if (loaded_) std::copy_n(own_.data(), own_.size(), data.force.external.data());
}

void Choice::add_torques(Role role, double* out) const {
  for (Index k = 0; limited && k < whole.rows.m; ++k)
    if (const double lambda = force[whole.rows.row_of[k]]; lambda != 0 && whole.rows.role[k] == role)
      for (Index c = 0; c < whole.state.data.tree().spanning_nv; ++c)
        out[whole.state.data.tree().column[c].v] += whole.jacobian(k, c) * lambda;
}

}  // namespace zwang
