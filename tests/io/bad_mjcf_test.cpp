// SPDX-License-Identifier: BSD-3-Clause
// Wrong MJCF is refused with code and line, within limits; what is left out is named; THE table is that of the page.
#include "io/mjcf_schema.hpp"
#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

struct Wrong {
  const char* inside;  ///< of a <body>, or of <mujoco> where it begins with a section
  const char* code;
};

std::string file_with(const std::string& inside) {
  const bool section =
      inside.rfind("<body", 0) != 0 && inside.rfind("<joint", 0) != 0 && inside.rfind("<geom", 0) != 0 &&
      inside.rfind("<inertial", 0) != 0 && inside.rfind("<freejoint", 0) != 0 && inside.rfind("<frame", 0) != 0 &&
      inside.rfind("<replicate", 0) != 0 && inside.rfind("<attach", 0) != 0 && inside.rfind("<site", 0) != 0 &&
      inside.rfind("<jiont", 0) != 0 && inside.rfind("<flexcomp", 0) != 0;
  const std::string good = "<body name='a'><joint name='j'/><geom name='g' size='.1'/></body>";
  return section ? "<mujoco>\n<worldbody>" + good + "</worldbody>\n" + inside + "\n</mujoco>"
                 : "<mujoco>\n<worldbody>" + good + "<body>\n" + inside + "\n</body></worldbody></mujoco>";
}

