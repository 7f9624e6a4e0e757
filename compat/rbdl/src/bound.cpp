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

/// Rows of a program: its functions at zwang's coordinates, which they see in RBDL's order.
class ProgramRows final : public zwang::CustomRows {
 public:
  /// `first`: the first of its rows in the set, which the constraint must keep.
  ProgramRows(Model& source, std::shared_ptr<Constraint> rows, unsigned int first, std::size_t rows_of_set)
      : source_(source),
        rows_(std::move(rows)),
        first_(first),
        Q_(Math::VectorNd::Zero(source.q_size)),
        QDot_(Math::VectorNd::Zero(source.qdot_size)),
        of_set_(Math::VectorNd::Zero(static_cast<long>(rows_of_set))),
        G_(Math::MatrixNd::Zero(static_cast<long>(rows_of_set), source.qdot_size)) {
    const long n = source.qdot_size;
    cache_.vecNZeros.setZero(n);
    for (Math::MatrixNd* matrix : {&cache_.mat3NA, &cache_.mat3NB}) matrix->setZero(3, n);
    for (Math::MatrixNd* matrix : {&cache_.mat6NA, &cache_.mat6NB}) matrix->setZero(6, n);
    check_index();
    rows_->bind(source);
  }
  zwang::Index rows() const override { return static_cast<zwang::Index>(rows_->getConstraintSize()); }
  void evaluate(const double* q, const double* v, double* phi, double* J, double* Jdot_v) const override {
    check_index();
    const Robot& robot = source_.kept.of(source_);
    const long first = first_, n = QDot_.size();
    robot.write_q(Eigen::Map<const Math::VectorNd>(q, robot.model.nq()), Q_);
    for (long k = 0; k < n; ++k) QDot_[k] = v[robot.columns[static_cast<std::size_t>(k)]];
    of_set_.setZero();
    rows_->calcPositionError(source_, 0, Q_, of_set_, cache_, true);
    for (long r = 0; r < rows(); ++r)
      if (rows_->getPositionLevelError(static_cast<unsigned int>(r))) phi[r] = of_set_[first + r];
    G_.setZero();
    rows_->calcConstraintJacobian(source_, 0, Q_, QDot_, G_, cache_, true);
    for (long r = 0; r < rows(); ++r)
      for (long k = 0; k < n; ++k) J[r * n + robot.columns[static_cast<std::size_t>(k)]] = G_(first + r, k);
    of_set_.setZero();
    rows_->calcGamma(source_, 0, Q_, QDot_, G_, of_set_, cache_, true);
    for (long r = 0; r < rows(); ++r) Jdot_v[r] = -of_set_[first + r];
  }

 private:
  /// Its functions write from rowInSystem on: a second set, or the program, may have given it another.
  void check_index() const {
    if (rows_->getConstraintIndex() != first_)
      throw Errors::RBDLInvalidParameterError("the custom constraint '" + rows_->getName() + "' begins at row " +
                                              std::to_string(first_) + " of this set, but its index is " +
                                              std::to_string(rows_->getConstraintIndex()) +
                                              ": one constraint serves one set");
  }

  Model& source_;
  std::shared_ptr<Constraint> rows_;
  unsigned int first_;
  mutable Math::VectorNd Q_, QDot_, of_set_;
  mutable Math::MatrixNd G_;
  mutable ConstraintCache cache_;
};

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
    if (group.type == ConstraintTypeCustom) {
      zwang::CustomConstraint custom;
      custom.name = names.back() = "group " + std::to_string(g);
      custom.rows = std::make_shared<ProgramRows>(source, group.custom, group.rows.front(), set.size());
      out.add(custom);
    } else if (group.type == ConstraintTypeContact) {
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
  q.setZero(model.nq());
  for (Math::VectorNd* vector : {&v, &a, &tau}) vector->setZero(model.nv());
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
    const zwang::Stabilisation wanted{.time_constant = group.has_feedback() ? group.time_constant() : 0};
    const zwang::Stabilisation& now = set[names[g]].stabilisation;
    if (!(now == wanted)) set[names[g]].stabilisation = wanted;
  }
}

Robot& Bound::at(const char* function, Model& source, const Math::VectorNd& Q, const Math::VectorNd* QDot,
                 bool update) {
  Robot& robot = source.kept.of(source);
  if (update) { robot.set(function, Q, QDot, nullptr); }
  q = robot.q;
  v = robot.v;
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
    if (std::isnan(err[k])) err[k] = 0;  // contacts, rows of velocities
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
