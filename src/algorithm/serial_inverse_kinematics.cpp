// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/serial_inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/pose_task.hpp"
#include "algorithm/serial_chain.hpp"
#include "algorithm/support.hpp"
#include "core/all_finite.hpp"

namespace zwang {
namespace {

constexpr Index k_most = SerialInverseKinematics::k_most_joints;
static_assert(k_most == SerialChain::k_most_joints);

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("SerialInverseKinematics: " + what); }

const SerialInverseKinematicsSettings& checked(const SerialInverseKinematicsSettings& s) {
  const auto positive = [](const char* name, double x) {
    if (!(x > 0) || !std::isfinite(x)) refuse(std::string(name) + " is > 0 and finite; got " + std::to_string(x));
  };
  positive("tolerance", s.tolerance);
  positive("angle_tolerance", s.angle_tolerance);
  if (!(s.position_weight >= 0) || !std::isfinite(s.position_weight))
    refuse("position_weight is >= 0 and finite; got " + std::to_string(s.position_weight));
  if (!(s.limit_margin >= 0) || !std::isfinite(s.limit_margin))
    refuse("limit_margin is >= 0 and finite; got " + std::to_string(s.limit_margin));
  if (s.max_evaluations < 1) refuse("max_evaluations is at least 1; got " + std::to_string(s.max_evaluations));
  if (s.solutions < 1) refuse("solutions is at least 1; got " + std::to_string(s.solutions));
  if (!s.position && s.attitude == AttitudeRows::none) refuse("neither position nor attitude is asked for");
  return s;
}

PoseBudget budget_of(const SerialInverseKinematicsSettings& s) {
  PoseBudget b{};
  b.evaluations = s.max_evaluations;
  b.ranked = 8;
  b.descents = std::numeric_limits<Index>::max();
  b.stall = s.solutions > 1 ? 8 : 2;  // patience stays nearer to the seed, haste is faster
  b.solutions = s.solutions;
  b.seed_first = s.seed_first;
  b.nearest = s.nearest;
  return b;
}

}  // namespace

struct SerialInverseKinematicsImpl {
  SerialInverseKinematicsImpl(const Model& m, const Frame& base, const Frame& tip,
                              const SerialInverseKinematicsSettings& s)
      : model(m),
        settings(checked(s)),
        chain(m, base, tip, {s.limits, s.limit_margin}),
        kernels(chain_kernels()),
        task(pose_task(s, chain.chain().length)),
        budget(budget_of(s)),
        q(m.nq()),
        v(m.nv()) {
    if (s.position_weight == 0) settings.position_weight = 2 / chain.chain().length;
    solution.at_lower.reserve(k_most);
    solution.at_upper.reserve(k_most);
    motion.held.reserve(k_most);
  }

  const SerialSolution& solve(const Transform<double>& target, const double* seed) {
    alignas(64) double from[k_most], x[k_most];
    chain.read(seed, from);
    set_target(task, target);
    PoseOutcome out;
    kernels.solve(chain.chain(), task, budget, from, x, out);
    std::copy_n(seed, model.nq(), q.data());
    chain.write(x, q.data());
    report(out);
    return solution;
  }