TEST(BadMjcf, IsRefusedWithCodeAndLine) {
  const Wrong all_wrong[] = {
      {"<jiont/>", "E_MJCF_ELEMENT"},
      {"<worldbdy/>", "E_MJCF_ELEMENT"},
      {"<joint pos='0 0'/>", "E_VECTOR_SIZE"},
      {"<joint pos='0 0 0 0'/>", "E_VECTOR_SIZE"},
      {"<joint pos='0 0 x'/>", "E_NUMBER"},
      {"<joint pos='0 nan 0'/>", "E_NUMBER"},
      {"<joint pos='0,5 0 0'/>", "E_NUMBER"},
      {"<joint ref='inf'/>", "E_NUMBER"},
      {"<joint type='hing'/>", "E_MJCF_VALUE"},
      {"<joint limited='yes'/>", "E_MJCF_VALUE"},
      {"<joint axis='0 0 0'/>", "E_AXIS"},
      {"<joint limited='true' range='1 -1'/>", "E_LIMIT"},
      {"<joint limited='true' range='1 1'/>", "E_LIMIT"},
      {"<joint type='ball' range='1 2'/>", "E_LIMIT"},
      {"<joint name='j'/>", "E_DUPLICATE"},
      {"<joint class='none'/>", "E_MJCF_CLASS"},
      {"<freejoint/><joint/>", "E_MJCF_JOINT"},
      {"<joint/><freejoint/>", "E_MJCF_JOINT"},
      {"<body><freejoint/></body>", "E_MJCF_JOINT"},
      {"<joint type='ball'/><joint/>", "E_MJCF_JOINT"},
      {"<joint type='ball'/><joint type='slide'/><joint type='slide'/><joint type='slide'/><joint type='slide'/>",
       "E_MJCF_JOINT"},
      {"<body mocap='true'/>", "E_MJCF_JOINT"},
      {"<body quat='0 0 0 0'/>", "E_QUATERNION"},
      {"<body zaxis='0 0 0'/>", "E_AXIS"},
      {"<body axisangle='0 0 0 1'/>", "E_AXIS"},
      {"<body xyaxes='1 0 0 2 0 0'/>", "E_AXIS"},
      {"<body quat='1 0 0 0' euler='1 2 3'/>", "E_MJCF_ORIENTATION"},
      {"<body childclass='none'/>", "E_MJCF_CLASS"},
      {"<body name='a'/>", "E_DUPLICATE"},
      {"<body name='world'/>", "E_DUPLICATE"},
      {"<geom size='0'/>", "E_MJCF_GEOM"},
      {"<geom type='capsule' size='.1'/>", "E_MJCF_GEOM"},
      {"<geom type='sphere' size='.1' fromto='0 0 0 1 1 1'/>", "E_MJCF_GEOM"},
      {"<geom type='capsule' size='.1' fromto='0 0 0 1 1 1' pos='1 0 0'/>", "E_MJCF_GEOM"},
      {"<geom type='capsule' size='.1' fromto='1 1 1 1 1 1'/>", "E_MJCF_GEOM"},
      {"<geom size='.1' mass='-1'/>", "E_INERTIA"},
      {"<geom size='.1' density='-1'/>", "E_INERTIA"},
      {"<geom type='mesh' mesh='none'/>", "E_MJCF_REFERENCE"},
      {"<geom type='hfield'/>", "E_MJCF_UNSUPPORTED"},
      {"<joint/><geom type='plane' size='1 1 1'/>", "E_MJCF_GEOM"},
      {"<geom size='.1' group='1.5'/>", "E_NUMBER"},
      {"<inertial pos='0 0 0'/>", "E_INERTIA"},
      {"<inertial mass='1'/>", "E_INERTIA"},
      {"<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'/>", "E_INERTIA"},
      {"<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/>", "E_MJCF_ORIENTATION"},
      {"<inertial mass='1' pos='0 0 0'/><inertial mass='1' pos='0 0 0'/>", "E_REPEATED"},
      {"<replicate/>", "E_NUMBER"},
      {"<replicate count='-1'/>", "E_NUMBER"},
      {"<replicate count='2'><joint/></replicate>", "E_MJCF_JOINT"},
      {"<attach model='none'/>", "E_MJCF_REFERENCE"},
      {"<site fromto='0 0 0 0 0 0'/>", "E_AXIS"},
      {"<flexcomp/>", "E_MJCF_UNSUPPORTED"},
      {"<deformable><flex/></deformable>", "E_MJCF_UNSUPPORTED"},
      {"<worldbody><joint/></worldbody>", "E_MJCF_JOINT"},
      {"<worldbody><inertial mass='1' pos='0 0 0'/></worldbody>", "E_INERTIA"},
      {"<compiler coordinate='global'/>", "E_MJCF_UNSUPPORTED"},
      {"<compiler eulerseq='xyq'/>", "E_MJCF_VALUE"},
      {"<default class='other'/>", "E_MJCF_CLASS"},
      {"<default><default/></default>", "E_MJCF_CLASS"},
      {"<default><default class='x'/><default class='x'/></default>", "E_MJCF_CLASS"},
      {"<asset><mesh name='m' vertex='0 0 0'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>",
       "E_VECTOR_SIZE"},
      {"<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset><worldbody><body>"
       "<geom type='mesh' mesh='m'/></body></worldbody>",
       "E_NUMBER"},
      {"<asset><mesh name='m' file='m.stl'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>",
       "E_MASS_FROM_MESH"},
      {"<equality><weld body1='z'/></equality>", "E_MJCF_REFERENCE"},
      {"<equality><connect body1='a'/></equality>", "E_VECTOR_SIZE"},
      {"<equality><connect site1='z' site2='z'/></equality>", "E_MJCF_REFERENCE"},
      {"<equality><joint joint1='z'/></equality>", "E_MJCF_REFERENCE"},
      {"<equality><joint joint1='j' joint2='j'/></equality>", "E_MJCF_REFERENCE"},
      {"<equality><tendon tendon1='z'/></equality>", "E_MJCF_REFERENCE"},
      {"<equality><distance/></equality>", "E_MJCF_UNSUPPORTED"},
      {"<actuator><motor joint='z'/></actuator>", "E_MJCF_REFERENCE"},
      {"<actuator><motor tendon='z'/></actuator>", "E_MJCF_REFERENCE"},
      {"<tendon><fixed><joint joint='z' coef='1'/></fixed></tendon>", "E_MJCF_REFERENCE"},
      {"<keyframe><key qpos='1 2'/></keyframe>", "E_VECTOR_SIZE"},
      {"<keyframe><key qpos='x'/></keyframe>", "E_NUMBER"},
      {"<worldbody><body><freejoint/><geom size='1'/></body></worldbody>"
       "<keyframe><key qpos='0 0 0 0 1e308 1e308 0 0'/></keyframe>",
       "E_NUMBER"},
      {"<include file='a.xml'/>", "E_MJCF_INCLUDE"},
  };
  for (const Wrong& wrong : all_wrong) {
    SCOPED_TRACE(wrong.inside);
    for (const Mode mode : k_modes) {
      const Diagnostics found = check_robot_text(file_with(wrong.inside), in_mode(mode));
      ASSERT_TRUE(refused(found)) << all(found);
      if (mode != Mode::standard) continue;
      const Diagnostic* d = find(found, wrong.code);
      ASSERT_NE(d, nullptr) << all(found);
      EXPECT_EQ(d->severity, Severity::error);
      EXPECT_EQ(d->line, 3) << d->text();
      EXPECT_FALSE(d->expected.empty() && d->hint.empty()) << d->text();
    }
  }
}

