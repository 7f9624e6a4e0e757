// SPDX-License-Identifier: BSD-3-Clause
// zwang simulate: the same motion as the library's, in every format; events; what is refused; Ctrl-C and a full disk.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program.hpp"
#include "support/child.hpp"
#include "zwang/simulation.hpp"

namespace zwang::test {
namespace {

Json four_bar() {
  return {{"model", model_file("four_bar.urdf")},
          {"constraints",
           {{{"name", "pin"},
             {"type", "loop"},
             {"frames", {"rod_end", "crank_pin"}},
             {"rows", {{"joint", "hinge"}, {"axis", "z"}}}}}},
          {"time", 0.05},
          {"dt", 0.002},
          {"integrator", "half_explicit"},
          {"keep", "projection"}};
}
std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

/// The numbers of an array of a .npz file: found by its name, after the header of 64 or 128 bytes.
std::vector<double> array_of(const std::string& bytes, const std::string& name, std::size_t count) {
  const std::size_t at = bytes.find(name + ".npy\x93NUMPY");
  std::vector<double> out(count);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 4;
  const std::size_t header =
      10 + static_cast<unsigned char>(bytes[begin + 8]) + 256u * static_cast<unsigned char>(bytes[begin + 9]);
  std::memcpy(out.data(), bytes.data() + begin + header, count * sizeof(double));
  return out;
}

TEST(SimulateCommand, WritesTheMotionInEveryFormat) {
  const Folder folder;
  const std::string file = folder.write("bar.json", four_bar().dump());
  const Model m = load(model_file("four_bar.urdf"));
  ConstraintSet set(m);
  set.add(
      LoopConstraint{.name = "pin", .frame = "rod_end", .other = "crank_pin", .rows = joint_rows("hinge", {0, 0, 1})});
  const Trajectory t =
      simulate(m, set, {.q = neutral(m)},
               {.time = 0.05, .dt = 0.002, .integrator = Integrator::half_explicit, .keep = Keep::projection});
  const Json d = zwang_json({"simulate", file, "--out", folder.path("a.json")}).json();
  EXPECT_EQ(d["status"], "ok");
  EXPECT_EQ(d["steps"], 25);
  const Json whole = Json::parse(content(folder.path("a.json")));
  ASSERT_EQ(whole["time"].size(), 26u);
  EXPECT_EQ(whole["time"].get<std::vector<double>>(), t.time);
  EXPECT_EQ(whole["energy"].get<std::vector<double>>(), t.energy);
  EXPECT_EQ(vector_of(whole["q"][25]), t.q().col(25));
  EXPECT_EQ(vector_of(whole["multipliers"][7]), t.multipliers().col(7));
  EXPECT_EQ(vector_of(d["v"]), t.v().col(25));

  ASSERT_EQ(zwang({"simulate", file, "--out", folder.path("a.csv")}).code, 0);
  std::istringstream lines(content(folder.path("a.csv")));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 19), "time,q:crank_joint,");
  for (std::size_t k = 0; std::getline(lines, line); ++k) {
    double time = 0, q = 0;
    std::sscanf(line.c_str(), "%lf,%lf", &time, &q);
    EXPECT_EQ(time, t.time[k]);
    EXPECT_EQ(q, t.q()(0, static_cast<Eigen::Index>(k)));
  }

  ASSERT_EQ(zwang({"simulate", file, "--out", folder.path("a.npz")}).code, 0);
  EXPECT_EQ(array_of(content(folder.path("a.npz")), "time", 26), t.time);
  EXPECT_EQ(array_of(content(folder.path("a.npz")), "v", t.v_numbers.size()), t.v_numbers);
  // Another program's word on the archive: its directory and checksums.
  const std::string check = "python3 -m zipfile -t '" + folder.path("a.npz") + "' > /dev/null";
  EXPECT_EQ(std::system(check.c_str()), 0);
  // What is typed goes before the file.
  EXPECT_EQ(zwang_json({"simulate", file, "--time", "0.004", "--dt", "1e-3", "--every", "3", "--integrator", "rk4"})
                .json()["states"],
            3);
}

