// SPDX-License-Identifier: BSD-3-Clause
#include <rbdl/addons/urdfreader/urdfreader.h>
#include <rbdl/rbdl_utils.h>
#include <algorithm>
#include <cstdio>
#include <zwang/io/load.hpp>

#include "robot.hpp"

namespace RigidBodyDynamics {
namespace Addons {

namespace {

Body body_of(const zwang::LinkDescription& link) {
  const zwang::Sym3<double>& I = link.inertia;
  return {link.mass, detail::from(link.centre), Math::Matrix3d(I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz)};
}

Joint joint_of(const zwang::JointDescription& joint) {
  const Math::Vector3d axis = detail::from(joint.axis).normalized();
  if (joint.type == "fixed") return Joint(JointTypeFixed);
  if (joint.type == "revolute" || joint.type == "continuous") return {JointTypeRevolute, axis};
  if (joint.type == "prismatic") return {JointTypePrismatic, axis};
  throw Errors::RBDLMissingImplementationError("URDFReadFromFile: the joint " + joint.name + " has the type " +
                                               joint.type + ", which zwang::load has");
}

void add(const zwang::RobotDescription& robot, Model& model, bool floating_base, bool verbose) {
  if (model.mBodies.size() != 1 || !model.mFixedBodies.empty())
    throw Errors::RBDLInvalidParameterError("URDFReadFromFile: the model is not empty");
  const auto link_at = [&](const std::string& name) -> const zwang::LinkDescription& {
    return *std::find_if(robot.links.begin(), robot.links.end(), [&](const auto& link) { return link.name == name; });
  };
  const auto is_child = [&](const zwang::LinkDescription& link) {
    return std::any_of(robot.joints.begin(), robot.joints.end(), [&](const auto& j) { return j.child == link.name; });
  };
  const zwang::LinkDescription& root = *std::find_if_not(robot.links.begin(), robot.links.end(), is_child);
  model.gravity = Math::Vector3d(0., 0., -9.81);
  // Joints still to come, the next one last.
  std::vector<const zwang::JointDescription*> open;
  const auto push_children = [&](const std::string& link) {
    const auto first = static_cast<std::ptrdiff_t>(open.size());
    for (const zwang::JointDescription& joint : robot.joints)
      if (joint.parent == link) open.push_back(&joint);
    std::sort(open.begin() + first, open.end(), [](const auto* a, const auto* b) { return a->name > b->name; });
  };
  model.AddBody(0, Math::SpatialTransform(), Joint(floating_base ? JointTypeFloatingBase : JointTypeFixed),
                body_of(root), root.name);
  push_children(root.name);
  while (!open.empty()) {
    const zwang::JointDescription& joint = *open.back();
    open.pop_back();
    model.AddBody(model.GetBodyId(joint.parent.c_str()), detail::transform_of(joint.origin), joint_of(joint),
                  body_of(link_at(joint.child)), joint.child);
    push_children(joint.child);
  }
  if (verbose) std::printf("%s", Utils::GetModelHierarchy(model).c_str());
}

template <class Read> bool read(Read&& robot, Model* model, bool floating_base, bool verbose) {
  if (model == nullptr) throw Errors::RBDLInvalidParameterError("URDFReadFromFile: model is null");
  try {
    add(robot().description(), *model, floating_base, verbose);
  } catch (const zwang::ModelError& error) {
    if (error.code().rfind("E_FILE", 0) == 0) throw Errors::RBDLInvalidFileError(error.what());
    throw Errors::RBDLFileParseError(error.what());
  }
  return true;
}

zwang::LoadOptions options() {
  zwang::LoadOptions out;
  out.root = "fixed";
  out.resolve_meshes = false;
  return out;
}

}  // namespace

bool URDFReadFromFile(const char* filename, Model* model, bool floating_base, bool verbose) {
  return read([&] { return zwang::load(filename, options()); }, model, floating_base, verbose);
}
bool URDFReadFromString(const char* model_xml_string, Model* model, bool floating_base, bool verbose) {
  return read([&] { return zwang::loads(model_xml_string, options()); }, model, floating_base, verbose);
}

}  // namespace Addons
}  // namespace RigidBodyDynamics
