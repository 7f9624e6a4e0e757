// SPDX-License-Identifier: BSD-3-Clause
// zwang move: the fastest motion along a path, of joints or of a frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "json_output.hpp"
#include "library_words.hpp"
#include "numbers.hpp"
#include "simulate.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "view.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/model/data.hpp"
#include "zwang/path.hpp"

namespace zwang::cli {
namespace {

/// A number for all, or a vector of the coordinates that the user names: the others have no limit.
std::vector<double> limit_of(const Model& model, const char* option, const std::optional<std::string>& text) {
  if (!text) return {};
  if (text->find_first_not_of("0123456789.+-eE") == std::string::npos || *text == "inf") {
    if (*text == "inf") return {std::numeric_limits<double>::infinity()};
    return read_numbers(std::string(option) + " " + printable(*text), *text);
  }
  const Eigen::VectorXd x = read_vector(model, VectorKind::velocity, option, *text);
  std::vector<double> out(x.data(), x.data() + x.size());
  for (double& one : out)
    if (one == 0) one = std::numeric_limits<double>::infinity();
  return out;
}

struct Plan {
  std::optional<TimedPath> motion;
  Status status = Status::ok;
  std::string reason;
  std::vector<std::string> notes;
  int samples = 0;
  double path_error = 0;
  PathTiming timing = {};
  bool timed = false;  ///< by time_path
};

/// Poses of a frame that `targets` name, from where it is at q.
PosePath poses_of(const Problem& p) {
  const std::string& frame = p.targets[0].frame;
  Data data(p.model);
  std::vector<Transform<double>> poses{frame_pose(p.model, data, p.q, frame)};
  for (const PoseTarget& t : p.targets) {
    if (t.frame != frame)
      throw UsageError("zwang move: --target names the frames '" + printable(frame) + "' and '" + printable(t.frame) +
                       "', expected one frame");
    poses.push_back(t.pose);
    if (t.rows.size() == 3 && t.rows.names[0] == "linear.x") poses.back().R = poses[0].R;
  }
  return poses.size() == 2 ? PosePath::line(poses[0], poses[1]) : PosePath::through(poses);
}

Plan plan_of(const Arguments& a, const Problem& p) {
  Plan plan;
  const std::vector<double> velocity = limit_of(p.model, "--velocity", a.velocity_limit);
  const std::vector<double> acceleration = limit_of(p.model, "--acceleration", a.acceleration_limit);
  const std::vector<double> torque = limit_of(p.model, "--torque", a.torque_limit);
  const std::vector<double> jerk = limit_of(p.model, "--jerk", a.jerk_limit);
  std::optional<ConfigurationPath> path;
  if (!p.targets.empty()) {
    FollowSettings settings{.inverse_kinematics = p.ik};
    settings.inverse_kinematics.tolerance = InverseKinematicsSettings().tolerance;
    if (a.tolerance) settings.tolerance = *a.tolerance;
    if (a.no_position_limits) settings.inverse_kinematics.limits = false;
    const FollowReport f = follow(p.model, {.frame = p.targets[0].frame}, poses_of(p), p.q,
                                  p.constraints.rows() > 0 ? &p.constraints : nullptr, settings);
    plan.samples = f.samples;
    plan.path_error = f.error;
    if (f.status != Status::ok) {
      plan.status = f.status;
      plan.reason = f.reason;
      return plan;
    }
    path = f.path;
  } else {
    if (p.constraints.rows() > 0)
      throw UsageError(
          "zwang move: constraints are kept along --target; a path of joint values by --to does not keep them");
    Eigen::MatrixXd Q(p.model.nq(), static_cast<Eigen::Index>(a.to.size()) + 1);
    Q.col(0) = p.q;
    for (std::size_t k = 0; k < a.to.size(); ++k)
      Q.col(static_cast<Eigen::Index>(k) + 1) = read_vector(p.model, VectorKind::configuration, "--to", a.to[k]);
    for (Eigen::Index k = 0; !a.no_position_limits && k < Q.cols(); ++k) {
      const std::string beyond = beyond_limits(p.model, Q.col(k), k == 0 ? k_start_beyond : k_position_rounding);
      if (beyond.empty()) continue;
      const std::string what = k == 0 ? a.q ? "--q " + printable(*a.q) : "the start (--q)"
                                      : "--to " + printable(a.to[static_cast<std::size_t>(k) - 1]);
      plan.status = Status::infeasible;
      plan.reason = what + ": " + beyond + "; --no-position-limits moves all the same";
      return plan;
    }
    if (a.to.size() == 1 && !a.torque_limit) {
      plan.motion = move(p.model, Q.col(0), Q.col(1), {velocity, acceleration, jerk, !a.no_position_limits});
      plan.notes = plan.motion->notes();
      return plan;
    }
    path = ConfigurationPath::through(p.model, Q);
  }
  if (a.jerk_limit)
    throw UsageError(
        "zwang move: --jerk is for one --to without --torque; along other paths velocity, acceleration and "
        "torque are limited");
  PathTimingSettings settings;
  if (a.grid) settings.grid = *a.grid;
  settings.most_grid = std::max(settings.most_grid, 100 * std::min(settings.grid, 1000000));
  settings.position_limits = !a.no_position_limits;
  if (a.joint_effects) settings.joint_effects = effects_of("--joint-effects", *a.joint_effects);
  plan.timing = time_path(*path, {velocity, acceleration, torque}, settings);
  plan.timed = true;
  plan.status = plan.timing.status;
  plan.reason = plan.timing.reason;
  plan.motion = plan.timing.motion;
  plan.notes = plan.timing.notes;
  return plan;
}

Document plan_json(const Problem& p, const Plan& plan) {
  Document d = {{"status", name_of(plan.status)}};
  if (!plan.reason.empty()) d["reason"] = plan.reason;
  if (!plan.notes.empty()) d["notes"] = plan.notes;
  if (plan.motion) {
    d["duration"] = number_json(plan.motion->duration());
    Eigen::VectorXd q(p.model.nq()), v(p.model.nv()), a(p.model.nv());
    plan.motion->at(plan.motion->duration(), q, v, a);
    d["q"] = std::vector<double>(q.data(), q.data() + q.size());
  }
  if (plan.samples > 0) {
    d["samples"] = plan.samples;
    d["path_error"] = number_json(plan.path_error);
  }
  if (plan.timed) {
    d["utilisation"] = number_json(plan.timing.utilisation);
    d["utilisation_between"] = number_json(plan.timing.utilisation_between);
    d["worst"] = plan.timing.worst;
    d["binding"] = Document::array();
    for (const BindingLimit& b : plan.timing.binding)
      d["binding"].push_back({{"begin", b.begin}, {"end", b.end}, {"what", b.what}});
  }
  return d;
}

std::string plan_table(const Plan& plan) {
  std::string out;
  if (plan.samples > 0)
    out += fmt::format("{} along the path of the frame, error {:.2g} [m, rad]\n",
                       counted(plan.samples, "configuration"), plan.path_error);
  if (plan.motion) out += fmt::format("the motion takes {:.10g} s\n", plan.motion->duration());
  if (plan.timed && plan.motion)
    out += fmt::format("limits are used to {:.6f} at the points of the grid, to {:.6f} between them ({})\n",
                       plan.timing.utilisation, plan.timing.utilisation_between, plan.timing.worst);
  if (!plan.timing.binding.empty()) {
    std::vector<std::string> what;
    std::vector<double> begin, end;
    for (const BindingLimit& b : plan.timing.binding) {
      what.push_back(b.what);
      begin.push_back(b.begin);
      end.push_back(b.end);
    }
    out += Table().text("held back by", what).numbers("from s", begin).numbers("to s", end).str();
  }
  return out;
}

}  // namespace

int run_move(const Arguments& a, Diagnostics& found) {
  Problem p = read_problem(a, load_options(a), found);
  check_outputs(a);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  if (p.targets.empty() == a.to.empty())
    throw UsageError("zwang move: expected --to V or --target FRAME:x,y,z[,qx,qy,qz,qw], and not both");
  Plan plan = plan_of(a, p);
  plan.reason = in_words_of_program(plan.reason, a);
  for (std::string& note : plan.notes) note = in_words_of_program(note, a);
  if (!a.json) print(plan_table(plan));
  for (const std::string& note : plan.notes)
    if (a.speaks()) std::fputs(("note: " + note + "\n").c_str(), stderr);
  if (plan.motion && !(a.output.empty() && a.html.empty())) {
    p.planned = true;
    p.constraints = ConstraintSet(p.model);
    p.simulation.dt = a.dt.value_or(1e-2);
    const Trajectory t = plan.motion->sample(p.simulation.dt);
    if (!a.output.empty()) write_trajectory(a.output, p, t);
    if (!a.html.empty()) write_page(a, a.html, p, t);
  }
  if (a.json) {
    Document document = plan_json(p, plan);
    if (plan.motion && !a.output.empty()) document["out"] = a.output;
    if (plan.motion && !a.html.empty()) document["html"] = a.html;
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else if (plan.status != Status::ok) {
    std::fputs(fmt::format("zwang: no motion: {}: {}\n", name_of(plan.status), plan.reason).c_str(), stderr);
  }
  return plan.status == Status::ok ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
