// SPDX-License-Identifier: BSD-3-Clause
// Cases of the tests of the algorithms (algorithm/cases.hpp).
#include "algorithm/cases.hpp"

#include "model/plain_model.hpp"
#include "support/robots.hpp"
#include "zwang/io/urdf.hpp"

namespace zwang::test {

reference::UserMotions user_motions() {
  return {{plain::Rolling::name, reference::user_motion(2, [](const auto* q, const std::vector<double>& parameters) {
             using J = std::remove_cvref_t<decltype(*q)>;
             reference::Pose<J> X;
             const J c = cos(q[1]), s = sin(q[1]);
             X.R << c, -s, J(0), s, c, J(0), J(0), J(0), J(1);
             X.p(0) = q[0] * J(parameters.at(0));
             return X;
           })}};
}

Case::Case(const RobotDescription& robot, const BuildOptions& o, const std::string& n)
    : name(n),
      options(o),
      model(build(robot, o)),
      reference(robot, o, model, user_motions()) {}

RobotDescription random_description(std::uint64_t seed, int joints, const std::string& root) {
  static const std::shared_ptr<const UserJoint> rolling = user_joint<plain::Rolling>();
  RandomRobot options;
  options.joints = joints;
  options.root = root;
  options.user = {rolling};
  options.mimic = 0.35;
  RobotDescription robot = random_robot(seed, options);
  for (JointDescription& j : robot.joints)  // parts may move alike: rotors keep M regular
    if (j.type == "composite") j.rotor_inertia = {0.05};
  Random random(seed + 77);
  const std::string link =
      robot.links[static_cast<std::size_t>(random.below(static_cast<int>(robot.links.size())))].name;
  robot.frames.push_back({"tool", link, random.pose(0.5)});
  robot.frames.push_back({"tip", "tool", random.pose(0.5)});
  return robot;
}

Case random_case(std::uint64_t seed, int joints) {
  const char* roots[4] = {"fixed", "floating", "planar", "spherical"};
  BuildOptions options;
  options.lump = seed % 5 != 0;
  options.expand_mimic = seed % 11 == 10;
  if (seed % 3 == 1) options.gravity = {1.2, -4.1, -8.3};
  if (joints < 0) joints = 3 + static_cast<int>(seed % 16);
  return Case(random_description(seed, joints, roots[seed % 4]), options, "seed " + std::to_string(seed));
}

std::vector<RobotFile> robot_files() {
  std::vector<RobotFile> files;
  for (const char* root : {"automatic", "floating"}) {
    for (const std::string& f : models()) files.push_back({model_file(f), root});
    for (const std::string& f : shared_robots()) files.push_back({shared_robot(f), root});
  }
  return files;
}

Case load_case(const RobotFile& file, bool lump) {
  LoadOptions options;
  options.root = file.root;
  options.lump = lump;
  options.resolve_meshes = false;
  return Case(read_urdf(file.path, options), options, file.path + " on a root that is " + file.root);
}

LinkDescription make_link(const std::string& name, double mass, const Vec3<double>& centre,
                          const Sym3<double>& inertia) {
  return {name, mass, centre, inertia};
}
JointDescription make_joint(const std::string& name, const std::string& type, const std::string& parent,
                            const std::string& child, const Vec3<double>& axis, const Vec3<double>& at) {
  JointDescription j;
  j.name = name;
  j.type = type;
  j.parent = parent;
  j.child = child;
  j.axis = axis;
  j.origin.p = at;
  return j;
}

std::string random_frame(const Case& c, Random& random) {
  const std::vector<Frame>& frames = c.model.frames();
  for (;;) {
    const Frame& f = frames[static_cast<std::size_t>(random.below(static_cast<int>(frames.size())))];
    if (c.model.find_frame(f.name).value == &f - frames.data()) return f.name;
  }
}

Wrenches random_wrenches(const Case& c, Random& random) {
  Wrenches w;
  for (const Reference in : k_references) {
    const std::string frame = random_frame(c, random);
    const Eigen::VectorXd x = random.vector(6, 5);
    const double six[6] = {x(0), x(1), x(2), x(3), x(4), x(5)};
    w.external.push_back(external_wrench(c.model, frame, six, in));
    w.reference.push_back({frame, x.cast<reference::Real>(), axes_of(in)});
  }
  return w;
}

}  // namespace zwang::test
