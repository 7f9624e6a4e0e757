// SPDX-License-Identifier: BSD-3-Clause
// The Vereshchagin solver's conventions, turned into a problem of zwang and back:
//   gravity is -root_acc; lambda = -nu; the rows are alfa^T, of the spatial acceleration of the tip; beta of zwang
//   holds the acceleration itself, without root_acc.
// A root that also turns (root_acc.rot) is a field of accelerations: each body feels -I a of it as a wrench.
#include "hybrid_dynamics.hpp"

#include <algorithm>
#include <cstring>
#include <zwang/algorithm/quantities.hpp>

namespace KDL::detail {

namespace {
constexpr const char* held = "tip";
}

HybridDynamics::HybridDynamics(const Chain& chain, const Twist& root_acc, unsigned int nc)
    : robot_(chain),
      root_acc_(root_acc),
      turns_(root_acc.rot(0) != 0 || root_acc.rot(1) != 0 || root_acc.rot(2) != 0),
      nc_(nc) {
  renew();
}
HybridDynamics::HybridDynamics(const HybridDynamics& other)
    : settings_(other.settings_),
      robot_(other.robot_),
      root_acc_(other.root_acc_),
      turns_(other.turns_),
      nc_(other.nc_) {
  renew();
}
void HybridDynamics::rebuild() {
  robot_.rebuild();
  renew();
}

void HybridDynamics::renew() {
  version_ = robot_.version();
  inertia_version_ = robot_.inertia_version();
  has_solution_ = false;
  solver_.reset();
  set_.reset();
  nu_ = JntArray(nc_);
  q_dotdot_ = JntArray(robot_.joints());
  if (robot_.refresh() != SolverI::E_NOERROR || robot_.joints() == 0) return;
  const zwang::Model& model = robot_.model();
  robot_.data().gravity = to(-root_acc_.vel);
  set_.emplace(model);
  rows_.assign(6 * nc_, 0);
  for (unsigned int k = 0; k < nc_; ++k) rows_[6 * k + k % 6] = 1;
  beta_.assign(nc_, 0);
  asks_.assign(nc_, 1);
  root_.assign(nc_, 0);
  has_rows_ = false;
  if (nc_ > 0)
    set_->add(zwang::FrameConstraint{.name = held,
                                     .frame = model.frame(robot_.tip(robot_.segments() - 1)).name,
                                     .rows = zwang::rows(rows_),
                                     .beta = beta_,
                                     .acceleration = zwang::AccelerationKind::spatial,
                                     .role = zwang::Role::driver});
  constraint_ = nc_ > 0 ? &(*set_)[held] : nullptr;
  solver_.emplace(model, *set_, settings_);
  robot_.set_inertias(solver_->data());
  solver_->data().gravity = to(-root_acc_.vel);
  external_.reserve(2 * robot_.segments());
}

int HybridDynamics::refresh() {
  const int code = robot_.refresh();
  if (code != SolverI::E_NOERROR) return code;
  if (version_ != robot_.version()) {
    renew();
  } else if (inertia_version_ != robot_.inertia_version()) {
    inertia_version_ = robot_.inertia_version();
    robot_.set_inertias(solver_->data());
  }
  if (!solver_.has_value()) return SolverI::E_UNDEFINED;  // nothing moves
  return robot_.has_idle_joint() ? SolverI::E_NOT_IMPLEMENTED : SolverI::E_NOERROR;
}

void HybridDynamics::set(zwang::Singularity policy, double regularisation) {
  settings_.singularity = policy;
  settings_.regularisation = regularisation;
  apply_settings();
}
void HybridDynamics::set_tolerance(double angle) {
  settings_.tolerance = angle;
  apply_settings();
}
void HybridDynamics::apply_settings() {
  if (solver_.has_value()) solver_->settings() = settings_;
}

/// Only what differs is written, so that the solver reads as little as possible again.
void HybridDynamics::take_rows(const Jacobian& alfa, const JntArray& beta, const Twist& root_at_tip) {
  const double* given = alfa.data.data();  // column by column, as rows_ are
  const bool is_new = !has_rows_ || std::memcmp(rows_.data(), given, 6 * nc_ * sizeof(double)) != 0;
  if (is_new) std::copy(given, given + 6 * nc_, rows_.begin());
  zwang::Constraint& constraint = *constraint_;
  if (is_new) constraint.rows_on_body.change([this](zwang::RowsOnBody& rows) { rows.matrix = rows_; });
  for (unsigned int k = 0; k < nc_; ++k) {
    const double* row = &rows_[6 * k];
    if (is_new) asks_[k] = std::any_of(row, row + 6, [](double entry) { return entry != 0; });  // zeros ask for nothing
    if (is_new || turns_) {
      root_[k] = 0;
      for (int i = 0; i < 3; ++i) root_[k] += row[i] * root_at_tip.vel(i) + row[3 + i] * root_at_tip.rot(i);
    }
    const double asked = asks_[k] ? beta.data[k] - root_[k] : 0;
    if (beta_[k] != asked) constraint.beta[k] = asked;
    beta_[k] = asked;
  }
  has_rows_ = true;
}

void HybridDynamics::take_wrenches(const Wrenches& f_ext) {
  external_.clear();
  const auto add = [this](unsigned int segment, const Wrench& wrench) {
    const double* f = wrench.force.data;
    const double* t = wrench.torque.data;
    const int acts = (f[0] != 0) | (f[1] != 0) | (f[2] != 0) | (t[0] != 0) | (t[1] != 0) | (t[2] != 0);
    if (acts == 0) return;
    zwang::ExternalWrench out;
    out.frame = robot_.tip(segment);
    for (int i = 0; i < 3; ++i) {
      out.wrench[i] = f[i];
      out.wrench[3 + i] = t[i];
    }
    external_.push_back(out);
  };
  for (unsigned int i = 0; i < robot_.segments(); ++i) {
    add(i, f_ext[i]);
    if (!turns_) continue;
    const Frame tip = from(zwang::frame_pose(robot_.model(), robot_.data(), robot_.tip(i)));
    const Twist field = Twist(Vector::Zero(), root_acc_.rot).RefPoint(tip.p);
    add(i, -((tip.M * robot_.segment(i).getInertia()) * field));
  }
}

int HybridDynamics::solve(const JntArray& q, const JntArray& q_dot, const Jacobian& alfa, const JntArray& beta,
                          const Wrenches& f_ext, const JntArray& ff_torques) {
  Robot& r = robot_;
  has_solution_ = false;
  r.motions_to(q, r.q);
  r.motions_to(q_dot, r.v);
  r.torques_to(ff_torques, r.tau);
  Twist root_at_tip = root_acc_;
  if (turns_) {
    const int code = code_of(zwang::try_forward_kinematics(r.model(), r.data(), r.q));
    if (code != SolverI::E_NOERROR) return code;
    root_at_tip = root_acc_.RefPoint(from(zwang::frame_pose(r.model(), r.data(), r.tip(r.segments() - 1)).p));
  }
  if (nc_ > 0) take_rows(alfa, beta, root_at_tip);
  take_wrenches(f_ext);
  const zwang::Solution& s = solver_->try_solve({.q = r.q, .v = r.v, .tau = r.tau, .external = &external_});
  const int code = code_of(s.report.status);
  has_solution_ = zwang::has_result(s.report.status);
  if (!has_solution_) return code;
  for (unsigned int k = 0; k < nc_; ++k) nu_.data[k] = asks_[k] ? -s.multipliers[k] : 0;
  r.motions_from(s.acceleration.data(), q_dotdot_);
  return code;
}

void HybridDynamics::accelerations(std::vector<Twist>& out) {
  out[0] = root_acc_;
  for (unsigned int i = 0; i < robot_.segments(); ++i) {
    const zwang::FrameId tip = robot_.tip(i);
    out[i + 1] = from(zwang::frame_acceleration(robot_.model(), solver_->data(), tip, zwang::AccelerationKind::spatial,
                                                zwang::Reference::local_world_aligned));
    out[i + 1] += root_acc_.RefPoint(from(zwang::frame_pose(robot_.model(), solver_->data(), tip).p));
  }
}

/// D_i qdd_i with D = s^2 S^T I^A S + J: the articulated inertia seen by the joint, in the axes of its link.
void HybridDynamics::total_torque(JntArray& out) {
  Robot& r = robot_;
  Eigen::Matrix<double, 6, 6> articulated;
  unsigned int j = 0;
  for (unsigned int i = 0; i < r.segments(); ++i) {
    const Joint& joint = r.segment(i).getJoint();
    if (joint.getType() == Joint::Fixed) continue;
    zwang::articulated_inertia(r.model(), r.data(), r.q, r.model().links()[r.link(i).value].frame, articulated);
    const int first = joint.getType() <= Joint::RotZ ? 3 : 0;
    const Vector axis = joint.JointAxis();
    double inertia = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) inertia += axis(a) * articulated(first + a, first + b) * axis(b);
    out.data[j] = (r.scale(j) * r.scale(j) * inertia + joint.getInertia()) * q_dotdot_.data[j];
    ++j;
  }
}

void HybridDynamics::motor_torque(JntArray& out) const { robot_.torques_from(solution().motor_torque.data(), out); }

Wrench HybridDynamics::wrench() const {
  Wrench out;
  for (unsigned int k = 0; k < nc_; ++k)
    for (int i = 0; i < 6; ++i) out(i) -= rows_[6 * k + i] * nu_.data[k];
  return out;
}

}  // namespace KDL::detail
