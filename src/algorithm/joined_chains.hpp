// SPDX-License-Identifier: BSD-3-Clause
// Chains of a model from one base, with the coordinates that they share,
// as the kernels of inverse kinematics read them.
#pragma once
#include <memory>
#include <vector>

#include "algorithm/serial_chain.hpp"

namespace zwang {

class JoinedChainsOfModel {
 public:
  /// From `base` to each of the tips. Throws UnsupportedError for joints that ChainOfModel refuses,
  /// and for more than JoinedChains::k_most_chains tips.
  JoinedChainsOfModel(const Model& model, const Frame& base, const std::vector<const Frame*>& tips,
                      const LimitsKept& limits);

  /// Keeps a coordinate of v at the value of the seed. False where no chain has it.
  bool fix(Index v);
  const JoinedChains& chains() const { return joined_; }
  void read(const double* q, double* x) const;   ///< q [nq] -> x [coordinates]
  void write(const double* x, double* q) const;  ///< the joints of the chains alone, without those that are fixed

 private:
  void add_coordinates(const ChainOfModel& chain, Index k);

  JoinedChains joined_;
  std::vector<std::unique_ptr<ChainOfModel>> chains_;
  std::vector<ChainJoint> joints_;  ///< of each coordinate
};

}  // namespace zwang
