// SPDX-License-Identifier: BSD-3-Clause
// MotionForces: the torques and wrenches of a motion, which are constant from step to step until they are replaced.
#pragma once
#include <algorithm>
#include <iterator>
#include <vector>

#include "zwang/simulation.hpp"

namespace zwang::c {

class MotionForces {
 public:
  MotionForces(const Model& model, std::size_t usual_wrenches) : tau_(static_cast<std::size_t>(model.nv())) {
    external_.reserve(usual_wrenches);
  }
  MotionForces(const MotionForces&) = delete;  // a control refers to it
  MotionForces& operator=(const MotionForces&) = delete;

  /// Another motion begins, with forces of its own.
  void begin() { replaced_ = false; }
  /// Between two steps: from the next one on these act. tau: `size` = nv numbers, or none. Allocates in the
  /// first call of a motion, and where there are more wrenches than before. Where these act already, the motion keeps
  /// the acceleration of its state: another one costs a solve.
  void replace(Simulator& motion, const double* tau, std::size_t size, const Externals& external) {
    if (replaced_ && are_here(tau, size, external)) return;
    external_.reserve(external.size());
    if (!replaced_)
      motion.set_control([this](SimulationStage& stage) {
        std::copy(tau_.begin(), tau_.end(), stage.tau.data());
        stage.external.assign(external_.begin(), external_.end());
      });
    replaced_ = true;
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::copy_n(tau, size, tau_.begin());
    external_.assign(external.begin(), external.end());
    motion.forces_changed();
  }

 private:
  bool are_here(const double* tau, std::size_t size, const Externals& external) const {
    const auto same = [](const ExternalWrench& a, const ExternalWrench& b) {
      return a.frame == b.frame && a.in == b.in && std::equal(std::begin(a.wrench), std::end(a.wrench), b.wrench);
    };
    return (size == 0 ? std::count(tau_.begin(), tau_.end(), 0.0) == static_cast<std::ptrdiff_t>(tau_.size())
                      : std::equal(tau_.begin(), tau_.end(), tau, tau + size)) &&
           std::equal(external.begin(), external.end(), external_.begin(), external_.end(), same);
  }
  std::vector<double> tau_;
  Externals external_;
  bool replaced_ = false;  ///< a control gives these in place of those of the start
};

}  // namespace zwang::c
