// SPDX-License-Identifier: BSD-3-Clause
// Robots that people really have: they are read in standard mode with the warnings that are due;
// broken copies never crash.
#include <fstream>
#include <random>
#include <sstream>

#include "support.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> robots() {
  std::vector<fs::path> out;
  if (!shared_robots().empty())
    for (const auto& entry : fs::directory_iterator(shared_robots()))
      if (entry.path().extension() == ".urdf") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
std::string text_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}
int count(const Diagnostics& found, const std::string& code) {
  return static_cast<int>(
      std::count_if(found.begin(), found.end(), [&](const Diagnostic& d) { return d.code == code; }));
}

class SharedRobots : public ::testing::Test {
 protected:
  void SetUp() override {
    if (robots().empty()) GTEST_SKIP() << "the shared robots are not beside the checkout (set ZWANG_SHARED_ROBOTS)";
  }
};

TEST_F(SharedRobots, AllAreReadInStandardModeWithTheWarningsThatAreDue) {
  int triangle = 0, indefinite = 0, fixed_mimic = 0;
  for (const fs::path& path : robots()) {
    const Diagnostics found = check_urdf(path.string());
    EXPECT_FALSE(refused(found)) << path << "\n" << all(found);
    for (const Diagnostic& d : found) EXPECT_GT(d.line + (d.code == "N_MORE"), 0) << d.text();
    triangle += count(found, "W_INERTIA_TRIANGLE") > 0;
    indefinite += count(found, "W_INERTIA") > 0;
    fixed_mimic += count(found, "W_MIMIC") > 0;
    // Two pendula have velocity and effort 0 at both joints, and one of them lower and upper 0.
    const std::string name = path.stem().string();
    EXPECT_EQ(count(found, "W_LIMIT"), name == "double_pendulum"              ? 4
                                       : name == "double_pendulum_continuous" ? 2
                                                                              : 0)
        << path;
    if (std::getenv("ZWANG_SHOW")) std::printf("== %s\n%s", path.filename().c_str(), all(found).c_str());
  }
  // Known of these files: six break the triangle rule, one has indefinite antennas on fixed joints,
  // one mimics on fixed joints.
  EXPECT_EQ(triangle, 6);
  EXPECT_EQ(indefinite, 1);
  EXPECT_EQ(fixed_mimic, 1);
}

TEST_F(SharedRobots, LenientModeReadsWhatStandardModeReads) {
  for (const fs::path& path : robots()) {
    LoadOptions options;
    options.mode = Mode::lenient;
    EXPECT_FALSE(refused(check_urdf(path.string(), options))) << path;
  }
}

TEST_F(SharedRobots, OtherFormatsAreNamed) {
  if (fs::exists(shared_robots() / "cassie.sdf")) {
    EXPECT_TRUE(has(find(check_urdf((shared_robots() / "cassie.sdf").string()), "E_FORMAT")->found, "SDF"));
  }
  if (fs::exists(shared_robots() / "humanoid.mjcf.xml")) {
    EXPECT_TRUE(has(find(check_urdf((shared_robots() / "humanoid.mjcf.xml").string()), "E_FORMAT")->found, "MuJoCo"));
  }
}

/// Every outcome is a description or an error with a place; `check` then survives what was read.
void survives(const std::string& text, Mode mode) {
  LoadOptions options;
  options.mode = mode;
  options.resolve_meshes = false;
  const Diagnostics found = check_urdf_text(text, options);
  for (const Diagnostic& d : found) {
    ASSERT_FALSE(d.code.empty());
    ASSERT_FALSE(d.severity == Severity::error && d.line == 0) << d.text();
  }
  if (refused(found)) return;
  RobotDescription r = parse_urdf(text, options);
  ASSERT_FALSE(refused(repair(r, options)));
}

TEST(UrdfFuzz, FlippedBytesAndCutsOfRealFilesNeverCrash) {
  std::vector<std::string> seeds = {
      arm("<transmission name='t'><joint "
          "name='elbow'/><actuator><mechanicalReduction>2</mechanicalReduction></actuator></transmission>"),
      arm(link("x", "<visual><geometry><mesh filename='package://a/b'/></geometry></visual>") +
          joint("m", "lower", "x", "<mimic joint='elbow'/>", "helical"))};
  for (const fs::path& path : robots())
    if (fs::file_size(path) < 40000) seeds.push_back(text_of(path));
  std::mt19937 random(20240607);
  const std::string special = "<>/='\"&; \n-!?[]{}$#:.0123456789eEnaif\xff\xc3";
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 1500; ++round) {
    std::string text = seeds[below(seeds.size())];
    const std::size_t edits = 1 + below(8);
    for (std::size_t k = 0; k < edits && !text.empty(); ++k) {
      const std::size_t i = below(text.size());
      switch (below(6)) {
        case 0: text[i] = static_cast<char>(random()); break;
        case 1: text[i] = special[below(special.size())]; break;
        case 2: text.erase(i, 1 + below(20)); break;
        case 3: text.insert(i, text.substr(below(text.size()), below(200))); break;
        case 4: text[i] = static_cast<char>(text[i] ^ (1 << below(7))); break;
        case 5:
          if (below(6) == 0) text.resize(i);
          break;
      }
    }
    survives(text, k_modes[round % 3]);
    if (HasFatalFailure()) return;
  }
}

TEST(UrdfFuzz, ShuffledNamesMakeEveryGraphAndNoneCrashes) {
  std::mt19937 random(77);
  int good = 0;
  for (int round = 0; round < 3000; ++round) {
    const unsigned n = 1 + random() % 7;
    std::string text;
    for (unsigned i = 0; i < n; ++i) text += link("l" + std::to_string(i));
    const unsigned joints = random() % (n + 2);
    const char* const types[] = {"revolute", "fixed", "prismatic", "floating", "continuous"};
    for (unsigned j = 0; j < joints; ++j) {
      const std::string follow =
          random() % 4 == 0 ? "<mimic joint='j" + std::to_string(random() % (joints + 1)) + "'/>" : "";
      text += joint("j" + std::to_string(j), "l" + std::to_string(random() % (n + (random() % 9 == 0))),
                    "l" + std::to_string(random() % n), follow, types[random() % 5]);
    }
    survives(robot(text), k_modes[round % 3]);
    if (HasFatalFailure()) return;
    good += !refused(findings(robot(text)));
  }
  EXPECT_GT(good, 100) << "some of the graphs are trees";
}

}  // namespace
}  // namespace zwang::test
