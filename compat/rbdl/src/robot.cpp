// SPDX-License-Identifier: BSD-3-Clause
#include "robot.hpp"

#include <zwang/manifold/manifold.hpp>

namespace RigidBodyDynamics::detail {

void throw_size(const char* function, const char* argument, long got, long expected) {
  throw Errors::RBDLSizeMismatchError(std::string(function) + ": " + argument + " is " + std::to_string(got) +
                                      ", expected " + std::to_string(expected));
}

namespace {

std::string link_name(unsigned int body) { return "body " + std::to_string(body); }
std::string joint_name(unsigned int body) { return "joint " + std::to_string(body); }

void set_turns(zwang::JointDescription& joint, std::initializer_list<int> axes) {
  joint.type = "composite";
  for (int axis : axes) {
    zwang::JointPart part{.type = "revolute"};
    part.axis = to(Math::Vector3d::Unit(axis));
    joint.parts.push_back(part);
  }
}

/// The joint of zwang that moves as one of RBDL's, for the types that a movable body can have.
void describe(const Joint& joint, zwang::JointDescription& out) {
  const Math::SpatialVector axis = joint.mJointAxes.empty() ? Math::SpatialVectorZero : joint.mJointAxes[0];
  switch (joint.mJointType) {
    case JointTypePrismatic:
      out.type = "prismatic";
      out.axis = to(axis.tail<3>());
      break;
    case JointTypeHelical:
      out.type = "helical";
      out.axis = to(axis.head<3>());
      out.parameters = {axis.head<3>().dot(axis.tail<3>()) / axis.head<3>().squaredNorm()};
      break;
    case JointTypeSpherical: out.type = "spherical"; break;
    case JointTypeEulerZYX: out.type = "spherical_zyx"; break;
    case JointTypeEulerXYZ: set_turns(out, {0, 1, 2}); break;
    case JointTypeEulerYXZ: set_turns(out, {1, 0, 2}); break;
    case JointTypeEulerZXY: set_turns(out, {2, 0, 1}); break;
    case JointTypeTranslationXYZ: out.type = "translation"; break;
    default:
      out.type = "revolute";
      out.axis = to(axis.head<3>());
      break;
  }
}

zwang::Model build(Model& source, std::vector<std::unique_ptr<ProgramJoint>>& programs) {
  zwang::RobotDescription robot;
  robot.name = "RBDL";
  const unsigned int bodies = static_cast<unsigned int>(source.mBodies.size());
  robot.links.push_back({.name = link_name(0)});
  for (unsigned int i = 1; i < bodies; ++i) {
    const Body& body = source.mBodies[i];
    robot.links.push_back({.name = link_name(i),
                           .mass = body.mMass,
                           .centre = to(body.mCenterOfMass),
                           .inertia = symmetric(body.mInertia)});
    zwang::JointDescription joint;
    joint.name = joint_name(i);
    joint.parent = link_name(source.lambda[i]);
    joint.child = link_name(i);
    joint.origin = pose_of(source.X_T[i]);
    if (source.mJoints[i].mJointType == JointTypeCustom) {
      programs.push_back(std::make_unique<ProgramJoint>(source, i));
      describe(*programs.back(), joint);
    } else {
      describe(source.mJoints[i], joint);
    }
    robot.joints.push_back(joint);
  }
  zwang::BuildOptions options{.root = "fixed", .mode = zwang::Mode::lenient};
  options.gravity = to(source.gravity);
  return zwang::build(std::move(robot), options);
}

}  // namespace

Robot::Robot(Model& source)
    : model(build(source, programs)),
      data(model),
      scratch(model),
      columns(source.dof_count),
      source_(&source) {
  q.setZero(model.nq());
  for (Math::VectorNd* vector : {&v, &a, &tau}) vector->setZero(model.nv());
  jacobian.setZero(6, model.nv());
  matrix.setZero(model.nv(), model.nv());
  const unsigned int bodies = static_cast<unsigned int>(source.mBodies.size());
  for (unsigned int i = 0; i < bodies; ++i) {
    frames_.push_back(model.find_frame(link_name(i)));
    externals_.push_back({.frame = frames_.back(), .in = zwang::Reference::world});
    if (i == 0) continue;
    const Joint& joint = source.mJoints[i];
    const zwang::Joint& moves = model.joint(joint_name(i));
    const bool is_spherical = joint.mJointType == JointTypeSpherical;
    coordinates_.push_back({joint.q_index, source.multdof3_w_index[i], joint.mDoFCount, moves.q.first, is_spherical});
    for (unsigned int k = 0; k < joint.mDoFCount; ++k) columns[joint.q_index + k] = moves.v.first + zwang::Index(k);
    if (is_spherical) q[moves.q.first + 3] = 1;
  }
}

void Robot::set_q(const char* function, const Math::VectorNd& Q) {
  check_size(function, "the size of Q", Q.size(), source_->q_size);
  level_ = 0;
  cholesky_is_current = false;
  for (const Coordinates& c : coordinates_) {
    if (!c.is_spherical) {
      for (unsigned int k = 0; k < c.dof; ++k) q[c.q + zwang::Index(k)] = Q[c.q_index + k];
      continue;
    }
    const Math::Vector4d quaternion(Q[c.q_index], Q[c.q_index + 1], Q[c.q_index + 2], Q[c.w_index]);
    const double length = quaternion.norm();
    q.segment<4>(c.q) = length == 0 ? Math::Vector4d(0, 0, 0, 1) : Math::Vector4d(quaternion / length);
  }
}
void Robot::set_v(const char* function, const Math::VectorNd& QDot) {
  to_model(function, "the size of QDot", QDot, v);
  level_ = std::min(level_, 1);
}
void Robot::set_a(const char* function, const Math::VectorNd& QDDot) {
  to_model(function, "the size of QDDot", QDDot, a);
  level_ = std::min(level_, 2);
}

void Robot::read_gravity() {
  const zwang::Vec3<double> g = to(source_->gravity);
  for (int k = 0; k < 3; ++k)
    if (!(scratch.gravity[k] == g[k])) {
      scratch.set_gravity(g);
      return;
    }
}

void Robot::update(int level) {
  if (level_ >= level) return;
  if (level == 1) {
    zwang::forward_kinematics(model, data, q);
  } else if (level == 2) {
    zwang::forward_kinematics(model, data, q, v);
  } else {
    zwang::forward_kinematics(model, data, q, v, a);
  }
  write_vectors(level);
  level_ = level;
}

void Robot::write_vectors(int level) {
  Model& m = *source_;
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    if (level_ < 1) {
      m.X_base[i] = transform_of(zwang::frame_pose(model, data, frames_[i]));
      const Math::SpatialTransform &own = m.X_base[i], &parent = m.X_base[m.lambda[i]];
      m.X_lambda[i].E.noalias() = own.E * parent.E.transpose();
      m.X_lambda[i].r.noalias() = parent.E * (own.r - parent.r);
    }
    if (level >= 2 && level_ < 2)
      m.v[i] = from(zwang::frame_velocity(model, data, frames_[i], zwang::Reference::local));
    if (level >= 3)
      m.a[i] = from(zwang::frame_acceleration(model, data, frames_[i], zwang::AccelerationKind::spatial,
                                              zwang::Reference::local));
  }
  if (level_ < 1)
    for (FixedBody& body : m.mFixedBodies) body.mBaseTransform = body.mParentTransform * m.X_base[body.mMovableParent];
}