  void report(const PoseOutcome& out) {
    SerialSolution& s = solution;
    new (&s.q) VectorView(q.data(), q.size());
    s.status = out.found ? PoseStatus::ok : out.stationary ? PoseStatus::nearest_found : PoseStatus::not_converged;
    const double* const e = out.error;
    const double sine = std::sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);
    const double angle = std::atan2(sine, out.cosine), scale = sine > 1e-300 ? angle / sine : 1;
    for (int k = 0; k < 3; ++k) {
      s.error[k] = e[k];
      s.error[3 + k] = scale * e[3 + k];
    }
    s.position_error = task.position_weight > 0 ? std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) : 0;
    s.angle_error = task.direction_weight > 0 ? angle : 0;
    s.gradient = out.found ? 0 : out.gradient;
    s.evaluations = out.evaluations;
    s.descents = out.descents;
    s.out_of_reach = out.out_of_reach;
    s.at_lower.clear();
    s.at_upper.clear();
    for (Index i = 0; i < chain.chain().joints && !out.found; ++i) {
      const Index at = chain.coordinates()[static_cast<std::size_t>(i)];
      if (out.bound_below >> i & 1) s.at_lower.push_back(at);
      if (out.bound_above >> i & 1) s.at_upper.push_back(at);
    }
  }

  const SerialSolution& refuse(PoseStatus status) {
    solution.status = status;
    new (&solution.q) VectorView(nullptr, 0);
    solution.at_lower.clear();
    solution.at_upper.clear();
    solution.out_of_reach = false;
    solution.evaluations = solution.descents = 0;
    return solution;
  }

  Model model;
  SerialInverseKinematicsSettings settings;
  ChainOfModel chain;
  const ChainKernels& kernels;
  PoseTask task;
  PoseBudget budget;
  Buffer<double> q, v;
  SerialSolution solution;
  SerialVelocity motion;
};

SerialInverseKinematics::SerialInverseKinematics(const Model& model, FrameIn base, FrameIn tip,
                                                 const SerialInverseKinematicsSettings& settings)
    : impl_(make_owned<SerialInverseKinematicsImpl>(model, detail::frame_of(model, base, "SerialInverseKinematics"),
                                                    detail::frame_of(model, tip, "SerialInverseKinematics"),
                                                    settings)) {}
SerialInverseKinematics::SerialInverseKinematics(SerialInverseKinematics&&) noexcept = default;
SerialInverseKinematics& SerialInverseKinematics::operator=(SerialInverseKinematics&&) noexcept = default;
SerialInverseKinematics::~SerialInverseKinematics() = default;

namespace {
SerialInverseKinematicsImpl& existing(const Owned<SerialInverseKinematicsImpl>& impl) {
  if (impl == nullptr) throw std::logic_error("SerialInverseKinematics: this one was moved from");
  return *impl;
}
}  // namespace

const SerialSolution& SerialInverseKinematics::solve(const Transform<double>& target, VectorIn seed) {
  SerialInverseKinematicsImpl& x = existing(impl_);
  check_configuration(x.model, seed.data(), detail::size_of(seed), "SerialInverseKinematics::solve", "seed");
  if (const char* const fault = fault_of_target(target)) refuse(std::string("target: ") + fault);
  return x.solve(target, seed.data());
}

const SerialSolution& SerialInverseKinematics::try_solve(const Transform<double>& target, VectorIn seed) noexcept {
  SerialInverseKinematicsImpl& x = *impl_;
  if (detail::size_of(seed) != x.model.nq()) return x.refuse(PoseStatus::invalid_input);
  if (!is_finite_pose(target) || !all_finite(seed.data(), x.model.nq())) return x.refuse(PoseStatus::non_finite_input);
  if (fault_of_target(target) != nullptr ||
      !detail::normalized_within(x.model.tree<double>(), seed.data(), k_unit_tolerance))
    return x.refuse(PoseStatus::invalid_input);
  return x.solve(target, seed.data());
}

