// SPDX-License-Identifier: BSD-3-Clause
// A robot with its contacts and random states: what both sides of a comparison solve.
#pragma once
#include <string>
#include <vector>

#include "peer.h"
#include "zwang/zwang.hpp"

namespace zwang::bench {

/// A frame that is held, with beta = 0: 3 rows (its origin's classical acceleration) or 6 (its spatial acceleration).
struct Contact {
  std::string frame;
  int rows = 6;
};

/// Two frames that a joint of some type closes a loop between (zwang::joint_rows), axis z, with beta = 0.
struct Loop {
  std::string frame, other, joint;
};

/// Rotors count, everything else that joints do by themselves is off: all peers can do the same.
inline constexpr JointEffects k_effects{.armature = true, .damping = false, .springs = false, .friction = false};

struct Problem {
  /// `batch`: how many states a batch solves a call, the first `states` of them being those of single calls.
  Problem(std::string label, const Model& model, std::vector<Contact> contacts, int states, int batch = 0,
          const std::vector<Loop>& loops = {});

  std::string label;
  Model model;
  std::vector<Contact> contacts;
  ConstraintSet set;    ///< of contacts
  ConstraintSet loops;  ///< instead of them
  int states;           ///< of single calls
  /// A state a column, drawn at random, where there are loops closed and moving so: max(states, batch).
  Eigen::MatrixXd q, v, a, tau;
  Index rows() const;  ///< of all contacts
};

/// The problem as peers read it; lives as long as the Problem does.
class PeerProblem {
 public:
  explicit PeerProblem(const Problem& problem);
  /// Why no peer can have it (a joint that is neither revolute, prismatic nor free; mimic; mixed rows), or "".
  const std::string& refused() const { return refused_; }
  const ZwangPeerProblem& get() const { return c_; }

 private:
  std::string refused_;
  std::vector<ZwangPeerBody> bodies_;
  std::vector<ZwangPeerContact> contacts_;
  std::vector<ZwangPeerLoop> loops_;
  ZwangPeerProblem c_{};
};

/// Bytes that a Data and a Solver of the problem take; -1 where allocations cannot be counted.
struct Bytes {
  long data, solver;
};
Bytes bytes_of(const Problem& problem);

}  // namespace zwang::bench
