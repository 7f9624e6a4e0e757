// SPDX-License-Identifier: BSD-3-Clause
// Names and sizes of the joint types, read from the list: a new joint needs nothing here.
#include "zwang/model/joint_types.hpp"

#include "model/build_steps.hpp"
#include "zwang/core/error.hpp"

namespace zwang {
namespace {

/// Coordinates that normalising changes belong to a unit quaternion or a unit circle.
template <class Normalize> int unit_coordinates(int nq, Normalize&& normalize) {
  double q[8] = {2, 2, 2, 2, 2, 2, 2, 2};
  normalize(q);
  int unit = 0;
  for (int i = 0; i < nq; ++i)
    if (q[i] != 2) unit |= 1 << i;
  return unit;
}

template <class J> JointTypeInfo info_of() {
  const int unit = unit_coordinates(J::nq, [](double* q) { J::template normalize<double>(q); });
  return {J::name,   J::nq, J::nv, J::axis, J::parameters, kind_of<J>, std::is_base_of_v<Additive<J::nv>, J>,
          J::angles, unit};
}

template <class... J> std::vector<JointTypeInfo> table_of(JointList<J...>) {
  std::vector<JointTypeInfo> table;
  const auto add = [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, Fixed> && !std::is_same_v<T, User>) table.push_back(info_of<T>());
  };
  (add(J{}), ...);
  return table;
}

const std::vector<JointTypeInfo>& table() {
  static const std::vector<JointTypeInfo> once = table_of(JointTypes{});
  return once;
}

}  // namespace

const JointTypeInfo* find_joint_type(const std::string& name) {
  for (const JointTypeInfo& info : table())
    if (name == info.name) return &info;
  return nullptr;
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for (const JointTypeInfo& info : table()) names.emplace_back(info.name);
  return names;
}

namespace building {

std::optional<JointTypeInfo> type_of(const std::string& type, const UserJoint* user) {
  if (type == "fixed") return JointTypeInfo{Fixed::name, 0, 0, false, 0, kind_of<Fixed>, true, 0, 0};
  if (user != nullptr) {
    const UserJointFunctions* f = user->find(scalar_key<double>);
    if (f == nullptr) detail::throw_no_scalar(*user);
    const int unit = unit_coordinates(user->nq, [&](double* q) { f->normalize(q); });
    return JointTypeInfo{user->name, user->nq, user->nv, true, -1, kind_of<User>, user->additive, 0, unit};
  }
  const JointTypeInfo* info = find_joint_type(type == "continuous" ? Revolute::name : type);
  return info == nullptr ? std::nullopt : std::optional(*info);
}

}  // namespace building

void detail::throw_no_scalar(const UserJoint& joint) {
  throw UnsupportedError("the user-defined joint type '" + std::string(joint.name) +
                         "' has no functions for the scalar asked for");
}

}  // namespace zwang
