// SPDX-License-Identifier: BSD-3-Clause
// SDF that is wrong: each file is refused with a code, the line of what is wrong, and a reason.
#include "support.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::test {
namespace {

struct Wrong {
  const char* code;
  int line;
  std::string text;  ///< of a file of 1.9
};

/// Line 3 is the first line of `inside`.
std::string in_model(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'>\n<model name='m'>\n" + inside + "\n</model>\n</sdf>\n";
}
const std::string k_ab = "<link name='a'/><link name='b'/>\n";
std::string sdf_joint(const std::string& inside, const std::string& type = "revolute") {
  return k_ab + "<joint name='j' type='" + type + "'>\n" + inside + "\n</joint>";
}
const std::string k_ends = "<parent>a</parent><child>b</child>\n";
const std::string k_z = "<axis><xyz>0 0 1</xyz></axis>";

/// A ball of mass and another shape in line 4, whose mass is to come from both.
std::string automatic(const std::string& form) {
  return in_model(
      "<link name='a'><inertial auto='true'/><collision name='c'><geometry><sphere/></geometry></collision>\n"
      "<collision name='d'><geometry>" +
          form + "</geometry></collision></link>",
      "1.11");
}

const Wrong k_wrong[] = {
    {"E_VERSION", 1, "<sdf>\n<model name='m'><link name='a'/></model></sdf>"},
    {"E_VERSION", 1, "<sdf version='1.13'>\n<model name='m'><link name='a'/></model></sdf>"},
    {"E_VERSION", 1, "<sdf version='2.0'>\n<model name='m'><link name='a'/></model></sdf>"},
    {"E_EMPTY", 1, "<sdf version='1.9'>\n</sdf>"},
    {"E_REPEATED", 3, "<sdf version='1.9'>\n<world name='u'/>\n<world name='v'/></sdf>"},
    {"E_REPEATED", 3, "<sdf version='1.9'>\n<model name='u'><link name='a'/></model>\n<model name='v'/></sdf>"},
    {"E_FORMAT", 1, "<gazebo version='1.0'>\n</gazebo>"},
    {"E_FRAME", 3, in_model("<pose relative_to='f'/><link name='a'/>")},
    {"E_EMPTY", 2, in_model("<frame name='f'/>")},
    {"E_NAME", 3, in_model("<link/>")},
    {"E_NAME", 3, in_model("<link name='world'/>")},
    {"E_NAME", 4, in_model("<link name='a'/>\n<frame name='__f__'/>")},
    {"E_DUPLICATE", 4, in_model("<link name='a'/>\n<link name='a'/>")},
    {"E_DUPLICATE", 4, in_model("<link name='a'/>\n<frame name='a'/>")},
    {"E_DUPLICATE", 5, in_model("<link name='a'>\n<visual name='v'/>\n<visual name='v'/></link>")},
    {"E_NUMBER", 3, in_model("<link name='a'><pose>0 0 x 0 0 0</pose></link>")},
    {"E_NUMBER", 3, in_model("<link name='a'><pose>0 0 nan 0 0 0</pose></link>")},
    {"E_VECTOR_SIZE", 3, in_model("<link name='a'><pose>0 0 0 0 0</pose></link>")},
    {"E_QUATERNION", 3, in_model("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>")},
    {"E_FORMAT", 3, in_model("<link name='a'><pose rotation_format='matrix'>0 0 0 0 0 0</pose></link>")},
    {"E_FORMAT", 3,
     in_model("<link name='a'><pose rotation_format='quat_xyzw' degrees='1'>0 0 0 0 0 0 1</pose></link>")},
    {"E_FRAME", 4, in_model("<link name='a'/>\n<frame name='f'><pose relative_to='g'/></frame>")},
    {"E_FRAME", 4, in_model("<link name='a'/>\n<frame name='f' attached_to='g'/>")},
    {"E_FRAME", 4, in_model("<link name='a'/>\n<frame name='f' attached_to='__root__'/>")},
    {"E_CYCLE", 4,
     in_model("<link name='a'><pose relative_to='f'/></link>\n<frame name='f'><pose relative_to='a'/></frame>")},
    {"E_CYCLE", 3, in_model("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/><link name='a'/>")},
    {"E_INERTIA", 3, in_model("<link name='a'><inertial><mass>-1</mass></inertial></link>")},
    {"E_INERTIA", 3, in_model("<link name='a'><inertial><inertia><ixx>-1</ixx></inertia></inertial></link>")},
    {"E_FRAME", 3, in_model("<link name='a'><inertial><pose relative_to='a'/></inertial></link>")},
    {"E_INERTIA", 3, in_model("<link name='a'><inertial auto='true'/></link>", "1.11")},
    {"E_INERTIA", 4, automatic("<cone><radius>1</radius><length>1</length></cone>")},
    {"E_INERTIA", 4, automatic("<polyline/>")},
    {"E_INERTIA", 4, automatic("<heightmap/>")},
    {"E_INERTIA", 4, automatic("<sphere><radius>-1</radius></sphere>")},
    {"E_INERTIA", 4, automatic("<capsule><radius>1</radius><length>-0.5</length></capsule>")},
    {"E_INERTIA", 4, automatic("<box><size>-1 -1 1</size></box>")},
    {"E_FRAME", 2, "<sdf version='1.9'>\n<include><uri>x</uri><pose relative_to='f'/></include></sdf>"},
    {"E_JOINT_TYPE", 4, in_model(sdf_joint(k_ends + k_z, "hinge"))},
    {"E_LINK", 4, in_model(sdf_joint("<child>b</child>" + k_z))},
    {"E_LINK", 5, in_model(sdf_joint("<parent>a</parent><child>c</child>" + k_z))},
    {"E_LINK", 5, in_model(sdf_joint("<parent>c</parent><child>b</child>" + k_z))},
    {"E_LINK", 5, in_model(sdf_joint("<parent>a</parent><child>world</child>" + k_z))},
    {"E_SELF_JOINT", 4, in_model(sdf_joint("<parent>a</parent><child>a</child>" + k_z))},
    {"E_SELF_JOINT", 5,
     in_model("<frame name='f' attached_to='a'/>\n" + sdf_joint("<parent>a</parent><child>f</child>" + k_z))},
    {"E_AXIS", 6, in_model(sdf_joint(k_ends + "<axis><xyz>0 0 0</xyz></axis>"))},
    {"E_VECTOR_SIZE", 6, in_model(sdf_joint(k_ends + "<axis><xyz>0 1</xyz></axis>"))},
    {"E_FRAME", 6, in_model(sdf_joint(k_ends + "<axis><xyz expressed_in='f'>0 0 1</xyz></axis>"))},
    {"E_LIMIT", 4,
     in_model(sdf_joint(k_ends + "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>-1</upper></limit></axis>"))},
    {"E_MIMIC", 6, in_model(sdf_joint(k_ends + "<axis><xyz>0 0 1</xyz><mimic joint='k'/></axis>"))},
    {"E_GEARBOX", 4, in_model(sdf_joint(k_ends + k_z + "<axis2><xyz>0 0 1</xyz></axis2>", "gearbox"))},
    {"E_INCLUDE", 3, in_model("<include/><link name='a'/>")},
    {"E_INCLUDE", 3, in_model("<include merge='true'><uri>x</uri></include><link name='a'/>")},
    {"E_URI_MISSING", 3, in_model("<include><uri>x</uri></include><link name='a'/>")},
    {"E_INCLUDE", 3, in_model("<include><uri>x</uri><placement_frame>f</placement_frame></include><link name='a'/>")},
    {"E_LINK", 2,
     "<sdf version='1.9'>\n<model name='m' canonical_link='c'>\n<link name='a'/><frame name='f'/></model></sdf>"},
};

TEST(BadSdf, IsRefusedWithCodeLineAndReason) {
  for (const Wrong& w : k_wrong) {
    LoadOptions options;
    options.use_environment = false;
    options.file_name = "m.sdf";
    Diagnostics found;
    EXPECT_THROW(load_robot("/dev/null/none", options), ModelError);
    EXPECT_THROW(loads_robot(w.text, options, &found), ModelError) << w.text;
    const Diagnostic* d = find(found, w.code);
    ASSERT_NE(d, nullptr) << w.code << "\n" << all(found) << w.text;
    EXPECT_EQ(d->severity, Severity::error) << d->text();
    EXPECT_EQ(d->line, w.line) << d->text() << "\n" << w.text;
    EXPECT_EQ(d->file, "m.sdf");
    EXPECT_FALSE(d->found.empty());
    EXPECT_FALSE(d->expected.empty()) << d->text();
    // check finds the same without building.
    EXPECT_TRUE(refused(check_robot_text(w.text, options))) << w.text;
  }
}

/// Models nested too deep, and more links than are allowed, end before memory does.
TEST(BadSdf, LimitsHold) {
  std::string deep;
  for (int k = 0; k < 100; ++k) deep += "<model name='m'>";
  deep += "<link name='a'/>";
  for (int k = 0; k < 100; ++k) deep += "</model>";
  Diagnostics found;
  EXPECT_THROW(loads("<sdf version='1.9'>" + deep + "</sdf>", {}, &found), ModelError);
  EXPECT_NE(find(found, "E_LIMIT_DEPTH"), nullptr) << all(found);
  LoadOptions options;
  options.limits.links = 3;
  EXPECT_THROW(loads(in_model("<link name='a'/><link name='b'/><link name='c'/><link name='d'/>"), options, &found),
               ModelError);
  EXPECT_NE(find(found, "E_LIMIT_LINKS"), nullptr) << all(found);
}

}  // namespace
}  // namespace zwang::test
