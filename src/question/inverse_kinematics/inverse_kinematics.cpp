// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/question/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "algorithm/instances.hpp"
#include "algorithm/joined_chains.hpp"
#include "algorithm/length_of_links.hpp"
#include "algorithm/pose_task.hpp"
#include "algorithm/support.hpp"
#include "core/all_finite.hpp"
#include "core/borrowed.hpp"
#include "manifold/instances.hpp"
#include "question/inverse_kinematics/target_rows.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang {
namespace {

constexpr double k_row_tolerance = 1e-10;  // of rows, relative to their sizes
constexpr double k_row_rounding = 64 * epsilon_of<double>;
constexpr Index k_evaluations = 12000;  // of a chain, where several are searched together
constexpr Index k_stall = 2;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("InverseKinematics: " + what); }

bool same_rows(const RowSelection& a, const char* word) { return a.matrix == rows(word).matrix; }
/// Rows that a chain supports: a whole pose, a position, an attitude, in the axes of the world.
bool serial_rows(const PoseTarget& t, SerialInverseKinematicsSettings& s) {
  if (t.in != "local_world_aligned") return false;
  s.position = !same_rows(t.rows, "angular");
  s.attitude = same_rows(t.rows, "linear") ? AttitudeRows::none : AttitudeRows::all;
  return same_rows(t.rows, "all") || same_rows(t.rows, "linear") || same_rows(t.rows, "angular");
}

/// A frame on the ground, from which chains begin.
const Frame* ground_frame(const Model& model) {
  for (const Frame& f : model.frames())
    if (f.body.value == 0) return &f;
  return nullptr;
}

std::string unused_name(const ConstraintSet& set, std::string name) {
  const auto used = [&] {
    return std::any_of(set.constraints().begin(), set.constraints().end(),
                       [&](const Constraint& c) { return c.name == name; }) ||
           std::any_of(set.groups().begin(), set.groups().end(),
                       [&](const ConstraintGroup& g) { return g.name == name; });
  };
  while (used()) name += '\'';
  return name;
}

}  // namespace

struct InverseKinematicsImpl {
  InverseKinematicsImpl(const Model& m, const std::vector<PoseTarget>& t, const ConstraintSet* given,
                        const InverseKinematicsSettings& s)
      : model(m),
        targets(t),
        settings(s),
        constraints(given != nullptr ? *given : ConstraintSet(m)),
        data(m),
        q(m.nq()) {
    check();
    make_chains();
    if (!serial) (void)assembler();  // refuses what cannot be assembled
    Eigen::VectorXd rest(m.nq());
    page::neutral(m.tree<double>(), rest.data());
    for (const PoseTarget& target : targets) {
      asked.emplace_back(model, target, data, rest);
      frames.push_back(model.find_frame(target.frame));
    }
    solution.errors.reserve(6 * targets.size());
    solution.at_limit.reserve(static_cast<std::size_t>(m.nv()));
    if (!serial) join_chains();
  }

  void check() const {
    if (targets.empty()) refuse("no target is given");
    if (constraints.model().id() != model.id())
      throw WorkspaceMismatch("InverseKinematics: the constraint set was made for another model");
    for (const PoseTarget& t : targets) detail::frame_of(model, t.frame, "InverseKinematics");
    if (!(settings.tolerance > 0) || !std::isfinite(settings.tolerance))
      refuse("tolerance is > 0 and finite; got " + std::to_string(settings.tolerance));
    if (!(settings.limit_margin >= 0) || !std::isfinite(settings.limit_margin))
      refuse("limit_margin is >= 0 and finite; got " + std::to_string(settings.limit_margin));
    if (settings.solutions < 1) refuse("solutions is at least 1; got " + std::to_string(settings.solutions));
    if (!settings.posture.empty())
      check_configuration(model, settings.posture.data(), static_cast<Index>(settings.posture.size()),
                          "InverseKinematics", "posture");
  }

