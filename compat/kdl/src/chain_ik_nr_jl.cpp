// SPDX-License-Identifier: BSD-3-Clause
// Joint values of a chain within limits for a pose of its tip, by steps of given solvers.
#include <algorithm>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <limits>

#include "chain_ik_codes.hpp"
#include "joint_limits.hpp"
#include "pose_search.hpp"

namespace KDL {

namespace {

/// Newton's steps that succeed at all mostly do so within 10.
constexpr unsigned int k_steps_before_search = 15;

}  // namespace

using detail::failed_or;

ChainIkSolverPos_NR_JL::ChainIkSolverPos_NR_JL(const Chain& chain, const JntArray& q_min, const JntArray& q_max,
                                               ChainFkSolverPos& fksolver, ChainIkSolverVel& iksolver,
                                               unsigned int maxiter, double eps)
    : ChainIkSolverPos_NR_JL(chain, fksolver, iksolver, maxiter, eps) {
  q_min_ = q_min;
  q_max_ = q_max;
  search_->rebuild(q_min_, q_max_);
}

ChainIkSolverPos_NR_JL::ChainIkSolverPos_NR_JL(const Chain& chain, ChainFkSolverPos& fksolver,
                                               ChainIkSolverVel& iksolver, unsigned int maxiter, double eps)
    : chain_(chain),
      fksolver_(fksolver),
      iksolver_(iksolver),
      joints_(chain.getNrOfJoints()),
      maxiter_(maxiter),
      eps_(eps),
      q_min_(joints_),
      q_max_(joints_),
      step_(joints_),
      found_(joints_),
      search_(std::make_unique<detail::PoseSearch>(chain)) {
  q_min_.data.setConstant(-std::numeric_limits<double>::infinity());
  q_max_.data.setConstant(std::numeric_limits<double>::infinity());
}
ChainIkSolverPos_NR_JL::ChainIkSolverPos_NR_JL(const ChainIkSolverPos_NR_JL& other)
    : ChainIkSolverPos(other),
      chain_(other.chain_),
      fksolver_(other.fksolver_),
      iksolver_(other.iksolver_),
      joints_(other.joints_),
      maxiter_(other.maxiter_),
      eps_(other.eps_),
      q_min_(other.q_min_),
      q_max_(other.q_max_),
      step_(other.step_),
      found_(other.found_),
      search_(std::make_unique<detail::PoseSearch>(*other.search_)) {}
ChainIkSolverPos_NR_JL::~ChainIkSolverPos_NR_JL() = default;

/// found_: within limits and eps, as fksolver says.
bool ChainIkSolverPos_NR_JL::search(const JntArray& q_init, const Frame& p_in) {
  Frame tip;
  return search_->solve(q_init, p_in, found_) && fksolver_.JntToCart(found_, tip) >= E_NOERROR &&
         Equal(diff(tip, p_in), Twist::Zero(), eps_);
}

int ChainIkSolverPos_NR_JL::CartToJnt(const JntArray& q_init, const Frame& p_in, JntArray& q_out) {
  if (joints_ != chain_.getNrOfJoints()) return error = E_NOT_UP_TO_DATE;
  for (const JntArray* array : {&q_init, static_cast<const JntArray*>(&q_out), static_cast<const JntArray*>(&q_min_),
                                static_cast<const JntArray*>(&q_max_)})
    if (array->rows() != joints_) return error = E_SIZE_MISMATCH;
  if (!detail::are_limits(q_min_, q_max_)) return error = E_UNDEFINED;
  Frame tip;
  q_out = q_init;
  detail::put_within(q_min_, q_max_, q_out);
  for (unsigned int i = 0; i < maxiter_; ++i) {
    if (fksolver_.JntToCart(q_out, tip) < E_NOERROR) return error = E_FKSOLVERPOS_FAILED;
    const Twist delta = diff(tip, p_in);
    if (Equal(delta, Twist::Zero(), eps_)) return error = E_NOERROR;
    if (i == std::min(k_steps_before_search, maxiter_ - 1) && search(q_init, p_in)) {
      q_out = found_;
      return error = E_NOERROR;
    }
    if (iksolver_.CartToJnt(q_out, delta, step_) < E_NOERROR) return error = E_IKSOLVERVEL_FAILED;
    Add(q_out, step_, q_out);
    detail::put_within(q_min_, q_max_, q_out);
  }
  return error = E_MAX_ITERATIONS_EXCEEDED;
}

int ChainIkSolverPos_NR_JL::setJointLimits(const JntArray& q_min, const JntArray& q_max) {
  if (q_min.rows() != joints_ || q_max.rows() != joints_) return error = E_SIZE_MISMATCH;
  if (!detail::are_limits(q_min, q_max)) return error = E_UNDEFINED;
  q_min_ = q_min;
  q_max_ = q_max;
  search_->rebuild(q_min_, q_max_);
  return error = E_NOERROR;
}

const char* ChainIkSolverPos_NR_JL::strError(const int code) const { return failed_or(SolverI::strError(code), code); }

void ChainIkSolverPos_NR_JL::updateInternalDataStructures() {
  const unsigned int old = joints_;
  joints_ = chain_.getNrOfJoints();
  iksolver_.updateInternalDataStructures();
  fksolver_.updateInternalDataStructures();
  for (JntArray* array : {&q_min_, &q_max_, &step_, &found_}) array->resize(joints_);
  for (unsigned int j = old; j < joints_; ++j) {
    q_min_(j) = -std::numeric_limits<double>::infinity();
    q_max_(j) = std::numeric_limits<double>::infinity();
  }
  search_->rebuild(q_min_, q_max_);
}

}  // namespace KDL