TEST(SimulateCommand, ReadsEvents) {
  const Json p = {
      {"model", quadruped()},
      {"root", "floating"},
      {"constraints",
       {{{"name", "foot"}, {"type", "contact"}, {"frame", "LF_foot"}, {"normal", {0, 0, 1}}, {"active", false}}}},
      {"time", 1},
      {"integrator", "rk4"},
      {"events",
       {{{"name", "touch"}, {"when", {{"frame", "LF_foot"}, {"offset", -0.6}}}, {"on", "foot"}},
        {{"name", "slow"}, {"when", {{"rate", "LF_knee"}, {"value", 1}}}, {"crossing", "rising"}, {"stop", true}}}}};
  const Folder folder;
  const std::string file = folder.write("fall.json", p.dump());
  const Json d = zwang_json({"simulate", file}).json();
  EXPECT_EQ(d["status"], "ok");
  ASSERT_GE(d["events"].size(), 1u);
  EXPECT_EQ(d["events"][0]["name"], "touch");
  EXPECT_EQ(d["events"][0]["impulse"].size(), 3u);
  EXPECT_LT(d["events"][0]["energy_after"], d["events"][0]["energy_before"]);
  EXPECT_SAYS(zwang({"simulate", file}).out, "event 'touch'");
  const auto said = [&](const char* pointer, const Json& value) {
    Json changed = p;
    changed[Json::json_pointer(pointer)] = value;
    const Outcome o = zwang({"simulate", folder.write("wrong.json", changed.dump())});
    EXPECT_EQ(o.code, 1) << pointer;
    return o.err;
  };
  EXPECT_SAYS(said("/integrator", "rk5"), "rk4");
  EXPECT_SAYS(said("/events/0/on", "fot"), "foot");
  EXPECT_SAYS(said("/events/0/when", {{"frame", "LF_fot"}}), "LF_foot");
  EXPECT_SAYS(said("/events/0/when", Json::object()), "one of frame");
  EXPECT_SAYS(said("/events/1", {{"name", "idle"}, {"when", {{"coordinate", "LF_knee"}}}}), "does nothing");
  EXPECT_SAYS(said("/dt", 0), "dt");
  EXPECT_SAYS(said("/everi", 2), "every");
  EXPECT_SAYS(zwang({"solve", file}).err, "zwang simulate");
  EXPECT_SAYS(zwang({"simulate", file, "--out", "a.txt"}).err, ".npz");
}

/// Whether a process that runs this program catches SIGINT: a bit of a number in Linux's account of it.
bool catches_interrupts(pid_t process, const std::string& program) {
  const std::string folder = "/proc/" + std::to_string(process);
  std::error_code error;
  if (!std::filesystem::equivalent(folder + "/exe", program, error)) return false;
  const std::string status = content(folder + "/status");
  const std::size_t at = status.find("SigCgt:");
  return at != std::string::npos && (std::stoull(status.substr(at + 7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
}

TEST(SimulateCommand, KeepsWhatItHasWhereItIsStopped) {
  const Folder folder;
  const std::string file = folder.write("bar.json", four_bar().dump()), out = folder.path("long.csv");
  const std::string log = folder.path("log");
  // A motion of hours, and Ctrl-C as soon as the program listens.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    end_with_parent();
    const int text = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(text, 1);
    ::dup2(text, 2);
    ::execl(ZWANG_CLI, ZWANG_CLI, "simulate", file.c_str(), "--time", "1e5", "--every", "100", "--out", out.c_str(),
            nullptr);
    ::_exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  while (!catches_interrupts(child, ZWANG_CLI) && (ended = ::waitpid(child, &status, WNOHANG)) == 0) ::sched_yield();
  ASSERT_EQ(ended, 0) << "before it was stopped: " << content(log);
  ::kill(child, SIGINT);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_SAYS(content(log), "stopped by Ctrl-C");
  std::istringstream lines(content(out));
  std::string line;
  std::size_t commas = 0, count = 0;
  for (; std::getline(lines, line); ++count) {
    const auto n = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (count == 0) commas = n;
    EXPECT_EQ(n, commas);
  }
  EXPECT_GE(count, 2u) << "names, and the first state";

  const std::string full = folder.path("full.csv");
  if (std::system(("ln -s /dev/full '" + full + "'").c_str()) == 0) {
    const Outcome o = zwang({"simulate", file, "--out", full});
    EXPECT_EQ(o.code, 5);
    EXPECT_SAYS(o.err, "No space left");
    EXPECT_SAYS(o.out, "half_explicit");  // the last state is shown nevertheless
  }
  const Outcome nowhere = zwang({"simulate", file, "--time", "1e9", "--out", folder.path("no/a.csv")});
  EXPECT_EQ(nowhere.code, 5);  // before the motion
  EXPECT_SAYS(nowhere.err, "No such file");
}

}  // namespace
}  // namespace zwang::test
