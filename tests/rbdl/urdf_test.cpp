// SPDX-License-Identifier: BSD-3-Clause
// Robots from URDF: against the same file read by zwang.
#include <rbdl/addons/urdfreader/urdfreader.h>
#include <zwang/zwang.hpp>

#include <zwang/io/load.hpp>

#include "support.hpp"

namespace rbdl_test {
namespace {

const char* const k_branches = R"(<robot name="branches">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="1"/>
    <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link>
  <link name="left"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0 1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="z" type="continuous"><parent link="base"/><child link="right"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="1 1 0"/></joint>
  <joint name="a" type="prismatic"><parent link="base"/><child link="left"/><axis xyz="0 1 0"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <joint name="f" type="fixed"><parent link="right"/><child link="tool"/><origin xyz="0 1 0" rpy="1 0 0"/></joint>
</robot>)";

TEST(RbdlUrdf, SiblingsAreInTheOrderOfTheirNames) {
  Model m;
  EXPECT_TRUE(Addons::URDFReadFromString(k_branches, &m, false));
  EXPECT_EQ(m.dof_count, 2U);
  EXPECT_EQ(m.GetBodyId("left"), 1U);
  EXPECT_EQ(m.GetBodyId("right"), 2U);
  EXPECT_TRUE(m.IsFixedBodyId(m.GetBodyId("base")));
  EXPECT_TRUE(m.IsFixedBodyId(m.GetBodyId("tool")));
  EXPECT_EQ(m.gravity, Vector3d(0, 0, -9.81));
  EXPECT_NEAR(m.mBodies[2].mMass, 2, 0);
  EXPECT_THROW(Addons::URDFReadFromString(k_branches, &m, false), Errors::RBDLInvalidParameterError);
  Model other;
  EXPECT_THROW(Addons::URDFReadFromString("<robot", &other, false), Errors::RBDLFileParseError);
  EXPECT_THROW(Addons::URDFReadFromFile("/no/such/file.urdf", &other, false), Errors::RBDLInvalidFileError);
  EXPECT_TRUE(Addons::URDFReadFromString(k_branches, &other, true));
  EXPECT_EQ(other.q_size, 9U);
  EXPECT_EQ(other.GetBodyId("base"), 2U);
}

TEST(RbdlUrdf, RobotsMoveAsZwangsDo) {
  const std::string folder = ZWANG_MODELS;
  for (const std::string& file : {folder + "/arm7.urdf", folder + "/quadruped.urdf", folder + "/humanoid.urdf"}) {
    Model m;
    Addons::URDFReadFromFile(file.c_str(), &m, false);
    zwang::LoadOptions options;
    options.root = "fixed";
    options.expand_mimic = true;
    const zwang::Model model = zwang::load(file, options);
    zwang::Data data(model);
    std::vector<long> at(m.dof_count);  // zwang's index of each coordinate
    for (unsigned int i = 1; i < m.mBodies.size(); ++i)
      for (const zwang::Joint& joint : model.joints())
        if (model.links()[static_cast<std::size_t>(joint.child.value)].name == m.GetBodyName(i))
          at[m.mJoints[i].q_index] = joint.v.first;
    const auto turned = [&](const VectorNd& x) {
      VectorNd out(x.size());
      for (std::size_t k = 0; k < at.size(); ++k) out[at[k]] = x[static_cast<long>(k)];
      return out;
    };
    Draw draw(1);
    const long n = m.dof_count;
    ASSERT_EQ(n, model.nv()) << file;
    const VectorNd q = draw.numbers(n), v = draw.numbers(n), a = draw.numbers(n);
    VectorNd tau(n);
    InverseDynamics(m, q, v, a, tau);
    zwang::JointEffects none{.armature = false, .damping = false, .springs = false};
    EXPECT_LT(difference(turned(tau),
                         VectorNd(zwang::inverse_dynamics(model, data, turned(q), turned(v), turned(a), {}, none))),
              1e-12)
        << file;
    for (const zwang::Link& link : model.links())
      EXPECT_LT(difference(CalcBodyToBaseCoordinates(m, q, m.GetBodyId(link.name.c_str()), Vector3d::Zero()),
                           Vector3d(zwang::frame_pose(model, data, turned(q), link.name).p.eigen())),
                1e-13)
          << file << ' ' << link.name;
  }
}

}  // namespace
}  // namespace rbdl_test
