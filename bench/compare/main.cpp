// SPDX-License-Identifier: BSD-3-Clause
// zwang-bench, which `zwang bench` starts: zwang's times beside those of other libraries.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compile_cost.hpp"
#include "complaints.hpp"
#include "robots.hpp"
#include "scaling.hpp"
#include "zwang/io/input_files.hpp"

namespace zwang::bench {
namespace {

enum ExitCode { k_ok = 0, k_usage = 1, k_refused = 2, k_disagree = 4, k_io = 5 };

struct Arguments {
  std::vector<std::string> robots, contacts, only_peers;
  std::string root, json;  ///< json: a file, `-` for standard output, empty for none
  Selection selection;
  TimingOptions timing;
  int states = 128, batch = 1024, cpu = -1;
  bool peers = false, scaling = false, bytes = false, compile_cost = false, all = false, quick = false, free = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `--json` takes the next word where it names a .json file: `--json robot.urdf` must not overwrite a robot.
std::vector<std::string> settle_json(int count, char** words) {
  std::vector<std::string> out;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word != "--json") {
      out.push_back(word);
      continue;
    }
    const std::string next = k + 1 < count ? words[k + 1] : "";
    const bool file = next.ends_with(".json") || next == "-";
    out.push_back("--json=" + (file ? next : "-"));
    k += file;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

std::optional<Arguments> read_arguments(int count, char** words) {
  Arguments a;
  CLI::App app{
      "zwang bench: times of zwang's algorithms, and with --peers their ratio to other libraries' on the same models"};
  app.name("zwang bench");
  app.add_option(
      "robot", a.robots,
      "URDF files or names: panda, ur5, solo12, talos_reduced (the default, where ../shared/robots is), arm7, "
      "quadruped, humanoid");
  app.add_flag("--peers", a.peers,
               "Compare with every peer that was built (cmake -DZWANG_PEERS=ON), or in $ZWANG_PEERS; exit code 1 if "
               "none is there");
  app.add_option("--peer", a.only_peers, "Compare with this peer: pinocchio, kdl, mujoco (may be repeated)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--json", a.json, "The results as JSON, to a file (.json) or, without one, to standard output alone")
      ->type_name("[FILE]");
  app.add_option("--only", a.selection.algorithms, "These algorithms only: " + joined(algorithm_names()))
      ->type_name("NAME")
      ->delimiter(',')
      ->check(cli::one_of(algorithm_names()));
  app.add_option("--mode", a.selection.modes, "single, batch")->delimiter(',')->check(cli::one_of({"single", "batch"}));
  app.add_option("--scalar", a.selection.scalars, "double, float")
      ->delimiter(',')
      ->check(cli::one_of({"double", "float"}));
  app.add_option("--root", a.root, "How the root link hangs on the world: automatic, fixed, floating, ...")
      ->type_name("TYPE");
  app.add_option("--contact", a.contacts,
                 "A frame that is held in the constrained rows: 3 (its point) or 6 rows (may be repeated)")
      ->type_name("FRAME:ROWS")
      ->allow_extra_args(false);
  app.add_flag("--scaling", a.scaling, "Chains and combs of 10 to 1000 joints, 0 to 96 rows, instead of robots")
      ->excludes("--mode")
      ->excludes("--scalar");
  app.add_flag("--bytes", a.bytes, "Bytes of Data and Solver alone, no times");
  app.add_flag("--compile-cost", a.compile_cost, "What compiling a user's program costs (needs the source tree)");
  app.add_flag("--all", a.all, "Robots, --scaling and, without --only, --compile-cost");
  app.add_option("--states", a.states, "Different random states")
      ->check(cli::whole_number(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--batch", a.batch, "States of a batch")
      ->check(cli::whole_number(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--rounds", a.timing.rounds, "Interleaved rounds")
      ->check(cli::whole_number(1, 100'000))
      ->capture_default_str();
  app.add_flag("--quick", a.quick, "16 states, 3 short rounds: shows that it works, its times mean little");
  app.add_option("--cpu", a.cpu, "The core to stay on; default: the last one that may be used")->type_name("N");
  app.add_flag("--no-pin", a.free, "Do not stay on one core");
  app.add_flag("--cpu-time", a.timing.cpu_time,
               "Of one thread: the time that the core spends on the program, where other programs run, too");
  app.footer("Exit codes: 0 ok, 1 usage, 2 model refused, 4 a peer disagrees, 5 input or output.");
  cli::refuse_values_of_flags(app);
  std::vector<std::string> list = settle_json(count, words);
  std::reverse(list.begin(), list.end());  // CLI11 takes them from the back
  try {
    app.parse(list);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(cli::complaint(app, error));
    app.exit(error);
    return std::nullopt;
  }
  if (a.json != "" && a.json != "-" && !a.json.ends_with(".json"))
    throw UsageError("--json: got '" + a.json + "', expected a name that ends in .json");
  if (a.quick) {
    a.states = std::min(a.states, 16);
    a.batch = std::min(a.batch, 64);
    a.timing = {3, 20e-6, a.timing.cpu_time};
  }
  if (a.all) {
    a.scaling = true;
    a.compile_cost = a.selection.algorithms.empty();
  }
  return a;
}

Contact contact_of(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  const std::string rows = colon == std::string::npos ? "6" : word.substr(colon + 1);
  if (rows != "3" && rows != "6") throw UsageError("--contact: got '" + word + "', expected FRAME:3 or FRAME:6");
  return {word.substr(0, colon), rows == "3" ? 3 : 6};
}

std::vector<RobotChoice> chosen_robots(const Arguments& a) {
  std::vector<RobotChoice> out;
  for (const std::string& word : a.robots) out.push_back(find_robot(word));
  if (out.empty()) out = default_robots();
  for (RobotChoice& r : out) {
    if (!a.root.empty()) r.root = a.root == "auto" ? "automatic" : a.root;
    if (a.contacts.empty()) continue;
    r.contacts.clear();
    for (const std::string& c : a.contacts) r.contacts.push_back(contact_of(c));
  }
  return out;
}

/// Throws std::invalid_argument where the results would take the place of a robot that they are about.
void check_place(const std::string& file, const std::vector<RobotChoice>& robots) {
  InputFiles inputs;
  for (const RobotChoice& r : robots) inputs.add(r.file);
  inputs.refuse(file);
}

void write(const Json& document, const std::string& file) {
  const std::string text = document.dump(1) + '\n';
  bool fine;
  if (file == "-") {
    fine = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  } else {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    fine = !out.fail();
  }
  if (!fine)
    throw std::ios_base::failure("the results cannot be written to " + (file == "-" ? "standard output" : file));
}

int run(const Arguments& a, const std::string& command) {
  const bool table = a.json != "-";
  if (!a.json.empty()) check_place(a.json, chosen_robots(a));
  std::vector<Plugin> plugins;
  if (a.peers || !a.only_peers.empty()) plugins = find_plugins(a.only_peers);
  const bool compares = std::any_of(plugins.begin(), plugins.end(), [](const Plugin& p) { return p.peer != nullptr; });
  if (a.peers && !compares)
    throw UsageError(
        "--peers: no peer is there; `make benchmarks` builds them, $ZWANG_PEERS names folders that hold them");
  std::optional<int> cpu;
  if (!a.free) cpu = a.cpu;
  const Header header{command, a.states, a.batch, a.timing.rounds, a.timing.cpu_time, cpu, a.peers};
  if (table) print_header(header, plugins);
  Json document = json_header(header, plugins);
  bool disagree = false;
  if (a.all || !(a.scaling || a.compile_cost))
    for (const RobotChoice& choice : chosen_robots(a)) {
      const Problem problem = load_problem(choice, a.states, a.batch);
      const RobotLine line = robot_line(problem);
      document["robots"].push_back(to_json(line));
      if (table) print_robot(line);
      if (a.bytes) continue;
      const std::vector<Row> rows = compare(problem, a.selection, plugins, a.timing, cpu);
      if (table) print_rows(rows);
      for (const Row& r : rows) {
        disagree = disagree || r.disagrees;
        document["rows"].push_back(to_json(r));
      }
      std::fflush(stdout);
    }
  if (a.scaling) document["scaling"] = scaling(a.selection, plugins, a.timing, cpu, a.quick, table);
  if (a.compile_cost) document["compile_cost"] = compile_cost(table);
  if (disagree) document["status"] = "disagree";
  if (!a.json.empty()) write(document, a.json);
  return disagree ? k_disagree : k_ok;
}

int stop(ExitCode code, const char* status, const std::string& message, bool json) {
  if (json)
    std::cout << Json{{"status", status}, {"message", message}}.dump(1) << '\n';
  else
    fmt::print(stderr, "zwang bench: {}\n", message);
  return code;
}

int guarded(int count, char** words) {
  bool json = false;  // to standard output
  try {
    const std::vector<std::string> list = settle_json(count, words);
    json = std::find(list.begin(), list.end(), "--json=-") != list.end();
    const std::optional<Arguments> a = read_arguments(count, words);
    return a ? run(*a, joined({"zwang bench", joined(list)})) : k_ok;
  } catch (const ModelError& error) {
    const bool unreadable = error.code() == "E_FILE";
    return stop(unreadable ? k_io : k_refused, unreadable ? "io" : "refused", error.what(), json);
  } catch (const std::ios_base::failure& error) {
    return stop(k_io, "io", error.what(), json);
  } catch (const std::exception& error) { return stop(k_usage, "usage", error.what(), json); }
}

}  // namespace
}  // namespace zwang::bench

int main(int count, char** words) { return zwang::bench::guarded(count, words); }