  /// The chain of each target from the ground, where it has one.
  void make_chains() {
    const Frame* const ground = ground_frame(model);
    for (const PoseTarget& t : targets) {
      chains.emplace_back();
      SerialInverseKinematicsSettings s;
      if (ground == nullptr || !serial_rows(t, s)) continue;
      s.tolerance = s.angle_tolerance = settings.tolerance;
      s.limits = settings.limits;
      s.limit_margin = settings.limit_margin;
      s.solutions = settings.solutions;
      try {
        chains.back().emplace(model, FrameIn(ground->name), FrameIn(t.frame), s);
      } catch (const std::invalid_argument&) { continue; }  // other joints, or none: the general way
    }
    to_base = ground != nullptr ? inverse(ground->in_body) : Transform<double>::identity();
    to_world = ground != nullptr ? ground->in_body.R : Mat3<double>::identity();
    serial = targets.size() == 1 && chains[0].has_value() && targets_alone() && settings.fixed.empty();
  }

  /// Neither constraints nor a choice among solutions: the chains of the targets are all there is to solve.
  bool targets_alone() const { return constraints.size() == 0 && settings.weights.empty() && settings.posture.empty(); }

  /// The chains of all targets together, if they are all there is to solve and have joints of one freedom.
  void join_chains() {
    const Frame* const ground = ground_frame(model);
    if (ground == nullptr || !targets_alone()) return;
    std::vector<const Frame*> tips;
    std::vector<SerialInverseKinematicsSettings> wanted;
    for (const PoseTarget& t : targets) {
      SerialInverseKinematicsSettings s;
      if (!serial_rows(t, s)) return;
      s.tolerance = s.angle_tolerance = settings.tolerance;
      wanted.push_back(s);
      tips.push_back(&detail::frame_of(model, t.frame, "InverseKinematics"));
    }
    try {
      joined = std::make_unique<JoinedChainsOfModel>(model, *ground, tips,
                                                     LimitsKept{settings.limits, settings.limit_margin});
    } catch (const std::invalid_argument&) { return; }  // other joints, or none: the general way
    for (std::size_t k = 0; k < wanted.size(); ++k)
      tasks.push_back(pose_task(wanted[k], joined->chains().chain[k]->length));
    for (const std::string& name : settings.fixed) fix(name);
  }
  void fix(const std::string& name) {
    for (Index v = 0; v < model.nv(); ++v)
      if (model.coordinate_names()[static_cast<std::size_t>(v)] == name) joined->fix(v);
    if (const JointId id = model.find_joint(name); id.value >= 0) {
      const Joint& joint = model.joints()[static_cast<std::size_t>(id.value)];
      for (Index k = 0; k < joint.v.size; ++k) joined->fix(joint.v.first + k);
    }
  }

  std::unique_ptr<Assembler> assembler(int attempts = 0) {
    set.emplace(constraints);
    for (const PoseTarget& t : targets) {
      FrameConstraint c{.name = unused_name(*set, t.frame), .frame = t.frame, .rows = t.rows};
      c.in = t.in;
      c.has_target = true;
      c.target_pose = t.pose;
      set->add(c);
    }
    AssemblySettings s;
    s.fixed = settings.fixed;
    s.weights = settings.weights;
    s.limits = settings.limits;
    s.limit_margin = settings.limit_margin;
    // Residuals are relative to the robot's size, which is at most some of these lengths.
    s.tolerance =
        std::clamp(settings.tolerance / std::max(1.0, length_of_links(model)), k_row_rounding, k_row_tolerance);
    s.max_iterations = settings.max_iterations;
    s.attempts = attempts;
    return std::make_unique<Assembler>(model, *set, s);
  }