const SerialVelocity& SerialInverseKinematics::velocity(VectorIn q, const Motion<double>& twist,
                                                        const SerialVelocitySettings& limits, VectorIn rest,
                                                        VectorIn v_before) {
  SerialInverseKinematicsImpl& x = existing(impl_);
  const char* const function = "SerialInverseKinematics::velocity";
  check_configuration(x.model, q.data(), detail::size_of(q), function);
  if (rest.size() != 0) detail::check_v(x.model, rest, function, "rest");
  if (v_before.size() != 0) detail::check_v(x.model, v_before, function, "v_before");
  const double wanted[6] = {twist.v.x, twist.v.y, twist.v.z, twist.w.x, twist.w.y, twist.w.z};
  detail::check_entries(wanted, 6, 6, function, "twist");
  if (!(limits.damping >= 0) || !std::isfinite(limits.damping)) refuse("damping is >= 0 and finite");
  if (!(limits.time_step >= 0) || !std::isfinite(limits.time_step)) refuse("time_step is >= 0 and finite");
  const bool accelerates = !limits.acceleration_limit.empty();
  if (accelerates && static_cast<Index>(limits.acceleration_limit.size()) != x.model.nv())
    detail::throw_size(function, "acceleration_limit", static_cast<long>(limits.acceleration_limit.size()),
                       x.model.nv());
  if (accelerates && (v_before.size() == 0 || limits.time_step == 0))
    refuse("limits of acceleration need v_before and a time_step > 0");

  const SerialChain& c = x.chain.chain();
  alignas(64) double at[k_most], low[k_most], high[k_most], v[k_most], wish[k_most];
  x.chain.read(q.data(), at);
  for (Index i = 0; i < k_most; ++i) {
    low[i] = -std::numeric_limits<double>::infinity();
    high[i] = -low[i];
    if (i >= c.joints) continue;
    const auto k = static_cast<std::size_t>(x.chain.coordinates()[static_cast<std::size_t>(i)]);
    const double most = x.model.velocity_limit()[k];
    if (limits.limits && most >= 0) low[i] = -most, high[i] = most;  // not NaN: unknown
    if (limits.time_step > 0) {
      low[i] = std::max(low[i], (c.lower[i] - at[i]) / limits.time_step);
      high[i] = std::min(high[i], (c.upper[i] - at[i]) / limits.time_step);
    }
    if (accelerates) {
      const double change = std::fabs(limits.acceleration_limit[k]) * limits.time_step;
      const double before = v_before[static_cast<Eigen::Index>(k)];
      low[i] = std::max(low[i], std::min(before - change, high[i]));
      high[i] = std::min(high[i], std::max(before + change, low[i]));
    }
    if (low[i] > high[i])
      low[i] = high[i] = 0.5 * (low[i] + high[i]);  // outside of a limit, farther than a step leads back
  }
  if (rest.size() != 0) x.chain.read_rates(rest.data(), wish);
  PoseTask task = x.task;
  set_target(task, pose(q));
  unsigned held = 0;
  x.motion.error = x.kernels.velocity(c, task, std::max(limits.damping, 1e-14), at, wanted,
                                      rest.size() != 0 ? wish : nullptr, low, high, v, &held);
  x.motion.held.clear();
  for (Index i = 0; i < c.joints; ++i)
    if (held >> i & 1) x.motion.held.push_back(x.chain.coordinates()[static_cast<std::size_t>(i)]);
  std::fill_n(x.v.data(), x.model.nv(), 0.0);
  x.chain.write_rates(v, x.v.data());
  new (&x.motion.v) VectorView(x.v.data(), x.v.size());
  return x.motion;
}

Transform<double> SerialInverseKinematics::pose(VectorIn q) const {
  const SerialInverseKinematicsImpl& x = existing(impl_);
  check_configuration(x.model, q.data(), detail::size_of(q), "SerialInverseKinematics::pose");
  alignas(64) double at[k_most];
  x.chain.read(q.data(), at);
  double o[12];
  x.kernels.pose(x.chain.chain(), at, o);
  return {Mat3<double>{Vec3<double>{o[0], o[1], o[2]}, Vec3<double>{o[3], o[4], o[5]}, Vec3<double>{o[6], o[7], o[8]}},
          {o[9], o[10], o[11]}};
}
const std::vector<Index>& SerialInverseKinematics::coordinates() const { return existing(impl_).chain.coordinates(); }
const SerialInverseKinematicsSettings& SerialInverseKinematics::settings() const { return existing(impl_).settings; }
const Model& SerialInverseKinematics::model() const { return existing(impl_).model; }

}  // namespace zwang
