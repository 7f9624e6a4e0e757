// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "zwang/core/instruction_set.hpp"

namespace zwang::bench {
namespace {

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json optional(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }
std::string text(const std::optional<double>& x) { return x ? fmt::format("{:g}", *x) : "?"; }

}  // namespace

void print_header(const Header& h, const std::vector<Plugin>& plugins) {
  const Machine m = machine();
  fmt::print("zwang {}, {}\n", version(), m.date);
  fmt::print("machine   {}, {} cores to use, {}, load {:.2f} {:.2f} {:.2f}\n", m.processor, m.cores, m.system,
             m.load[0], m.load[1], m.load[2]);
  fmt::print("zwang by  {}, {}; kernels {}\n", compiler(), flags(), instruction_set());
  for (const Plugin& p : plugins) {
    if (p.peer == nullptr) {
      fmt::print("{:9s} absent: {}\n", p.name, p.refused);
      continue;
    }
    fmt::print("{:9s} {} by {}, {}{}{}\n", p.name, p.peer->version, p.peer->compiler, p.peer->flags,
               p.peer->remark[0] ? "; " : "", p.peer->remark);
  }
  if (h.peers_asked && plugins.empty())
    fmt::print("peers     none found (docs/benchmarks.md says how to build them)\n");
  fmt::print("{} random states, medians of {} interleaved rounds, ns{} per state; ratio = peer / zwang\n", h.states,
             h.rounds, h.cpu_time ? " of CPU time" : "");
  if (m.load[0] > 1) fmt::print("WARNING: the load is {:.2f}: other programs take part in these times\n", m.load[0]);
}

Json json_header(const Header& h, const std::vector<Plugin>& plugins) {
  const Machine m = machine();
  Json peers = Json::array();
  for (const Plugin& p : plugins) {
    Json x = {{"name", p.name}, {"available", p.peer != nullptr}};
    if (p.peer != nullptr) {
      x["version"] = p.peer->version;
      x["compiler"] = p.peer->compiler;
      x["flags"] = p.peer->flags;
      x["remark"] = p.peer->remark;
    } else {
      x["why"] = p.refused;
    }
    peers.push_back(x);
  }
  return {{"status", "ok"},
          {"date", m.date},
          {"version", version()},
          {"command", h.command},
          {"machine",
           {{"processor", m.processor},
            {"system", m.system},
            {"cores", m.cores},
            {"load", {m.load[0], m.load[1], m.load[2]}},
            {"pinned", h.cpu.has_value()}}},
          {"compiler", compiler()},
          {"flags", flags()},
          {"instruction_set", instruction_set()},
          {"states", h.states},
          {"batch", h.batch},
          {"rounds", h.rounds},
          {"cpu_time", h.cpu_time},
          {"peers", peers},
          {"robots", Json::array()},
          {"rows", Json::array()}};
}

RobotLine robot_line(const Problem& p) { return {p.label, p.model.nv(), p.model.bodies(), p.rows(), bytes_of(p)}; }

void print_robot(const RobotLine& r) {
  fmt::print("\n{}: nv {}, {} bodies, {} rows", r.label, r.nv, r.bodies, r.rows);
  if (r.bytes.data >= 0)
    fmt::print("; Data {} bytes, {} a body; Solver {} bytes", r.bytes.data, r.bytes.data / r.bodies, r.bytes.solver);
  fmt::print("\n");
}

Json to_json(const RobotLine& r) {
  Json x = {{"robot", r.label}, {"nv", r.nv}, {"bodies", r.bodies}, {"rows", r.rows}};
  x["data_bytes"] = r.bytes.data >= 0 ? Json(r.bytes.data) : Json(nullptr);
  x["data_bytes_per_body"] = r.bytes.data >= 0 ? Json(r.bytes.data / r.bodies) : Json(nullptr);
  x["solver_bytes"] = r.bytes.solver >= 0 ? Json(r.bytes.solver) : Json(nullptr);
  return x;
}

namespace {

/// Peers that cannot do this robot at all: said once, not in every row.
void print_refusals(const std::vector<Row>& rows) {
  std::vector<std::string> said;
  for (const Row& r : rows) {
    if (r.refused.empty() || r.lacks_algorithm || std::find(said.begin(), said.end(), r.peer) != said.end()) continue;
    said.push_back(r.peer);
    fmt::print("  {}: {}\n", r.peer, r.refused);
  }
}

void print_peer(const Row& r) {
  if (r.disagrees)
    fmt::print("   {:>6s} {:>10s} {:9.1e} {:9.1e} {:>6s}  {}: {} DISAGREES, not timed\n", "-", "-", r.agreement,
               r.peer_residual, "-", r.peer, r.peer_algorithm);
  else
    fmt::print("   {:5.2f}x {:10.1f} {:9.1e} {:9.1e} {:>6s}  {}: {}\n", r.ratio(), r.peer_ns, r.agreement,
               r.peer_residual, text(r.peer_allocations), r.peer, r.peer_algorithm);
  if (r.others.empty()) return;
  fmt::print("  {:>78s}     also", "");
  for (const Row::Other& o : r.others)
    fmt::print("{} {} {}", &o == &r.others.front() ? "" : " ·", o.algorithm,
               o.ns < 0 ? fmt::format("disagrees by {:.1e}", o.agreement)
                        : fmt::format("{:.0f} (residual {:.0e})", o.ns, o.residual));
  fmt::print("\n");
}

}  // namespace

void print_rows(const std::vector<Row>& rows) {
  if (rows.empty()) return;
  print_refusals(rows);
  fmt::print("  {:14s} {:7s} {:7s} {:>7s} {:>10s} {:>10s} {:>6s} {:>9s}   {:>6s} {:>10s} {:>9s} {:>9s} {:>6s}  {}\n",
             "algorithm", "mode", "scalar", "threads", "ns", "min", "allocs", "residual", "ratio", "peer ns",
             "agreement", "residual", "allocs", "peer");
  const Task* last = nullptr;
  bool open = false;  // a line that still lacks its peer
  for (const Row& r : rows) {
    if (r.task != last) {
      if (open) fmt::print("\n");
      fmt::print("  {:14s} {:7s} {:7s} {:7d} {:10.1f} {:10.1f} {:>6s} {:9.1e}", r.task->algorithm, r.task->mode,
                 r.task->scalar, r.task->threads, r.ns, r.minimum, text(r.allocations), r.residual);
      if (r.solve_ns > 0)
        fmt::print("   {:.2f} times the solve alone; worst state {:.1f} times the median", r.ns / r.solve_ns,
                   r.worst.over_median);
      open = true;
    }
    last = r.task;
    if (r.peer.empty() || !r.refused.empty()) continue;
    if (!open) fmt::print("  {:78s}", "");
    print_peer(r);
    open = false;
  }
  if (open) fmt::print("\n");
}

Json to_json(const Row& r) {
  Json x = {{"robot", r.robot},
            {"nv", r.nv},
            {"rows", r.rows},
            {"algorithm", r.task->algorithm},
            {"mode", r.task->mode},
            {"scalar", r.task->scalar},
            {"threads", r.task->threads},
            {"ns", r.ns},
            {"min_ns", r.minimum},
            {"residual", number_or_null(r.residual)},
            {"allocations", optional(r.allocations)}};
  if (r.solve_ns > 0) {
    x["solve_ns"] = r.solve_ns;
    x["times_the_solve"] = r.ns / r.solve_ns;
    x["worst_state"] = r.worst.call;
    x["worst_state_ns"] = r.worst.ns;
    x["worst_over_median"] = r.worst.over_median;
  }
  if (r.peer.empty()) return x;
  x["peer"] = r.peer;
  if (!r.refused.empty()) {
    x["peer_absent"] = r.refused;
    return x;
  }
  x["peer_algorithm"] = r.peer_algorithm;
  x["peer_ns"] = r.disagrees ? Json(nullptr) : Json(r.peer_ns);
  x["peer_min_ns"] = r.disagrees ? Json(nullptr) : Json(r.peer_minimum);
  x["ratio"] = r.disagrees ? Json(nullptr) : Json(r.ratio());
  x["agreement"] = number_or_null(r.agreement);
  x["peer_residual"] = number_or_null(r.peer_residual);
  x["peer_allocations"] = optional(r.peer_allocations);
  Json others = Json::array();
  for (const Row::Other& o : r.others)
    others.push_back({{"algorithm", o.algorithm},
                      {"ns", o.ns < 0 ? Json(nullptr) : Json(o.ns)},
                      {"agreement", number_or_null(o.agreement)},
                      {"residual", number_or_null(o.residual)}});
  x["peer_others"] = others;
  return x;
}

}  // namespace zwang::bench
