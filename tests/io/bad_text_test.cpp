// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of bad inputs that concern the text: XML, limits, numbers, vectors, tags, formats, locale.
#include <clocale>
#include <locale>

#include "support.hpp"

namespace zwang::test {
namespace {

std::string with_mass(const std::string& mass) {
  return arm(link("tip", "<inertial><mass value='" + mass +
                             "'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>") +
             joint("wrist", "lower", "tip"));
}

TEST(BadInput01, EmptyTruncatedAndRandomTextsAreNoXml) {
  EXPECT_EQ(expect_refused("", "E_XML").line, 1);
  expect_refused(" \n\t ", "E_XML");
  const std::string whole = arm();
  const Diagnostic d = expect_refused(whole.substr(0, whole.size() - 9), "E_XML");
  EXPECT_TRUE(has(d.hint, "line 1, column 1")) << d.text();
  for (std::size_t n = 1; n < whole.size() - 1; n += 7) expect_refused(whole.substr(0, n), "E_XML");
  expect_refused("\x12\x9f\xc3\x01 lorem", "E_XML");
  expect_refused("<robot name='r'><link name='a'></robot></link>", "E_XML");
  expect_refused("<robot name='r'><link name='a' name='b'/></robot>", "E_XML");
  expect_refused("<robot name='r'><link name=a/></robot>", "E_XML");
  expect_refused(arm() + "<robot/>", "E_XML");
  expect_refused("<robot name='\xff\xfe'/>", "E_XML");
}

TEST(BadInput01, Utf16IsNamed) {
  std::string wide;
  for (const char c : arm()) wide += std::string(1, c) + '\0';
  EXPECT_TRUE(has(expect_refused(wide, "E_XML").found, "UTF-16"));
  EXPECT_TRUE(has(expect_refused("\xFF\xFE" + wide, "E_XML").found, "UTF-16"));
  EXPECT_FALSE(refused(findings("\xEF\xBB\xBF" + arm()))) << "a UTF-8 byte order mark is fine";
}

TEST(BadInput01, ErrorsHaveLineColumnAndPath) {
  const Diagnostic d = expect_refused("<robot name='r'>\n  <link name='a'>\n    <visual></link>\n</robot>", "E_XML");
  EXPECT_EQ(d.line, 3);
  EXPECT_EQ(d.column, 13);
  EXPECT_EQ(d.path, "robot/link/visual");
  EXPECT_EQ(d.file, "a.urdf");
}

TEST(BadInput02, DocumentTypesAndEntitiesAreForbidden) {
  std::string bomb = "<!DOCTYPE lolz [<!ENTITY a 'lol'>";
  for (char c = 'b'; c < 'k'; ++c)
    bomb += std::string("<!ENTITY ") + c + " '&" + static_cast<char>(c - 1) + ";&" + static_cast<char>(c - 1) + ";'>";
  expect_refused(bomb + "]><robot name='&j;'/>", "E_XML_DTD_FORBIDDEN");
  expect_refused("<?xml version='1.0'?><!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'/>",
                 "E_XML_DTD_FORBIDDEN");
  expect_refused(robot(link("a&unknown;")), "E_XML");
  expect_refused(robot("<xi:include href='file:///etc/passwd'/>"), "E_XML_INCLUDE_FORBIDDEN");
  EXPECT_EQ(parse_urdf(robot(link("a&amp;b&#65;"))).links[0].name, "a&bA");
}

TEST(BadInput03, TwoHundredThousandNestedElementsHitTheDepthLimit) {
  std::string text = "<robot name='r'>";
  for (int i = 0; i < 200000; ++i) text += "<a>";
  expect_refused(text, "E_LIMIT_DEPTH");
  std::string fine = "<robot name='r'>" + link("b"), end;
  for (int i = 0; i < 255; ++i) {
    fine += "<gazebo>";
    end += "</gazebo>";
  }
  EXPECT_FALSE(refused(findings(fine + end + "</robot>")));
  expect_refused(fine + "<gazebo></gazebo>" + end + "</robot>", "E_LIMIT_DEPTH");
}

TEST(BadInput03, EveryLimitIsChecked) {
  LoadOptions options;
  options.limits.elements = 10;
  EXPECT_TRUE(find(check_urdf_text(arm(), options), "E_LIMIT_ELEMENTS"));
  options = {};
  options.limits.links = 2;
  EXPECT_TRUE(find(check_urdf_text(arm(), options), "E_LIMIT_LINKS"));
  options.limits.links = 3;
  EXPECT_FALSE(refused(check_urdf_text(arm(), options)));
  options.limits.file_bytes = 100;
  EXPECT_TRUE(find(check_urdf_text(arm(), options), "E_LIMIT_FILE"));
  expect_refused(robot("<link name='a' x='" + std::string(1100000, 'x') + "'/>"), "E_LIMIT_ATTRIBUTE");
}

TEST(BadInput04, NamesMustBeShortVisibleAndThere) {
  expect_refused(robot(link(std::string(1 << 20, 'x'))), "E_NAME");
  expect_refused(robot(link("")), "E_NAME");
  expect_refused(robot("<link/>"), "E_NAME");
  expect_repairable(robot(link("a&quot;b")), "E_NAME");
  expect_repairable(robot(link("a\xE2\x80\x8B")), "E_NAME");
  expect_repairable(robot(link("a&#10;b")), "E_NAME");
  EXPECT_FALSE(refused(findings(robot(link("Gelenk_\xC3\xA4\xE4\xB8\xAD")), Mode::strict)))
      << "letters of any language are fine";
}

TEST(BadInput12, NumbersThatAreNoneAreRefusedWithTheirToken) {
  for (const char* mass : {"nan", "NaN", "inf", "-INF", "1e999", "0,5", "1.0abc", "0x10", "", "1 2", "--1", "+-1", "1e",
                           ".", "1.5.2", "${m}"}) {
    const Diagnostic d = expect_refused(with_mass(mass), "E_NUMBER");
    EXPECT_TRUE(has(d.found, "'" + std::string(mass) + "'")) << d.text();
    EXPECT_EQ(d.path, "robot/link[tip]/inertial/mass");
    EXPECT_EQ(d.line, 7);
    EXPECT_EQ(d.column, 30);
  }
  expect_refused(
      robot(link("a", "<inertial><mass/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>")),
      "E_NUMBER");
}

TEST(BadInput12, NumbersThatXmlSchemaKnowsAreRead) {
  const auto mass = [](const std::string& m) { return parse_urdf(with_mass(m)).links[3].mass; };
  EXPECT_EQ(mass("+1.0"), 1.0);
  EXPECT_EQ(mass(" .5 "), 0.5);
  EXPECT_EQ(mass("5."), 5.0);
  EXPECT_EQ(mass("1E-3"), 1e-3);
  EXPECT_EQ(mass("1e-320"), 1e-320);
  EXPECT_EQ(mass("1e-999"), 0.0);
  EXPECT_EQ(mass("0.1"), 0.1);
}

TEST(BadInput18, VectorsHaveTheirSize) {
  for (const char* xyz : {"1 2", "1 2 3 4", "", "1,2,3"}) {
    const std::string inside = "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='3' velocity='4'/><origin xyz='" +
                               std::string(xyz) + "'/>";
    const Diagnostic d = expect_refused(robot(link("a") + link("b") + joint("j", "a", "b", inside)), "E_VECTOR_SIZE");
    EXPECT_EQ(d.path, "robot/joint[j]/origin");
    EXPECT_EQ(d.line, 4);
  }
  expect_refused(robot(link("a") + link("b") + joint("j", "a", "b", "<origin xyz='0 nan 0'/>", "fixed")), "E_NUMBER");
}

TEST(BadInput23, AMisspeltTagGetsASuggestion) {
  const Diagnostic d = expect_warning(robot(link("a", "<inertai/>")), "W_UNKNOWN_TAG");
  EXPECT_TRUE(has(d.hint, "'inertial'")) << d.text();
  EXPECT_EQ(d.path, "robot/link[a]/inertai");
  EXPECT_TRUE(has(expect_warning(robot(link("a") + link("b") + joint("j", "a", "b", "<limit lowr='1' upper='2'/>")),
                                 "W_UNKNOWN_ATTRIBUTE")
                      .hint,
                  "'lower'"));
  EXPECT_TRUE(findings(robot(link("a") + "<gazebo reference='a'><x/></gazebo><drake:thing/>")).empty());
}

TEST(BadInput23, AChildThatStandsTwiceIsFound) {
  const Diagnostic d = expect_repairable(robot(link("a",
                                                    "<inertial><mass value='1'/><mass value='2'/><inertia ixx='1' "
                                                    "ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>")),
                                         "E_REPEATED");
  EXPECT_EQ(d.path, "robot/link[a]/inertial/mass");
}

TEST(BadInput27, OtherFormatsAreNamed) {
  EXPECT_TRUE(has(expect_refused("<sdf version='1.7'><model name='m'/></sdf>", "E_FORMAT").found, "SDF"));
  EXPECT_TRUE(has(expect_refused("<mujoco/>", "E_FORMAT").found, "MuJoCo"));
  EXPECT_TRUE(has(expect_refused("<html/>", "E_FORMAT").found, "html"));
  EXPECT_TRUE(has(expect_refused("<robot name='r'/>", "E_EMPTY").found, "no links"));
}

TEST(BadInput27, XacroIsRecognised) {
  const Diagnostic d = expect_refused(
      "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>\n  <xacro:property name='m' value='1'/></robot>",
      "E_XACRO");
  EXPECT_EQ(d.line, 2);
  EXPECT_TRUE(has(d.hint, "xacro a.urdf")) << d.text();
  expect_refused("<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><link name='${x}_link'/></robot>", "E_XACRO");
  EXPECT_FALSE(refused(findings("<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><link name='a'/></robot>")))
      << "expanded files keep the name space";
  LoadOptions options;
  options.file_name = "r.urdf.xacro";
  EXPECT_TRUE(has(find(check_urdf_text(arm(), options), "E_XACRO")->hint, "xacro r.urdf.xacro > r.urdf"));
}

TEST(BadInput28, PercentSignsArePlainText) {
  const std::string evil = "%s%n%p%x";
  EXPECT_EQ(parse_urdf(robot(link(evil))).links[0].name, evil);
  EXPECT_TRUE(
      has(expect_repairable(robot(link(evil) + joint(evil, evil, evil + "1")), "E_LINK").text(), "'%s%n%p%x1'"));
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(BadInput29, ACommaLocaleChangesNothing) {
  const std::string text = with_mass("1234.5");
  const Diagnostics plain = findings(with_mass("0,5"));
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  const char* c_locale = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"})
    if (!c_locale) c_locale = std::setlocale(LC_ALL, name);
  EXPECT_EQ(parse_urdf(text).links[3].mass, 1234.5);
  EXPECT_EQ(all(findings(with_mass("0,5"))), all(plain));
  EXPECT_TRUE(has(all(findings(with_mass("-1.5"))), "-1.5"));
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  if (!c_locale) std::puts("[ note ] this machine has no C locale with a decimal comma; the C++ locale was tested");
}

}  // namespace
}  // namespace zwang::test
