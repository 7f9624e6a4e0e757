// SPDX-License-Identifier: BSD-3-Clause
// Row 25 of the table of bad inputs and the chain of places where packages are looked for.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

/// A folder of packages that is gone afterwards.
class Uri : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "zwang_uri_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = fs::canonical(name);
    fs::create_directories(root_ / "src/arm/meshes");
    fs::create_directories(root_ / "src/arm/urdf");
    fs::create_directories(root_ / "other/share/hand/meshes");
    write("src/arm/package.xml", "<package><name> arm </name></package>");
    write("src/arm/meshes/a.stl", "solid");
    write("src/arm/meshes/with blank.stl", "solid");
    write("other/share/hand/meshes/h.stl", "solid");
    write("secret.stl", "solid");
  }
  void TearDown() override {
    fs::remove_all(root_);
    for (const char* variable : {"AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "ZWANG_PACKAGE_PATH"}) unsetenv(variable);
  }
  void write(const std::string& path, const std::string& text) { std::ofstream(root_ / path) << text; }
  /// What became of a mesh named by a robot in the package arm; the code of the finding, or the path.
  std::string mesh(const std::string& uri, Mode mode = Mode::standard) {
    write("src/arm/urdf/r.urdf",
          robot(link("a", "<visual><geometry><mesh filename='" + uri + "'/></geometry></visual>")));
    options_.mode = mode;
    found_.clear();
    try {
      const RobotDescription r = read_urdf((root_ / "src/arm/urdf/r.urdf").string(), options_, &found_);
      EXPECT_EQ(r.links[0].shapes[0].mesh, uri);
      if (!found_.empty()) {
        EXPECT_EQ(r.links[0].shapes[0].mesh_path, "");
        return found_[0].code;
      }
      return fs::path(r.links[0].shapes[0].mesh_path).lexically_relative(root_).string();
    } catch (const ModelError& error) { return "refused " + error.code(); }
  }
  fs::path root_;
  LoadOptions options_;
  Diagnostics found_;
};

TEST_F(Uri, TheEnclosingPackageIsFoundByItsPackageFile) {
  EXPECT_EQ(mesh("package://arm/meshes/a.stl"), "src/arm/meshes/a.stl");
  EXPECT_EQ(mesh("model://arm/meshes/a.stl"), "src/arm/meshes/a.stl");
  EXPECT_EQ(mesh("../meshes/a.stl"), "src/arm/meshes/a.stl");
  EXPECT_EQ(mesh("package://arm/meshes/with%20blank.stl"), "src/arm/meshes/with blank.stl");
  EXPECT_EQ(mesh("file://" + (root_ / "src/arm/meshes/a.stl").string()), "src/arm/meshes/a.stl");
}

TEST_F(Uri, PackagesComeFromTheMapTheFoldersAndTheEnvironment) {
  EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "E_URI_PACKAGE");
  EXPECT_TRUE(has(found_[0].hint, "src/arm")) << found_[0].text();
  setenv("AMENT_PREFIX_PATH", ("/nowhere:" + (root_ / "other").string()).c_str(), 1);
  EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "other/share/hand/meshes/h.stl");
  options_.use_environment = false;
  EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "E_URI_PACKAGE");
  options_.use_environment = true;
  unsetenv("AMENT_PREFIX_PATH");
  for (const char* variable : {"ROS_PACKAGE_PATH", "ZWANG_PACKAGE_PATH"}) {
    setenv(variable, (root_ / "other/share").c_str(), 1);
    EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "other/share/hand/meshes/h.stl");
    unsetenv(variable);
  }
  options_.package_dirs = {(root_ / "other/share").string()};
  EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "other/share/hand/meshes/h.stl");
  options_.package_dirs = {(root_ / "other/share/hand").string() + "/"};
  EXPECT_EQ(mesh("package://hand/meshes/h.stl"), "other/share/hand/meshes/h.stl");
  options_.packages = {{"hand", (root_ / "src/arm").string()}};
  EXPECT_EQ(mesh("package://hand/meshes/a.stl"), "src/arm/meshes/a.stl") << "the map is asked first";
}

TEST_F(Uri, AFolderOfPackagesThatIsNotThereIsRefusedByName) {
  const std::string nowhere = (root_ / "nowhere").string(), file = (root_ / "src/arm/package.xml").string();
  const auto refusal = [&]() -> std::string {
    try {
      mesh("package://hand/meshes/h.stl");
    } catch (const std::invalid_argument& error) { return error.what(); }
    return "";
  };
  for (const std::string& folder : {nowhere, file, std::string()}) {
    options_.package_dirs = {(root_ / "other/share").string(), folder};
    EXPECT_EQ(refusal(), "E_URI_PACKAGE load: option 'package_dirs' has '" + folder + "', where there is no folder");
  }
  options_.package_dirs = {};
  options_.packages = {{"hand", nowhere}};
  EXPECT_EQ(refusal(),
            "E_URI_PACKAGE load: option 'packages' has '" + nowhere + "' for package 'hand', where there is no folder");
}

