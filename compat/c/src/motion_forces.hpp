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

  void make_room(std::size_t wrenches) { external_.reserve(wrenches); }
  /// A motion has been started with these, of which the Simulator has copies. tau: [nv], or empty: none. There is room.
  void begin(const ConstVector& tau, const Externals& external) {
    put(tau.data(), static_cast<std::size_t>(tau.size()), external);
    replaced_ = false;
  }
  /// Between two steps: from the next one on these act. tau: `size` = nv numbers, or none. Where they act already, the
  /// motion keeps the acceleration of its state: another one would cost a solve.
  void replace(Simulator& motion, const double* tau, std::size_t size, const Externals& external) {
    if (are_here(tau, size, external)) return;
    make_room(external.size());
    if (!replaced_)
      motion.set_control([this](SimulationStage& stage) {
        std::copy(tau_.begin(), tau_.end(), stage.tau.data());
        stage.external.assign(external_.begin(), external_.end());
      });
    replaced_ = true;
    put(tau, size, external);
    motion.forces_changed();
  }

 private:
  void put(const double* tau, std::size_t size, const Externals& external) {
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::copy_n(tau, size, tau_.begin());
    external_.assign(external.begin(), external.end());
  }
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
