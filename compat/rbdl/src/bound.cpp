// SPDX-License-Identifier: BSD-3-Clause
#include "bound.hpp"

namespace RigidBodyDynamics::detail {

namespace {

/// A frame of RBDL's loops: X.E has its axes as columns.
zwang::Transform<double> frame_pose(const Place& place, const Math::SpatialTransform& X) {
  const zwang::Transform<double> in_body = pose_of({Math::Matrix3d(X.E.transpose()), X.r});
  return place.is_fixed ? pose_of(place.in_body) * in_body : in_body;
}
std::string end_name(std::size_t group, int end) {
  return "group " + std::to_string(group) + (end == 0 ? " predecessor" : " successor");
}

zwang::Model with_frames(Model& source, const ConstraintSet& set) {
  const Robot& robot = source.kept.of(source);
  zwang::RobotDescription description = robot.model.description();
  for (std::size_t g = 0; g < set.groups.size(); ++g) {
    const ConstraintSet::Group& group = set.groups[g];
    if (group.type != ConstraintTypeLoop) continue;
    for (int end = 0; end < 2; ++end) {
      const Place place = robot.place("Bind", end == 0 ? group.body : group.other);
      description.frames.push_back({.name = end_name(g, end),
                                    .parent = robot.model.frame(place.frame).name,
                                    .placement = frame_pose(place, end == 0 ? group.X : group.Y)});
    }
  }
  return zwang::build(std::move(description), robot.model.options());
}

zwang::ConstraintSet constraints_of(Model& source, const ConstraintSet& set, const zwang::Model& model,
                                    std::vector<zwang::Index>& rows, std::vector<std::string>& names) {
  const Robot& robot = source.kept.of(source);
  zwang::ConstraintSet out(model);
  rows.assign(set.size(), 0);
  for (std::size_t g = 0; g < set.groups.size(); ++g) {
    const ConstraintSet::Group& group = set.groups[g];
    const zwang::Index first = out.rows();
    names.emplace_back();
    for (std::size_t k = 0; k < group.rows.size(); ++k) rows[group.rows[k]] = first + static_cast<zwang::Index>(k);
    if (group.type == ConstraintTypeContact) {
      const Place place = robot.place("Bind", group.body);
      const Math::Vector3d point =
          place.is_fixed ? Math::Vector3d(place.in_body.E.transpose() * group.point + place.in_body.r) : group.point;
      for (std::size_t k = 0; k < group.rows.size(); ++k) {
        zwang::ContactConstraint contact;
        contact.name = "row " + std::to_string(group.rows[k]);
        contact.frame = robot.model.frame(place.frame).name;
        contact.point = to(point);
        contact.normal = to(group.axes[k].tail<3>());
        contact.rows = 1;
        out.add(contact);
      }
    } else {
      std::vector<double> directions;
      for (const Math::SpatialVector& axis : group.axes)
        for (int k = 0; k < 6; ++k) directions.push_back(axis[(k + 3) % 6]);
      zwang::LoopConstraint loop;
      loop.name = names.back() = "group " + std::to_string(g);
      loop.frame = end_name(g, 0);
      loop.other = end_name(g, 1);
      loop.rows = zwang::rows(directions);
      out.add(loop);
    }
  }
  return out;
}

}  // namespace

Bound::Bound(Model& source, const ConstraintSet& given)
    : base(source.kept.of(source).model.id()),
      model(with_frames(source, given)),
      set(constraints_of(source, given, model, rows, names)),
      solver(model, set),
      evaluator(model, set),
      jacobian_(Math::MatrixNd::Zero(set.rows(), model.nv())) {
  target.setZero(set.rows());
  const Robot& robot = source.kept.of(source);
  for (unsigned int i = 0; i < source.mBodies.size(); ++i)
    externals_.push_back({.frame = model.find_frame(robot.model.frame(robot.place("Bind", i).frame).name),
                          .in = zwang::Reference::world});
  read_stabilisation(given);
}

void Bound::read_stabilisation(const ConstraintSet& given) {
  for (std::size_t g = 0; g < names.size(); ++g) {
    if (names[g].empty()) continue;
    const ConstraintSet::Group& group = given.groups[g];
    const zwang::Stabilisation wanted{.time_constant = group.baumgarte ? group.T_stab : 0};
    const zwang::Stabilisation& now = set[names[g]].stabilisation;
    if (!(now == wanted)) set[names[g]].stabilisation = wanted;
  }
}

Robot& Bound::at(const char* function, Model& source, const Math::VectorNd& Q, const Math::VectorNd* QDot,
                 bool update) {
  Robot& robot = source.kept.of(source);
  if (update) { robot.set(function, Q, QDot, nullptr); }
  robot.read_gravity();
  const zwang::Vec3<double>&now = robot.scratch.gravity, &before = solver.data().gravity;
  if (now[0] != before[0] || now[1] != before[1] || now[2] != before[2]) solver.data().set_gravity(now);
  return robot;
}

const zwang::Externals* Bound::externals(const char* function, const std::vector<Math::SpatialVector>* f_ext) {
  if (f_ext == nullptr) return nullptr;
  check_size(function, "the size of f_ext", static_cast<long>(f_ext->size()), static_cast<long>(externals_.size()));
  for (std::size_t i = 0; i < externals_.size(); ++i)
    for (int k = 0; k < 6; ++k) externals_[i].wrench[k] = (*f_ext)[i][(k + 3) % 6];
  return &externals_;
}

void Bound::write_jacobian(const Robot& robot, Math::MatrixNd& G) {
  evaluator.jacobian(jacobian_);
  for (std::size_t k = 0; k < robot.columns.size(); ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      G(static_cast<long>(i), static_cast<long>(k)) = jacobian_(rows[i], robot.columns[k]);
}

void Bound::write_position_error(Math::VectorNd& err) const {
  rows_from(evaluator.position_error(), err);
  for (long k = 0; k < err.size(); ++k)
    if (std::isnan(err[k])) err[k] = 0;  // contacts
}

KeptSet::KeptSet() = default;
KeptSet::KeptSet(const KeptSet&) {}
KeptSet::KeptSet(KeptSet&&) noexcept {}
KeptSet& KeptSet::operator=(const KeptSet&) {
  bound_.reset();
  return *this;
}
KeptSet& KeptSet::operator=(KeptSet&&) noexcept {
  bound_.reset();
  return *this;
}
KeptSet::~KeptSet() = default;
Bound& KeptSet::of(Model& model, ConstraintSet& set) {
  if (!set.bound)
    throw Errors::RBDLError("the ConstraintSet has no model yet: call Bind before, and after rows were added");
  if (bound_ && bound_->base == model.kept.of(model).model.id()) {
    bound_->read_stabilisation(set);
    return *bound_;
  }
  bound_ = std::make_unique<Bound>(model, set);
  return *bound_;
}
void KeptSet::drop() { bound_.reset(); }

}  // namespace RigidBodyDynamics::detail