Place Robot::place(const char* function, unsigned int body_id) const {
  if (body_id >= source_->fixed_body_discriminator) {
    const unsigned int k = body_id - source_->fixed_body_discriminator;
    if (k < source_->mFixedBodies.size()) {
      const FixedBody& body = source_->mFixedBodies[k];
      return {body.mMovableParent, frames_[body.mMovableParent], body.mParentTransform, true};
    }
  } else if (body_id < frames_.size()) {
    return {body_id, frames_[body_id], {}, false};
  }
  throw Errors::RBDLInvalidParameterError(std::string(function) + ": there is no body with the id " +
                                          std::to_string(body_id));
}

void Robot::to_model(const char* function, const char* argument, const Math::VectorNd& in, Math::VectorNd& out) const {
  check_size(function, argument, in.size(), static_cast<long>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) out[columns[k]] = in[static_cast<long>(k)];
}

zwang::ExternalsIn Robot::externals(const char* function, const std::vector<Math::SpatialVector>* f_ext) {
  if (f_ext == nullptr) return {};
  check_size(function, "the size of f_ext", static_cast<long>(f_ext->size()), static_cast<long>(frames_.size()));
  for (std::size_t i = 0; i < frames_.size(); ++i)
    for (int k = 0; k < 6; ++k) externals_[i].wrench[k] = (*f_ext)[i][(k + 3) % 6];
  return externals_;
}

double Robot::moving_mass() const {
  double mass = 0;
  for (std::size_t i = 1; i < source_->mBodies.size(); ++i) mass += source_->mBodies[i].mMass;
  return mass;
}

void Robot::integrate(const Math::VectorNd& step, Math::VectorNd& Q) {
  set_q("integrate", Q);
  to_model("integrate", "the size of the step", step, tau);
  write_q(zwang::integrate(model, q, tau), Q);
}

void Robot::write_q(const Eigen::Ref<const Math::VectorNd>& from, Math::VectorNd& Q) const {
  for (const Coordinates& c : coordinates_) {
    for (unsigned int k = 0; k < c.dof; ++k) Q[c.q_index + k] = from[c.q + zwang::Index(k)];
    if (c.is_spherical) Q[c.w_index] = from[c.q + 3];
  }
}

zwang::TreeCholesky& Robot::cholesky() {
  if (!cholesky_) cholesky_.emplace(model);
  return *cholesky_;
}

Kept::Kept() = default;
Kept::Kept(const Kept&) {}
Kept::Kept(Kept&&) noexcept {}
Kept& Kept::operator=(const Kept&) {
  robot_.reset();
  return *this;
}
Kept& Kept::operator=(Kept&&) noexcept {
  robot_.reset();
  return *this;
}
Kept::~Kept() = default;
Robot& Kept::of(Model& model) {
  if (!robot_) robot_ = std::make_unique<Robot>(model);
  return *robot_;
}
void Kept::drop() { robot_.reset(); }

}  // namespace RigidBodyDynamics::detail
