// SPDX-License-Identifier: BSD-3-Clause
// JointConstraint bound to the columns of its coordinates, and to the poses
// that the posture gives the joints' children.
#include "algorithm/instances.hpp"
#include "constraint/bind.hpp"
#include "constraint/joint_columns.hpp"
#include "manifold/instances.hpp"
#include "zwang/model/check_configuration.hpp"
#include "zwang/model/for_each_joint.hpp"

namespace zwang {
namespace {

/// The coordinates named, in the order of the names; a joint's name stands for all that it has.
std::vector<Index> coordinates_of(const Model& model, const JointConstraint& f) {
  std::vector<Index> list;
  const auto add = [&](Index v) {
    for (const Index known : list)
      if (known == v)
        throw std::invalid_argument("constraint '" + f.name + "': coordinate '" +
                                    model.coordinate_names()[static_cast<std::size_t>(v)] + "' is named twice");
    list.push_back(v);
  };
  for (const std::string& name : f.coordinates) {
    const JointId id = model.find_joint(name);
    if (id.value < 0) {
      add(detail::find_coordinate(model, name, f.name).v);
      continue;
    }
    const Joint& joint = model.joints()[static_cast<std::size_t>(id.value)];
    if (joint.v.size == 0)
      throw std::invalid_argument("constraint '" + f.name + "': joint '" + name + "' has no coordinates");
    for (Index v = joint.v.first; v < joint.v.end(); ++v) add(v);
  }
  for (Index v = 0; v < model.nv() && f.coordinates.empty(); ++v) add(v);
  if (list.empty()) throw std::invalid_argument("constraint '" + f.name + "': coordinates: the model has none");
  return list;
}

/// Which error of the pose of a joint's child its coordinate i is; -1: of no joint of the library.
template <class J> constexpr Index error_of(Index i) {
  if constexpr (std::is_base_of_v<RigidMotions, J>) return i;
  if constexpr (std::is_base_of_v<Rotations, J>) return 3 + i;
  if constexpr (std::is_base_of_v<PlanarMotions, J>) return i;
  if constexpr (std::is_base_of_v<UnitCircle, J>) return 5;
  return -1;
}

page::PoseRows<page::LoopGeometry> pose_row(const Data& data, const page::CoordinateColumn& c,
                                            const std::string& constraint) {
  Index error = -1;
  for_each_joint(data.tree(), [&]<class J>(const JointGroup<J>& joint) {
    if (c.v >= joint.v && c.v < joint.v + joint.nv) error = error_of<J>(c.v - joint.v);
  });
  if (error < 0)
    throw std::invalid_argument(
        "constraint '" + constraint + "': coordinate '" +
        data.model().coordinate_names()[static_cast<std::size_t>(c.v)] +
        "' belongs to a joint of the user's whose q is not additive; hold it by frames instead");
  const auto& X = data.position.placement;
  Transform<double> at = inverse(X[c.parent]) * X[c.child];
  if (c.parent == 0) at.p += data.position.centre[data.tree().body[c.child].root];  // placements are about the centre
  page::LoopGeometry geometry;
  geometry.angles = error < 3 ? page::LoopGeometry::Angles::none : page::LoopGeometry::Angles::vector;
  return {geometry, {c.parent, at}, {c.child, Transform<double>::identity()}, {page::k_one_error[error], 6}};
}

template <class T> ConstArray<T> list_of(const std::vector<T>& x) { return {x.data(), static_cast<Index>(x.size())}; }

}  // namespace

Constraint bind(const Model& model, const JointConstraint& f) {
  Constraint c = detail::begin(f, "");
  std::vector<double> posture = f.posture;
  if (posture.empty()) {
    posture.resize(static_cast<std::size_t>(model.nq()));
    page::neutral(model.tree<double>(), posture.data());
  }
  check_configuration(model, posture.data(), static_cast<Index>(posture.size()),
                      ("constraint '" + f.name + "'").c_str(), "posture");
  Data data(model);
  page::kinematics(data, posture.data());
  std::vector<std::string> names;
  std::vector<page::CoordinateColumn> coordinates;
  std::vector<double> reference;
  std::vector<page::PoseRows<page::LoopGeometry>> poses;
  for (const Index v : coordinates_of(model, f)) {
    const page::CoordinateColumn k = detail::coordinate_column(model, v);
    names.push_back(model.coordinate_names()[static_cast<std::size_t>(v)]);
    coordinates.push_back(k);
    reference.push_back(k.q < 0 ? 0.0 : posture[static_cast<std::size_t>(k.q)]);
    poses.push_back(k.q < 0 ? pose_row(data, k, f.name) : page::PoseRows<page::LoopGeometry>{});
  }
  detail::set_rows(c, names);
  if (!f.posture.empty() && c.target.empty()) c.target.assign(names.size(), 0.0);  // the posture is wanted
  std::vector<Index> bodies = detail::bodies_of(coordinates);
  detail::find_places(coordinates, bodies);
  c.relation = detail::relation_of(static_cast<Index>(names.size()), std::move(bodies),
                                   page::JointRows{list_of(coordinates), list_of(reference), list_of(poses)});
  return c;
}

template Constraint& ConstraintSet::add(const JointConstraint&);
template const JointConstraint* ConstraintSet::added_as(const std::string&) const;

}  // namespace zwang
