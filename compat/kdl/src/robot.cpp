// SPDX-License-Identifier: BSD-3-Clause
#include "robot.hpp"

#include <zwang/model/builder.hpp>

namespace KDL::detail {

zwang::Transform<double> to(const Frame& F) {
  zwang::Transform<double> out;
  for (int i = 0; i < 3; ++i) out.R[i] = {F.M(i, 0), F.M(i, 1), F.M(i, 2)};
  out.p = to(F.p);
  return out;
}

int code_of(zwang::Status status) {
  switch (status) {
    case zwang::Status::ok: return SolverI::E_NOERROR;
    case zwang::Status::infeasible: return SolverI::E_DEGRADED;
    case zwang::Status::not_converged: return SolverI::E_NO_CONVERGE;
    default: return SolverI::E_UNDEFINED;
  }
}

namespace {

bool is_fixed(const Segment& segment) { return segment.getJoint().getType() == Joint::Fixed; }
/// The moving joint frame at rest, in the reference frame of the segment. A fixed segment has its tip there.
Frame end_of_joint(const Segment& segment) {
  return is_fixed(segment) ? segment.getFrameToTip() : Frame(segment.getJoint().JointOrigin());
}
Frame tip_in_link(const Segment& segment) { return end_of_joint(segment).Inverse() * segment.getFrameToTip(); }
std::string link_name(int part) { return part < 0 ? "base" : "segment " + std::to_string(part); }

}  // namespace

Robot::Robot(const Chain& chain) : chain_(&chain) { rebuild(); }
Robot::Robot(const Tree& tree) : tree_(&tree) { rebuild(); }
Robot::Robot(const Robot& other) : chain_(other.chain_), tree_(other.tree_) { rebuild(); }

void Robot::collect() {
  parts_.clear();
  joints_ = 0;
  const auto add = [this](const Segment& segment, int parent, int joint) {
    parts_.push_back({&segment, parent, joint, segment.kinematicsStamp(), segment.inertiaStamp(), {}, {}});
    joints_ += joint >= 0;
  };
  if (chain_ != nullptr) {
    for (const Segment& segment : chain_->segments)
      add(segment, static_cast<int>(parts_.size()) - 1, is_fixed(segment) ? -1 : static_cast<int>(joints_));
    return;
  }
  tree_stamp_ = tree_->stamp();
  // Parents before their children.
  struct Open {
    SegmentMap::const_iterator element;
    int parent;
  };
  std::vector<Open> open;
  const auto push_children = [&open](const TreeElement& element, int parent) {
    for (auto child = element.children.rbegin(); child != element.children.rend(); ++child)
      open.push_back({*child, parent});
  };
  push_children(tree_->getRootSegment()->second, -1);
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    const TreeElement& element = next.element->second;
    add(element.segment, next.parent, is_fixed(element.segment) ? -1 : static_cast<int>(element.q_nr));
    push_children(element, static_cast<int>(parts_.size()) - 1);
  }
}

bool Robot::count_is_same() const {
  if (tree_ != nullptr) return tree_->getNrOfSegments() == segments() && tree_->getNrOfJoints() == joints_;
  if (chain_->segments.size() != parts_.size()) return false;
  for (unsigned int i = 0; i < segments(); ++i)
    if (is_fixed(chain_->segments[i]) != (parts_[i].joint < 0)) return false;
  return true;
}

void Robot::rebuild() {
  collect();
  build();
}

int Robot::refresh() { return count_is_same() ? read_changes() : SolverI::E_NOT_UP_TO_DATE; }

int Robot::follow() {
  if (!count_is_same()) rebuild();
  return read_changes();
}

int Robot::read_changes() {
  if (tree_ != nullptr) {
    if (tree_stamp_ != tree_->stamp()) rebuild();
    return is_valid_ ? SolverI::E_NOERROR : SolverI::E_UNDEFINED;
  }
  bool is_new = false, is_heavier = false;
  for (unsigned int i = 0; i < segments(); ++i) {
    parts_[i].segment = &chain_->segments[i];  // the vector may have moved its segments to another place
    is_new = is_new || parts_[i].kinematics != parts_[i].segment->kinematicsStamp();
    is_heavier = is_heavier || parts_[i].inertia != parts_[i].segment->inertiaStamp();
  }
  if (is_new) {
    rebuild();
  } else if (is_heavier && is_valid_) {
    read_inertias();
  }
  return is_valid_ ? SolverI::E_NOERROR : SolverI::E_UNDEFINED;
}