  const InverseKinematicsSolution& solve(VectorIn q0) {
    begin();
    if (serial) {
      const SerialSolution& s = chains[0]->solve(to_base * targets[0].pose, q0);
      keep(s.q.data());
      solution.serial = true;
      solution.status = s.status;
      solution.gradient = s.gradient;
      solution.out_of_reach = s.out_of_reach;
      solution.iterations = s.evaluations;
      for (const std::vector<Index>& side : {std::cref(s.at_lower), std::cref(s.at_upper)})
        for (const Index v : side) solution.at_limit.push_back(model.coordinate_names()[static_cast<std::size_t>(v)]);
      add_errors(to_world * Vec3<double>{s.error[0], s.error[1], s.error[2]},
                 to_world * Vec3<double>{s.error[3], s.error[4], s.error[5]});
      for (std::size_t i = asked[0].position() ? 0 : 3; i < (asked[0].turn() ? 6u : 3u); ++i)
        solution.error = std::max(solution.error, std::fabs(solution.errors[i]));
      solution.error = std::max(solution.error, asked[0].whole_error(s.angle_error));
      page::kinematics(data, q.data());
      measure_residual();
      return solution;
    }
    if (joined != nullptr && solve_joined(q0)) return solution;
    return solve_rows(q0);
  }