TEST(BadMjcf, SaysWhatWasProbablyMeant) {
  const auto hint = [](const std::string& inside, const char* code) {
    const Diagnostics found = check_robot_text(file_with(inside), in_mode(Mode::standard));
    const Diagnostic* d = find(found, code);
    return d ? d->hint : all(found);
  };
  EXPECT_TRUE(has(hint("<jiont/>", "E_MJCF_ELEMENT"), "'joint'"));
  EXPECT_TRUE(has(hint("<joint axs='1 0 0'/>", "W_UNKNOWN_ATTRIBUTE"), "'axis'"));
  EXPECT_TRUE(has(hint("<joint type='hing'/>", "E_MJCF_VALUE"), "'hinge'"));
  EXPECT_TRUE(has(hint("<actuator><motor joint='jj'/></actuator>", "E_MJCF_REFERENCE"), "'j'"));
}

TEST(BadMjcf, AnUnknownAttributeWarnsAndRefusesInStrictMode) {
  for (const char* inside :
       {"<joint axs='1 0 0'/>", "<default><geom name='x'/></default>", "<geom size='.1' clas='a'/>"}) {
    EXPECT_FALSE(refused(check_robot_text(file_with(inside), in_mode(Mode::standard)))) << inside;
    EXPECT_TRUE(refused(check_robot_text(file_with(inside), in_mode(Mode::strict)))) << inside;
  }
}

TEST(BadMjcf, WhatIsLeftOutIsNamedOnceForItsKind) {
  const Diagnostics found = check_robot_text(
      file_with("<body><joint springyield='1'/><geom size='.1' solref='1 0'/><geom size='.1' gap='4' solref='2 0'/>"
                "</body><body/>"),
      in_mode(Mode::standard));
  EXPECT_FALSE(refused(found)) << all(found);
  int geoms = 0, joints = 0;
  for (const Diagnostic& d : found) {
    geoms += d.code == "N_MJCF_IGNORED" && has(d.found, "<geom> solref, gap, in 2 elements");
    joints += d.code == "W_MJCF_IGNORED" && has(d.found, "springyield");
  }
  EXPECT_EQ(geoms, 1) << all(found);
  EXPECT_EQ(joints, 1) << all(found);
}

TEST(BadMjcf, WhatChangesTheMotionIsAWarning) {
  for (const char* inside : {"<option wind='1 0 0'/>", "<option density='1.2'/>",
                             "<option><flag spring='disable'/></option>", "<tendon><spatial stiffness='3'/></tendon>",
                             "<tendon><fixed armature='2'><joint joint='j' coef='1'/></fixed></tendon>",
                             "<joint type='free' stiffness='1'/>", "<joint damping='1 2'/>",
                             "<joint type='ball' range='0 60'/>", "<geom size='.1' fluidshape='ellipsoid'/>"}) {
    const Diagnostics found = check_robot_text(file_with(inside), in_mode(Mode::standard));
    EXPECT_FALSE(refused(found)) << all(found);
    EXPECT_NE(find(found, "W_MJCF_IGNORED"), nullptr) << inside << "\n" << all(found);
  }
  for (const char* inside : {"<option wind='0 0 0' density='0'/>", "<option><flag spring='enable'/></option>",
                             "<tendon><spatial stiffness='0'/></tendon>", "<geom size='.1' fluidshape='none'/>"}) {
    const Diagnostics found = check_robot_text(file_with(inside), in_mode(Mode::standard));
    EXPECT_EQ(find(found, "W_MJCF_IGNORED"), nullptr) << inside << "\n" << all(found);
  }
}

