// SPDX-License-Identifier: BSD-3-Clause
// zwang simulate: a motion in time.
#include "simulate.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "contact_output.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "library_words.hpp"
#include "numbers.hpp"
#include "tables.hpp"
#include "view.hpp"
#include "zwang/core/pace.hpp"

namespace zwang::cli {
namespace {

volatile sig_atomic_t interrupted = 0;

/// The first Ctrl-C ends the motion at a whole step, the second one the program.
void listen() {
#ifdef _WIN32  // a handler is called once
  signal(SIGINT, [](int) { interrupted = 1; });
#else
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
#endif
}

/// A line on standard error, if that is a terminal, from the first second on.
class Bar {
 public:
  Bar() { pace_.begin(); }
  static bool look(void* self, double time, double end) { return static_cast<Bar*>(self)->draw(time, end); }
  ~Bar() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

 private:
  bool draw(double time, double end) {
    if (interrupted != 0) return false;
    if (!terminal_ || ++calls_ % 16 != 0 || pace_.spent() < 1 || !pace_.due()) return true;
    drawn_ = true;
    const double part = end > begin_ ? std::min(std::max((time - begin_) / (end - begin_), 0.0), 1.0) : 1.0;
    const auto filled = static_cast<std::size_t>(30 * part);
    std::fputs(fmt::format("\r[{}{}] {:3.0f} % t = {:.6g} of {:.6g} s, {:.0f} s left\033[K", std::string(filled, '#'),
                           std::string(30 - filled, ' '), 100 * part, time, end,
                           part > 0 ? pace_.spent() * (1 - part) / part : 0.0)
                   .c_str(),
               stderr);
    return true;
  }
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  const double begin_ = 0;
  Pace pace_{0.1};
  long calls_ = 0;
  bool drawn_ = false;
};

Document motion_json(const Problem& p, const Trajectory& t) {
  const auto last = [&](const std::vector<double>& all, Index size) {
    return all.empty() ? Document::array() : Document(std::vector<double>(all.end() - size, all.end()));
  };
  Document d = {{"status", name_of(t.report.status)}};
  if (!t.report.reason.empty()) d["reason"] = t.report.reason;
  d["integrator"] = name_of(p.simulation.integrator);
  d["keep"] = name_of(p.simulation.keep);
  d["time"] = t.report.time;
  d["steps"] = t.report.steps;
  d["iterations"] = t.report.iterations;
  d["states"] = t.time.size();
  d["names"] = p.model.coordinate_names();
  d["q"] = last(t.q_numbers, t.nq);
  d["v"] = last(t.v_numbers, t.nv);
  d["multipliers"] = last(t.multiplier_numbers, t.rows);
  d["energy"] = {{"first", t.energy.empty() ? Document() : number_json(t.energy.front())},
                 {"last", t.energy.empty() ? Document() : number_json(t.energy.back())},
                 {"drift", std::isnan(t.report.energy_drift) ? Document() : number_json(t.report.energy_drift)}};
  d["error"] = number_json(t.report.error);
  d["velocity_error"] = number_json(t.report.velocity_error);
  d["start_distance"] = number_json(t.report.start_distance);
  d["events"] = events_json(t);
  if (p.scene) d["contact"] = contact_json(p, t);
  d["notes"] = Document::array();
  for (const SimulationNote& n : t.report.notes) d["notes"].push_back(n.text);
  return d;
}

std::string motion_table(const Problem& p, const Trajectory& t) {
  if (t.time.empty()) return "";
  const Eigen::Index last = t.states() - 1;
  const Eigen::VectorXd q = t.q().col(last), v = t.v().col(last);
  std::string out = configuration_table(p.model, VectorView(q.data(), q.size())) + '\n' +
                    coordinate_table(p.model, "v [rad/s, m/s]", VectorView(v.data(), v.size()));
  out += fmt::format("\nt = {:.10g} s after {} of {:.4g} s by {}, {} recorded\n", t.report.time,
                     counted(t.report.steps, "step"), p.simulation.dt, name_of(p.simulation.integrator),
                     counted(static_cast<long>(t.time.size()), "state"));
  if (t.rows > 0)
    out += fmt::format("largest errors of the rows: {:.2g} [m, rad], {:.2g} [m/s, rad/s]\n", t.report.error,
                       t.report.velocity_error);
  if (t.report.start_distance > 1e-9)
    out += fmt::format("the start was moved by {:.3g} to where the rows hold\n", t.report.start_distance);
  if (p.scene) out += contact_table(p, t);
  for (const EventRecord& e : t.events) {
    out += fmt::format("event '{}' at t = {:.10g} s", e.name, e.time);
    if (!e.b.empty()) out += fmt::format(": {}", e.a.empty() ? e.b : e.a + " and " + e.b);
    if (!e.impulse.empty())
      out += fmt::format(", kinetic energy {:.6g} J, then {:.6g} J", e.energy_before, e.energy_after);
    out += '\n';
  }
  out += fmt::format("energy {:.10g} J at the start, {:.10g} J at the end", t.energy.front(), t.energy.back());
  if (!std::isnan(t.report.energy_drift))
    out += fmt::format("; nothing does work: it drifts by {:.2g} J of {:.3g} J kinetic energy", t.report.energy_drift,
                       t.report.kinetic_energy);
  out += '\n';
  return out;
}

}  // namespace

int run_simulate(const Arguments& a, Diagnostics& found) {
  const Problem p = read_problem(a, load_options(a), found);
  check_outputs(a);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  if (p.settings.method == "all") throw UsageError("zwang simulate: method all is for zwang solve");
  Simulator simulator = p.scene ? Simulator(p.model, p.constraints, p.simulation, *p.scene)
                                : Simulator(p.model, p.constraints, p.simulation);
  for (const SimulationEvent& e : p.events) simulator.add_event(e);
  Trajectory t;
  {
    Bar bar;
    listen();
    simulator.on_progress(Bar::look, &bar);
    t = simulator.run({.q = p.q, .v = p.v, .tau = p.tau, .external = &p.external, .prescribed = &p.prescribed});
  }
  if (interrupted != 0 && t.report.status == Status::stopped) t.report.reason = "stopped by Ctrl-C";
  if (a.speaks())
    for (const SimulationNote& n : t.report.notes)
      std::fputs(fmt::format("note: {}\n", in_words_of_program(n.text, a)).c_str(), stderr);
  if (!a.json) print(motion_table(p, t));  // first: it is there if the file cannot be written
  if (!a.output.empty()) write_trajectory(a.output, p, t);
  if (!a.contacts.empty()) write_contacts(a.contacts, p, t);
  if (!a.html.empty() && !t.time.empty()) write_page(a, a.html, p, t);
  if (a.json) {
    Document document = motion_json(p, t);
    if (!a.output.empty()) document["out"] = a.output;
    if (!a.contacts.empty()) document["contacts_out"] = a.contacts;
    if (!a.html.empty() && !t.time.empty()) document["html"] = a.html;
    document["diagnostics"] = to_json(found);
    print_json(document);
  } else if (t.report.status != Status::ok) {
    const std::string text =
        fmt::format("zwang: the motion ends at t = {:.10g} s: {}: {}{}\n", t.report.time, name_of(t.report.status),
                    t.report.reason, a.output.empty() ? "" : "; " + a.output + " has the states up to there");
    std::fputs(text.c_str(), stderr);
  }
  return t.report.status == Status::ok ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
