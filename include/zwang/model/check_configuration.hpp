// SPDX-License-Identifier: BSD-3-Clause
// check_configuration: may q be used? The one check of the configuration for every public call.
#pragma once
#include "zwang/model/model.hpp"

namespace zwang {

/// How far from unit length a quaternion (or a point of a circle) may be; beyond it a call refuses the configuration.
inline constexpr double k_unit_tolerance = 1e-6;

/// Throws std::invalid_argument naming `function` and `argument` where q does not have nq entries, an
/// entry is not finite, or the quaternion of a joint (named) is not of unit length within
/// k_unit_tolerance. Never allocates unless it throws.
void check_configuration(const Model& model, const double* q, Index size, const char* function,
                         const char* argument = "q");
/// The same for a velocity, acceleration, torque or increment: nv finite entries.
void check_tangent(const Model& model, const double* v, Index size, const char* function, const char* argument = "v");

namespace detail {
/// `size` finite entries.
void check_entries(const double* x, Index size, Index expected, const char* function, const char* argument);
/// Throws ArithmeticOverflowError where an entry of a result, from finite arguments, is not finite.
void check_result(const double* x, Index size, const char* function);
/// The joint that owns coordinate v of the model's velocity.
const Joint& joint_of_coordinate(const Model& model, Index v);
/// Where a joint's part of a configuration is.
struct JointPart {
  Index v, q, nq;
};
/// Every quaternion has unit length within `tolerance`; otherwise `first` tells which has not.
bool normalized_within(const Tree<double>& tree, const double* q, double tolerance, JointPart* first = nullptr);
/// Every quaternion has a direction: it is neither zero nor so short or long that its square is not a normal number.
bool can_be_normalized(const Tree<double>& tree, const double* q, JointPart* first = nullptr);
/// `function: argument[3..6] of joint 'a', got (...), expected `
std::string describe(const Model& model, const double* q, const JointPart& part, const char* function,
                     const char* argument);
}  // namespace detail

}  // namespace zwang
