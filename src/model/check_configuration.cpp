// SPDX-License-Identifier: BSD-3-Clause
// check_configuration: size, finite entries, unit lengths.
#include "zwang/model/check_configuration.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/all_finite.hpp"
#include "zwang/model/for_each_joint.hpp"

namespace zwang {
namespace detail {

void check_entries(const double* x, Index size, Index expected, const char* function, const char* argument) {
  if (size != expected) throw_size(function, argument, size, expected);
  if (x == nullptr && size > 0) [[unlikely]]
    throw std::invalid_argument(std::string(function) + ": argument '" + argument + "' is a null pointer");
  if (all_finite(x, size)) [[likely]]
    return;
  for (Index i = 0; i < size; ++i)
    if (!std::isfinite(x[i])) throw_not_finite(function, argument, i, x[i]);
}

void check_result(const double* x, Index size, const char* function) {
  if (!all_finite(x, size)) [[unlikely]]
    throw_overflow(function);
}

const Joint& joint_of_coordinate(const Model& model, Index v) {
  const Joint* follower = nullptr;  // of a mimic group, for the case that no leader shows the coordinate
  for (const Joint& joint : model.joints()) {
    if (v < joint.v.first || v >= joint.v.end()) continue;
    if (joint.mimic.leader.empty()) return joint;
    if (follower == nullptr) follower = &joint;
  }
  if (follower == nullptr) throw_size("joint_of_coordinate", "v", v, model.nv());
  return *follower;
}

namespace {
/// A joint's part of q before and after normalisation, without allocation for any joint of the library.
class Normalization {
 public:
  template <class Group> Normalization(const Group& joint, const double* q) : n_(joint.nq) {
    if (n_ > k_room) many_.resize(static_cast<std::size_t>(n_));  // a user's joint may have any number of coordinates
    double* x = many_.empty() ? few_ : many_.data();
    for (Index i = 0; i < n_; ++i) x[i] = q[i];
    joint.normalize(x);
    double sum = 0;
    for (Index i = 0; i < n_; ++i) sum += (x[i] - q[i]) * (x[i] - q[i]);
    moved_ = std::sqrt(sum);
  }
  const double* result() const { return many_.empty() ? few_ : many_.data(); }
  /// How far normalisation moved it: | |q| - 1 | for a quaternion, NaN where it has no direction.
  double moved() const { return moved_; }

 private:
  static constexpr Index k_room = 16;
  Index n_;
  double few_[k_room];
  std::vector<double> many_;
  double moved_;
};

/// A cheaper bound: | |x| - 1 | is at most | |x|^2 - 1 |.
bool nearly_unit(const double* x, double tolerance) {
  return std::fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 1) <= tolerance;
}

template <class Accept> bool every_joint(const Tree<double>& tree, const double* q, JointPart* first, Accept&& accept) {
  bool good = true;
  for_each_joint(tree, [&](const auto& joint) {
    if (!good || joint.additive()) return;
    good = accept(joint, q + joint.q);
    if (!good && first != nullptr) *first = {joint.v, joint.q, joint.nq};
  });
  return good;
}
}  // namespace

bool normalized_within(const Tree<double>& tree, const double* q, double tolerance, JointPart* first) {
  // Like every_joint, but without a switch over joint types. A joint with as many numbers in q as in v
  // has no quaternion and no point of a circle to normalise. A joint that has one does not mimic
  // another. No joint has fewer numbers in q than in v, so that the loop may end when the surplus
  // nq - nv is used up: at the first body of most robots.
  Index surplus = tree.spanning_nq - tree.spanning_nv;
  for (Index i = 1; surplus > 0; ++i) {
    const Body<double>& b = tree.body[i];
    if (b.nq == b.nv) continue;
    surplus -= b.nq - b.nv;
    const JointCoordinates at{i, tree.mimic ? tree.q_source[b.q] : b.q, b.nq, tree.column[b.v].v, b.nv, b.user};
    if (b.kind == kind_of<Free> && nearly_unit(q + at.q + 3, tolerance)) continue;
    bool good = true;
    visit(b.kind, [&](auto joint) {
      if constexpr (joint.nv > 0) good = Normalization(JointGroup<decltype(joint)>{at}, q + at.q).moved() <= tolerance;
    });
    if (good) continue;
    if (first != nullptr) *first = {at.v, at.q, at.nq};
    return false;
  }
  return true;
}

bool can_be_normalized(const Tree<double>& tree, const double* q, JointPart* first) {
  return every_joint(tree, q, first, [&](const auto& joint, const double* x) {
    return Normalization(joint, Normalization(joint, x).result()).moved() <= 1e-12;
  });
}

std::string describe(const Model& model, const double* q, const JointPart& part, const char* function,
                     const char* argument) {
  std::string entries;
  for (Index i = 0; i < part.nq; ++i) entries += fmt::format("{}{}", i == 0 ? "" : ", ", q[part.q + i]);
  return fmt::format("{}: {}[{}..{}] of joint '{}', got ({}), expected ", function, argument, part.q,
                     part.q + part.nq - 1, joint_of_coordinate(model, part.v).name, entries);
}

}  // namespace detail

void check_configuration(const Model& model, const double* q, Index size, const char* function, const char* argument) {
  detail::check_entries(q, size, model.nq(), function, argument);
  detail::JointPart at{};
  if (detail::normalized_within(model.tree<double>(), q, k_unit_tolerance, &at)) return;
  const bool turns = detail::can_be_normalized(model.tree<double>(), q, nullptr);
  throw std::invalid_argument(
      detail::describe(model, q, at, function, argument) +
      fmt::format("unit length within {} ({})", k_unit_tolerance,
                  turns
                      ? "zwang::normalize brings it there"
                      : "a zero quaternion has no direction; zwang::neutral gives a configuration without rotations"));
}

void check_tangent(const Model& model, const double* v, Index size, const char* function, const char* argument) {
  detail::check_entries(v, size, model.nv(), function, argument);
}

}  // namespace zwang