  /// False where no solution was found.
  bool solve_joined(VectorIn q0) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (const char* const fault = fault_of_target(targets[k].pose))
        refuse("target '" + targets[k].frame + "': " + fault);
      set_target(tasks[k], to_base * targets[k].pose);
    }
    PoseBudget budget{};
    budget.evaluations = k_evaluations;
    budget.stall = k_stall;
    double seed[JoinedChains::k_most_coordinates], x[JoinedChains::k_most_coordinates];
    joined->read(q0.data(), seed);
    JoinedOutcome out;
    chain_kernels().solve_joined(joined->chains(), tasks.data(), budget, seed, x, out);
    solution.iterations = out.evaluations;
    if (!out.found) return false;
    keep(q0.data());
    joined->write(x, q.data());
    measure();
    if (!within_tolerance()) return false;
    solution.serial = true;
    solution.status = PoseStatus::ok;
    measure_residual();
    return true;
  }

  void begin() {
    solution.status = PoseStatus::not_converged;
    solution.errors.clear();
    solution.unmet.clear();
    solution.at_limit.clear();
    solution.error = solution.residual = solution.gradient = 0;
    solution.serial = solution.out_of_reach = false;
    solution.iterations = 0;
  }
  void keep(const double* from) {
    std::copy_n(from, model.nq(), q.data());
    new (&solution.q) VectorView(q.data(), q.size());
  }

  /// Errors of all targets at q.
  void measure() {
    solution.errors.clear();
    solution.error = farthest = 0;
    page::kinematics(data, q.data());
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const Frame& frame = model.frame(frames[k]);
      const Transform<double>& T = targets[k].pose;
      Transform<double> X = page::frame_about_centre(data, frame.body.value, frame.in_body);
      X.p += data.position.centre[data.tree().body[frame.body.value].root];
      add_errors(T.p - X.p, log_so3(T.R * transpose(X.R)));
      solution.error = std::max(solution.error, asked[k].error(X, T));
      const auto reach = [&](const Vec3<double>& p) {
        farthest = std::max({farthest, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
      };
      reach(T.p);
      for (Index i = frame.body.value; i > 0; i = data.tree().body[i].parent)
        reach(data.position.placement[i].p + data.position.centre[data.tree().body[i].root]);
    }
    if (!all_finite(solution.errors.data(), static_cast<Index>(solution.errors.size())))
      solution.error = std::numeric_limits<double>::infinity();
  }
  void add_errors(const Vec3<double>& position, const Vec3<double>& turn) {
    for (int i = 0; i < 3; ++i) solution.errors.push_back(position[i]);
    for (int i = 0; i < 3; ++i) solution.errors.push_back(turn[i]);
  }
  /// Of chains, whose rows are along axes, over sizes as RowsAt has them: of linear rows the robot's, or the largest
  /// moment of one about the origin of its body. After kinematics at q.
  void measure_residual() {
    double length = 0;
    for (Index i = 1; i <= data.tree().n; ++i) length = std::max(length, norm(data.position.placement[i].p));
    if (!(length > 0)) length = 1;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const Frame& frame = model.frame(frames[k]);
      const Vec3<double> r = data.position.placement[frame.body.value].R * frame.in_body.p;
      const double size = std::max({length, std::hypot(r.y, r.z), std::hypot(r.x, r.z), std::hypot(r.x, r.y)});
      for (std::size_t i = asked[k].position() ? 0 : 3; i < (asked[k].turn() ? 6u : 3u); ++i)
        solution.residual = std::max(solution.residual, std::fabs(solution.errors[6 * k + i]) / (i < 3 ? size : 1.0));
    }
  }
  /// What is asked for is met, but for what rounding leaves of positions.
  bool within_tolerance() const {
    return solution.error <= std::max(settings.tolerance, 8 * epsilon_of<double> * farthest);
  }

  /// Starts one after the other; the best point that was found remains.
  const InverseKinematicsSolution& solve_rows(VectorIn q0) {
    Eigen::Map<Eigen::VectorXd> start(starts().data(), model.nq());
    double best = std::numeric_limits<double>::infinity();
    bool taken = false;
    const int last = settings.attempts > 0 ? 3 : 2;
    for (int way = settings.posture.empty() ? 1 : 0; way <= last; ++way) {
      if (way == 0)
        start = Eigen::Map<const Eigen::VectorXd>(settings.posture.data(), model.nq());
      else if (way != 2)
        start = q0;
      else if (!from_chains(q0, start))
        continue;
      if (way == 0) keep_fixed(q0, start);
      const std::unique_ptr<Assembler> on = assembler(way == 3 ? settings.attempts : 0);
      const Assembly& x = on->assemble(vector_in(start.data(), model.nq()));
      solution.iterations += x.report.iterations;
      if (!has_result(x.report.status)) continue;  // numbers beyond the range of double
      const double off = x.report.residual;
      if (x.report.status != Status::ok && !(off < best) && taken) continue;
      best = off;
      take(x);
      taken = true;
      if (solution.status == PoseStatus::ok) break;
    }
    if (taken) return solution;
    keep(q0.data());
    measure();
    solution.residual = std::numeric_limits<double>::infinity();
    return solution;
  }

  void take(const Assembly& x) {
    keep(x.q.data());
    const AssemblyReport& r = x.report;
    measure();
    solution.residual = r.residual;
    solution.gradient = r.gradient;
    const auto names = [](const std::vector<std::string_view>& from) {
      return std::vector<std::string>(from.begin(), from.end());
    };
    solution.unmet = names(r.unmet);
    solution.at_limit = names(r.at_limit);
    const bool met = r.status == Status::ok && within_tolerance();
    solution.status = met                              ? PoseStatus::ok
                      : r.status == Status::infeasible ? PoseStatus::nearest_found
                                                       : PoseStatus::not_converged;
  }

  /// q0 with the joints of each target's chain where the search on that chain alone ends.
  /// False where there are no chains.
  bool from_chains(VectorIn q0, Eigen::Map<Eigen::VectorXd>& start) {
    bool some = false;
    start = q0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
      if (!chains[k]) continue;
      const SerialSolution& s = chains[k]->solve(to_base * targets[k].pose, vector_in(start.data(), model.nq()));
      start = s.q;
      some = true;
    }
    if (some) keep_fixed(q0, start);
    return some;
  }
  void keep_fixed(VectorIn q0, Eigen::Map<Eigen::VectorXd>& start) const {
    for (const std::string& name : settings.fixed)
      for (const Joint& j : model.joints())
        if (j.name == name || name.rfind(j.name + '[', 0) == 0)
          start.segment(j.q.first, j.q.size) = q0.segment(j.q.first, j.q.size);
  }
  std::vector<double>& starts() {
    start_.resize(static_cast<std::size_t>(model.nq()));
    return start_;
  }

  Model model;
  std::vector<PoseTarget> targets;
  std::vector<TargetRows> asked;  ///< of targets
  std::vector<FrameId> frames;    ///< of targets
  InverseKinematicsSettings settings;
  ConstraintSet constraints;
  std::optional<ConstraintSet> set;
  std::vector<std::optional<SerialInverseKinematics>> chains;
  Transform<double> to_base;
  Mat3<double> to_world;
  bool serial = false;                          ///< one target, and its chain is all there is to solve
  std::unique_ptr<JoinedChainsOfModel> joined;  ///< where the chains of all targets are
  std::vector<PoseTask> tasks;                  ///< of `joined`
  Data data;
  double farthest = 0;  ///< coordinate of a target or of a body that carries its frame, after measure()
  Buffer<double> q;
  std::vector<double> start_;
  InverseKinematicsSolution solution;
};