void Robot::read_inertias() {
  ++inertia_version_;
  try {
    for (Part& part : parts_) {
      part.inertia = part.segment->inertiaStamp();
      set_inertia(part, *data_);
    }
  } catch (const std::exception&) {  // a mass below 0, numbers that are not finite
    is_valid_ = false;
    parts_[0].kinematics = 0;  // the next call reads everything again
  }
}

void Robot::build() {
  ++version_;
  is_valid_ = has_idle_joint_ = false;
  columns_.assign(joints_, Column());
  try {
    zwang::RobotDescription robot;
    robot.name = "KDL";
    robot.links.push_back({.name = link_name(-1)});
    for (unsigned int i = 0; i < segments(); ++i) {
      const Part& part = parts_[i];
      const Joint& joint = part.segment->getJoint();
      const std::string name = link_name(static_cast<int>(i));
      robot.links.push_back({.name = name});
      robot.frames.push_back(
          {.name = "tip " + std::to_string(i), .parent = name, .placement = to(tip_in_link(*part.segment))});
      zwang::JointDescription out;
      out.name = "joint " + std::to_string(i);
      out.parent = link_name(part.parent);
      out.child = name;
      out.type = is_fixed(*part.segment) ? "fixed" : joint.getType() <= Joint::RotZ ? "continuous" : "prismatic";
      const Frame from_parent = part.parent < 0 ? Frame() : tip_in_link(*parts_[part.parent].segment);
      out.origin = to(from_parent * end_of_joint(*part.segment));
      if (part.joint >= 0) {
        Column& column = columns_[part.joint];
        column.scale = joint.getScale();
        column.inverse = column.scale != 0 ? 1 / column.scale : 0;
        column.rotor = joint.getInertia();
        out.axis = to(joint.JointAxis());
        if (column.scale != 0) out.rotor_inertia = {column.rotor / (column.scale * column.scale)};
        has_idle_joint_ = has_idle_joint_ || column.scale == 0;
      }
      robot.joints.push_back(out);
    }
    model_.emplace(zwang::build(std::move(robot), {.root = "fixed"}));
    data_.emplace(*model_);
    base_ = model_->find_frame(link_name(-1));
    for (unsigned int i = 0; i < segments(); ++i) {
      Part& part = parts_[i];
      part.tip = model_->find_frame("tip " + std::to_string(i));
      part.link = model_->find_link(link_name(static_cast<int>(i)));
      if (part.joint >= 0) columns_[part.joint].v = model_->joint("joint " + std::to_string(i)).v.first;
    }
    set_inertias(*data_);
    is_valid_ = true;
  } catch (const std::exception&) {  // numbers that are not finite, rotations that are none
  }
  for (Eigen::VectorXd* vector : {&q, &v, &a, &tau}) vector->setZero(joints_);
  jacobian.setZero(6, joints_);
  matrix.setZero(joints_, joints_);
}

void Robot::set_inertia(const Part& part, zwang::Data& data) const {
  const RigidBodyInertia I = tip_in_link(*part.segment) * part.segment->getInertia();
  const Vector centre = I.getCOG();
  const RotationalInertia about_centre = I.RefPoint(centre).getRotationalInertia();
  const double* d = about_centre.data;
  data.set_inertia(part.link, I.getMass(), to(centre), {d[0], d[1], d[2], d[4], d[5], d[8]});
}

void Robot::set_inertias(zwang::Data& data) const {
  for (const Part& part : parts_) set_inertia(part, data);
}

unsigned int Robot::find(const std::string& name) const {
  unsigned int i = 0;
  while (i < segments() && parts_[i].segment->getName() != name) ++i;
  return i;
}

void Robot::motions_to(const JntArray& in, Eigen::VectorXd& out) const {
  for (unsigned int j = 0; j < joints_; ++j) out[columns_[j].v] = columns_[j].scale * in.data[j];
}
/// Of a joint that is idle, nothing is known from the model: its number stays.
void Robot::motions_from(const double* in, JntArray& out) const {
  for (unsigned int j = 0; j < joints_; ++j)
    if (columns_[j].scale != 0) out.data[j] = in[columns_[j].v] * columns_[j].inverse;
}
void Robot::torques_to(const JntArray& in, Eigen::VectorXd& out) const {
  for (unsigned int j = 0; j < joints_; ++j) out[columns_[j].v] = in.data[j] * columns_[j].inverse;
}
void Robot::torques_from(const double* in, JntArray& out) const {
  for (unsigned int j = 0; j < joints_; ++j) out.data[j] = columns_[j].scale * in[columns_[j].v];
}

}  // namespace KDL::detail
