// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/joined_chains.hpp"

#include <algorithm>

#include "zwang/core/error.hpp"

namespace zwang {

JoinedChainsOfModel::JoinedChainsOfModel(const Model& model, const Frame& base, const std::vector<const Frame*>& tips,
                                         const LimitsKept& limits) {
  if (static_cast<Index>(tips.size()) > JoinedChains::k_most_chains)
    throw UnsupportedError("InverseKinematics: more than " + std::to_string(JoinedChains::k_most_chains) + " chains");
  for (const Frame* const tip : tips) {
    chains_.push_back(std::make_unique<ChainOfModel>(model, base, *tip, limits, true));
    const Index k = joined_.chains++;
    joined_.chain[k] = &chains_.back()->chain();
    add_coordinates(*chains_.back(), k);
  }
}

void JoinedChainsOfModel::add_coordinates(const ChainOfModel& chain, Index k) {
  const SerialChain& c = chain.chain();
  for (Index i = 0; i < c.joints; ++i) {
    const ChainJoint& j = chain.joints()[static_cast<std::size_t>(i)];
    const auto known = std::find_if(joints_.begin(), joints_.end(), [&](const ChainJoint& x) { return x.v == j.v; });
    const auto at = static_cast<Index>(known - joints_.begin());
    joined_.coordinate[k][i] = at;
    if (known != joints_.end()) {
      // A whole turn of one joint is a whole turn of the other only where both turn alike.
      if (joined_.period[at] != c.period[i]) joined_.period[at] = 0;
      for (Index m = 0; m < i; ++m) joined_.repeated = joined_.repeated || joined_.coordinate[k][m] == at;
      continue;
    }
    joints_.push_back(j);
    joined_.lower[at] = c.lower[i];
    joined_.upper[at] = c.upper[i];
    joined_.period[at] = c.period[i];
    ++joined_.coordinates;
  }
}

bool JoinedChainsOfModel::fix(Index v) {
  for (std::size_t i = 0; i < joints_.size(); ++i)
    if (joints_[i].v == v) return joined_.fixed[i] = true;
  return false;
}

void JoinedChainsOfModel::read(const double* q, double* x) const {
  for (const ChainJoint& j : joints_) *x++ = ChainOfModel::value_of(j, q);
}
void JoinedChainsOfModel::write(const double* x, double* q) const {
  for (std::size_t i = 0; i < joints_.size(); ++i)
    if (!joined_.fixed[i]) ChainOfModel::set_value(joints_[i], x[i], q);
}

}  // namespace zwang