void default_start(const Model& model, Eigen::Ref<Eigen::VectorXd> out) {
  if (out.size() != model.nq()) detail::throw_size("default_start", "out", static_cast<long>(out.size()), model.nq());
  page::neutral(model.tree<double>(), out.data());
  for (Index k = 0; k < model.nq(); ++k) {  // NaN: unknown
    const double low = model.lower()[static_cast<std::size_t>(k)], high = model.upper()[static_cast<std::size_t>(k)];
    if (out[k] < low) out[k] = low;
    if (out[k] > high) out[k] = high;
  }
}

InverseKinematics::InverseKinematics(const Model& model, const std::vector<PoseTarget>& targets,
                                     const ConstraintSet* constraints, const InverseKinematicsSettings& settings)
    : impl_(make_owned<InverseKinematicsImpl>(model, targets, constraints, settings)) {}
InverseKinematics::InverseKinematics(InverseKinematics&&) noexcept = default;
InverseKinematics& InverseKinematics::operator=(InverseKinematics&&) noexcept = default;
InverseKinematics::~InverseKinematics() = default;

namespace {
InverseKinematicsImpl& existing(const Owned<InverseKinematicsImpl>& impl) {
  if (impl == nullptr) throw std::logic_error("InverseKinematics: this one was moved from");
  return *impl;
}
}  // namespace

const InverseKinematicsSolution& InverseKinematics::solve(VectorIn q0) {
  InverseKinematicsImpl& x = existing(impl_);
  check_configuration(x.model, q0.data(), detail::size_of(q0), "InverseKinematics::solve", "q0");
  return x.solve(q0);
}
const InverseKinematicsSolution& InverseKinematics::solve(const std::vector<Transform<double>>& poses, VectorIn q0) {
  InverseKinematicsImpl& x = existing(impl_);
  if (poses.size() != x.targets.size())
    detail::throw_size("InverseKinematics::solve", "poses", static_cast<long>(poses.size()),
                       static_cast<long>(x.targets.size()));
  check_configuration(x.model, q0.data(), detail::size_of(q0), "InverseKinematics::solve", "q0");
  for (std::size_t k = 0; k < poses.size(); ++k) x.targets[k].pose = poses[k];
  return x.solve(q0);
}
bool InverseKinematics::is_serial() const { return existing(impl_).serial; }
const Model& InverseKinematics::model() const { return existing(impl_).model; }
Index InverseKinematics::targets() const { return static_cast<Index>(existing(impl_).targets.size()); }

std::string InverseKinematicsSolution::explain() const {
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : ", ") + n;
    return text;
  };
  std::string text;
  if (status == PoseStatus::ok) {
    text = fmt::format("All targets are met: the largest error is {:.3g} m or rad.", error);
  } else if (status == PoseStatus::nearest_found) {
    text = "No solution was found; this is the nearest configuration that was found";
    text += fmt::format(", with an error of {:.3g} m or rad.", error);
    text +=
        out_of_reach ? " The target is farther away than the chain is long." : " Solutions elsewhere are not excluded.";
  } else {
    text = fmt::format("The search has not converged; the largest error is {:.3g} m or rad.", error);
  }
  if (!unmet.empty()) text += " Rows that do not hold: " + list(unmet) + ".";
  if (!at_limit.empty()) text += " Limits hold back: " + list(at_limit) + ".";
  return text;
}

}  // namespace zwang