TEST(BadMjcf, CopiesAreCountedBeforeThereIsMemoryForThem) {
  const auto code = [](const std::string& inside) {
    const Diagnostics found =
        check_robot_text("<mujoco><worldbody>" + inside + "</worldbody></mujoco>", in_mode(Mode::standard));
    return found.empty() ? std::string() : found.front().code;
  };
  const std::string body = "<body><joint/><geom size='.1'/></body>";
  EXPECT_EQ(code("<replicate count='1000000000'>" + body + "</replicate>"), "E_LIMIT_LINKS");
  EXPECT_EQ(code("<replicate count='50000'><replicate count='50000'><body/></replicate></replicate>"), "E_LIMIT_LINKS");
  EXPECT_EQ(code("<replicate count='50000'><replicate count='50000'><frame/></replicate></replicate>"),
            "E_LIMIT_ELEMENTS");
  EXPECT_EQ(code("<replicate count='50000'><replicate count='50000'/></replicate>"), "E_LIMIT_ELEMENTS");
  LoadOptions options;
  options.limits.links = 100;
  Diagnostics found;
  EXPECT_THROW(loads_robot("<mujoco><worldbody><replicate count='100'><body/></replicate></worldbody></mujoco>",
                           options, &found),
               ModelError);
  EXPECT_EQ(found.front().code, "E_LIMIT_LINKS");
  EXPECT_EQ(loads_robot("<mujoco><worldbody><replicate count='99'><body/></replicate></worldbody></mujoco>", options)
                .model.description()
                .links.size(),
            100u);
}

/// Of THE table: what a cell says, as the page writes it.
std::string cell(const std::string& names) {
  std::string out;
  std::istringstream words(names);
  for (std::string word; words >> word;) out += (out.empty() ? "`" : " `") + word + '`';
  return out.empty() ? "–" : out;
}

std::string table_of_the_page() {
  const char* words[] = {"read", "named", "warned", "refused", "looks"};
  std::string out = "| element | | read | named | warned | looks |\n|---|---|---|---|---|---|\n";
  for (const io::MjcfRow& row : io::k_mjcf_rows) {
    const std::string like = *row.like ? "as `" + std::string(row.like) + "`, " : "";
    out += "| `" + std::string(row.element) + "` | " + words[static_cast<int>(row.how)] + " | " + like +
           cell(row.read) + " | " + cell(row.named) + " | " + cell(row.warned) + " | " + cell(row.looks) + " |\n";
  }
  return out;
}

/// ZWANG_WRITE_SCHEMA=1 writes the table.
TEST(BadMjcf, ThePageShowsTheTableOfTheReader) {
  const std::filesystem::path path = std::filesystem::path(ZWANG_MODELS) / ".." / "docs" / "formats" / "mjcf.md";
  std::string page = content_of(path);
  const std::string begin = "<!-- table: begin -->\n", end = "<!-- table: end -->";
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t start = from + begin.size();
  const std::string wanted = table_of_the_page();
  if (std::getenv("ZWANG_WRITE_SCHEMA") != nullptr)
    std::ofstream(path) << page.substr(0, start) + wanted + page.substr(to);
  else
    EXPECT_EQ(page.substr(start, to - start), wanted) << "ZWANG_WRITE_SCHEMA=1 writes " << path;
}

TEST(BadMjcf, EveryChildOfTheTableHasItsRow) {
  for (const io::MjcfRow& row : io::k_mjcf_rows) {
    std::istringstream words(row.children);
    const std::string whole = row.element, element = whole.substr(whole.find('/') + 1);
    for (std::string word; words >> word;)
      EXPECT_NE(io::mjcf_rule(element, word), nullptr) << row.element << '/' << word;
  }
}

}  // namespace
}  // namespace zwang::test
