// SPDX-License-Identifier: BSD-3-Clause
// Session: a problem (CONVENTIONS.md, Problems) that stays, at a state that is exchanged: solved there, or moved a step
// at a time, with a hand that pulls at a link. What zwang.js shows to a browser.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/problem.hpp"
#include "viewer/arrows.hpp"

namespace zwang::web {

/// A spring and a damper between a point of a link and a place in the world.
struct Hand {
  std::string link = {};  ///< empty: it holds nothing
  Vec3<double> point{0, 0, 0}, target{0, 0, 0};
  double stiffness = 0, damping = 0;
  Vec3<double> place{0, 0, 0}, force{0, 0, 0};  ///< of the point in the world, on the link; of the last evaluation
};
/// Springs and dampers of the motors, which keep a configuration, up to the effort limits of the model.
struct Hold {
  double stiffness = 0, damping = 0;
  Eigen::VectorXd at = {};
};

class Session {
 public:
  /// The problem of a file, as `zwang solve` or `zwang simulate` reads it. Throws as these do.
  Session(const std::string& path, const std::string& command);

  /// The keys of `zwang info --json`, the rows of the set, and what reading the robot found.
  std::string describe() const;
  /// What viewer/player.js draws: the robot at its state, with an arrow for each constraint and one for the hand.
  std::string picture() const;

  /// The answer of `zwang solve --json` at the state, with hold and hand. Also with a numerical outcome that is not ok.
  std::string solve();
  /// The motion begins at the state, with the contacts of an earlier one where that has come to just this state.
  void start();
  /// Goes on by so many steps, and takes the state along. tau counts as it is now. Where q or v have been written, the
  /// motion begins anew there, at the time 0. Returns how many were done: fewer where the motion has ended.
  long step(long count);
  /// {"time", "steps", "status", "reason", "energy", "error",
  ///  "contacts": [{"what", "a", "b", "row", "kind", "point", "force"}]}
  std::string state() const;

  /// Motors keep the configuration of the state as it is now: stiffness [N m/rad, N/m], damping; 0: they do nothing.
  void hold(double stiffness, double damping);
  void pull(const std::string& link, const Vec3<double>& point, const Vec3<double>& target, double stiffness,
            double damping);
  void release();
  void activate(const std::string& constraint, bool on);

  /// Numbers by name. q, v, tau may be written before solve(), start() and step(). acceleration, multipliers, arrows
  /// (point, force, moment of each constraint with a place, the hand last) are those of the last solve or step; poses
  /// (x y z, a quaternion x y z w of each link) those of its state. Throws std::invalid_argument for another name.
  std::span<double> numbers(const std::string& name);

 private:
  void act(VectorIn q, VectorIn v, Eigen::Ref<Eigen::VectorXd> tau, Externals& external);
  void show(const Eigen::VectorXd& acceleration, const Eigen::VectorXd& multipliers);

  Diagnostics found_;
  cli::Problem problem_;
  viewer::Arrows maker_;
  Data data_, hand_data_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<Simulator> simulator_;
  Hold hold_;
  Hand hand_;
  Eigen::VectorXd acceleration_, multipliers_, moved_by_;  ///< moved_by_: tau of the last step
  bool forces_changed_ = false;                            ///< hold or hand, since the last step
  std::vector<double> poses_, arrows_;
  long steps_ = 0;
};

}  // namespace zwang::web