TEST_F(Uri, BadInput25NothingLeavesThePackageOrIsNoFile) {
  fs::create_symlink(root_ / "secret.stl", root_ / "src/arm/meshes/link.stl");
  fs::create_symlink(root_ / "src/arm/meshes/l2", root_ / "src/arm/meshes/l1");
  fs::create_symlink(root_ / "src/arm/meshes/l1", root_ / "src/arm/meshes/l2");
  ASSERT_EQ(mkfifo((root_ / "src/arm/meshes/pipe").c_str(), 0600), 0);
  const std::pair<const char*, const char*> cases[] = {{"package://nowhere/meshes/a.stl", "E_URI_PACKAGE"},
                                                       {"package:///arm/meshes/a.stl", "E_URI_PACKAGE"},
                                                       {"package://../arm/meshes/a.stl", "E_URI_PACKAGE"},
                                                       {"package://arm/meshes/b.stl", "E_URI_MISSING"},
                                                       {"package://arm/../../secret.stl", "E_URI_OUTSIDE"},
                                                       {"package://arm/meshes/link.stl", "E_URI_OUTSIDE"},
                                                       {"../../../secret.stl", "E_URI_OUTSIDE"},
                                                       {"package://arm/%2e%2e/%2e%2e/secret.stl", "E_URI_MISSING"},
                                                       {"package://arm/meshes/l1", "E_URI_LOOP"},
                                                       {"package://arm/meshes/pipe", "E_URI_NOT_REGULAR"},
                                                       {"/dev/zero", "E_URI_NOT_REGULAR"},
                                                       {"package://arm/meshes", "E_URI_NOT_REGULAR"},
                                                       {"http://example.org/a.stl", "E_URI_SCHEME"},
                                                       {"", "E_URI_MISSING"}};
  for (const auto& [uri, code] : cases) {
    EXPECT_EQ(mesh(uri), code) << uri;
    EXPECT_EQ(mesh(uri, Mode::lenient), code) << uri;
    EXPECT_EQ(mesh(uri, Mode::strict), std::string("refused ") + code) << uri;
  }
  options_.allow_outside_package = true;
  EXPECT_EQ(mesh("package://arm/../../secret.stl"), "secret.stl");
  EXPECT_EQ(mesh("package://arm/meshes/link.stl"), "secret.stl");
  options_.resolve_meshes = false;
  EXPECT_EQ(mesh("package://nowhere/a.stl"), "") << "nothing is looked for, nothing is said";
}

TEST_F(Uri, MeshesThatAreNotHereAreOneNote) {
  const auto visual = [](const std::string& uri) {
    return "<visual><geometry><mesh filename='" + uri + "'/></geometry></visual>";
  };
  write("src/arm/urdf/r.urdf",
        robot(link("a", visual("package://far/1.stl") + visual("package://far/2.stl") + visual("package://off/3.stl") +
                            visual("package://arm/none.stl") + visual("package://far/1.stl"))));
  const Diagnostics found = check_urdf((root_ / "src/arm/urdf/r.urdf").string(), options_);
  ASSERT_EQ(found.size(), 2u) << all(found);
  EXPECT_EQ(found[0].code, "E_URI_PACKAGE");
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_EQ(found[0].found, "package 'far', and 2 more meshes");
  EXPECT_EQ(found[1].code, "E_URI_MISSING");
  options_.mode = Mode::strict;
  for (const Diagnostic& d : check_urdf((root_ / "src/arm/urdf/r.urdf").string(), options_))
    EXPECT_EQ(d.severity, Severity::error);
}

TEST_F(Uri, BadInput25TheRobotItselfMustBeARegularFile) {
  ASSERT_EQ(mkfifo((root_ / "pipe.urdf").c_str(), 0600), 0);
  for (const std::string& path :
       {std::string("/dev/zero"), (root_ / "pipe.urdf").string(), root_.string(), (root_ / "none.urdf").string()}) {
    const Diagnostics found = check_urdf(path);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].code, "E_FILE");
    EXPECT_EQ(found[0].file, path);
  }
  write("big.urdf", std::string(2000, ' '));
  options_.limits.file_bytes = 1000;
  EXPECT_TRUE(find(check_urdf((root_ / "big.urdf").string(), options_), "E_LIMIT_FILE"));
}

TEST_F(Uri, ATextHasNoFolderUnlessOneIsGiven) {
  const std::string text = robot(link("a", "<visual><geometry><mesh filename='meshes/a.stl'/></geometry></visual>"));
  EXPECT_TRUE(find(check_urdf_text(text), "E_URI_MISSING"));
  options_.base_directory = (root_ / "src/arm").string();
  EXPECT_EQ(all(check_urdf_text(text, options_)), "");
}

}  // namespace
}  // namespace zwang::test
