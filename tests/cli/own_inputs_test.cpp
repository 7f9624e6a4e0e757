// SPDX-License-Identifier: BSD-3-Clause
// No command writes over a file that it reads, whatever that file is called.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/program.hpp"

namespace zwang::test {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder with one of each kind of input, and other ways to the same files.
struct Inputs {
  Inputs() {
    folder.write("arm.urdf", bytes_of(arm7()));
    folder.write("mesh.stl", "solid m\nendsolid m\n");
    std::string text = bytes_of(arm7());
    const std::size_t end = text.find("</link>");
    text.insert(end, R"(<visual><geometry><mesh filename="mesh.stl"/></geometry></visual>)");
    folder.write("meshed.urdf", text);
    folder.write("state.json", "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]");
    folder.write("p.json", R"({"model": "arm.urdf", "time": 0.01, "state": {"q": "@state.json"}})");
    EXPECT_EQ(zwang({"convert", at("arm.urdf"), at("arm.json")}).code, 0);
    EXPECT_EQ(zwang({"convert", at("arm.urdf"), at("arm.cbor")}).code, 0);
    for (const char* name : {"arm.urdf", "mesh.stl", "meshed.urdf", "state.json", "p.json", "arm.json", "arm.cbor"})
      before[name] = bytes_of(at(name));
  }
  std::string at(const std::string& name) const { return folder.path(name); }
  std::string link(const std::string& name, const std::string& to) const {
    fs::create_symlink(to, at(name));
    return at(name);
  }
  std::string hard_link(const std::string& name, const std::string& to) const {
    fs::create_hard_link(at(to), at(name));
    return at(name);
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& redirect = "") const {
    std::string command;
    for (const std::string& w : words) command += w + ' ';
    const Outcome o = zwang(words, redirect);
    EXPECT_EQ(o.code, 1) << command << o.err;
    EXPECT_SAYS(o.err, "is not written over: give the output another name");
    for (const auto& [name, text] : before) EXPECT_EQ(bytes_of(at(name)), text) << command << "changed " << name;
  }
  Folder folder;
  std::map<std::string, std::string> before;
};

TEST(OwnInputs, AreNotWrittenOver) {
  const Inputs in;
  in.expect_refused({"simulate", in.at("p.json"), "--out", in.at("p.json")});
  in.expect_refused({"simulate", in.at("p.json"), "--out", in.at("state.json")});
  in.expect_refused({"simulate", in.at("arm.json"), "--time", "0.01", "--out", in.at("arm.json")});
  in.expect_refused({"simulate", in.at("arm.urdf"), "--time", "0.01", "--q", "@" + in.at("state.json"), "--out",
                     in.at("state.json")});
  in.expect_refused({"move", in.at("arm.urdf"), "--to", "@" + in.at("state.json"), "--acceleration", "1", "--out",
                     in.at("state.json")});
  in.expect_refused({"convert", in.at("arm.json"), in.at("arm.json")});
  in.expect_refused({"convert", in.at("arm.cbor"), in.at("arm.cbor")});
  in.expect_refused(
      {"bench", in.at("arm.urdf"), "--quick", "--only", "rnea", "--json", in.link("times.json", "arm.urdf")});
}

TEST(OwnInputs, AreNotWrittenOverByAnotherName) {
  const Inputs in;
  in.expect_refused({"convert", in.at("arm.urdf"), in.link("link.json", "arm.urdf")});
  in.expect_refused({"convert", in.at("arm.urdf"), in.link("links.json", "link.json")});
  in.expect_refused({"convert", in.link("robot.urdf", "arm.urdf"), in.hard_link("hard.cbor", "arm.urdf")});
  in.expect_refused({"convert", in.at("meshed.urdf"), in.link("mesh.json", "mesh.stl")});
  in.expect_refused({"view", in.at("arm.urdf"), "--html", in.link("page.html", "arm.urdf")});
  in.expect_refused({"view", in.at("meshed.urdf"), "--html", in.link("mesh.html", "mesh.stl")});
  in.expect_refused({"simulate", in.at("p.json"), "--html", in.link("state.html", "state.json")});
  in.expect_refused({"simulate", in.at("p.json"), "--out", in.hard_link("hard.csv", "arm.urdf")});
  in.expect_refused({"simulate", in.at("p.json"), "--out",
                     in.folder.path("../") + fs::path(in.at("")).parent_path().filename().string() + "/p.json"});
  in.expect_refused(
      {"move", in.at("arm.urdf"), "--to", "random:1", "--acceleration", "1", "--out", in.link("m.npz", "arm.urdf")});
  in.expect_refused({"convert", "-", in.at("arm.json")}, "<" + in.at("arm.json"));
}

TEST(OwnInputs, LeaveOtherFilesToBeWrittenOver) {
  const Inputs in;
  const std::string out = in.folder.write("old.json", "old");
  EXPECT_EQ(zwang({"simulate", in.at("p.json"), "--out", out}).code, 0);
  EXPECT_EQ(Json::parse(bytes_of(out))["status"], "ok");
  EXPECT_EQ(zwang({"convert", in.at("arm.urdf"), in.link("through.json", "old.json")}).code, 0);
  EXPECT_EQ(bytes_of(out), bytes_of(in.at("arm.json")));
  EXPECT_EQ(zwang({"convert", in.at("arm.urdf"), "/dev/null"}).code, 1) << "its name has no ending";
}

TEST(OwnInputs, TwoOutputsAreNotOneFile) {
  const Inputs in;
  const std::string csv = in.at("new.csv"), html = in.link("new.html", "new.csv");
  const Outcome o = zwang({"simulate", in.at("p.json"), "--out", csv, "--html", html});
  EXPECT_EQ(o.code, 1) << o.err;
  EXPECT_SAYS(o.err, "are one file");
  EXPECT_FALSE(fs::exists(csv));
}

}  // namespace
}  // namespace zwang::test
