// SPDX-License-Identifier: BSD-3-Clause
// Records of motions as files.
#include <fmt/format.h>

#include "contact_output.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "npz.hpp"
#include "simulate.hpp"
#include "view.hpp"
#include "written_file.hpp"

namespace zwang::cli {
namespace {

enum class Format { csv, json, npz };

Format format_of(const std::string& path) {
  const auto ends = [&](const std::string& ending) {
    return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (ends(".csv")) return Format::csv;
  if (ends(".json")) return Format::json;
  if (ends(".npz")) return Format::npz;
  throw UsageError("--out " + path + ": expected a name that ends in .csv, .json or .npz");
}

std::vector<std::string> configuration_names(const Model& model) {
  std::vector<std::string> names(static_cast<std::size_t>(model.nq()));
  for (const Joint& j : model.joints())
    for (Index k = 0; j.mimic.leader.empty() && k < j.q.size; ++k)
      names[static_cast<std::size_t>(j.q.first + k)] = j.q.size == 1 ? j.name : j.name + "[" + std::to_string(k) + "]";
  return names;
}
std::vector<std::string> row_names(const ConstraintSet& set) {
  std::vector<std::string> names;
  for (const Constraint& x : set.constraints())
    names.insert(names.end(), x.row_names.value().begin(), x.row_names.value().end());
  return names;
}

std::string csv(const Problem& p, const Trajectory& t) {
  std::string out = "time";
  const auto heads = [&](const char* what, const std::vector<std::string>& names) {
    for (const std::string& name : names) out += ',' + csv_cell(what + name);
  };
  heads("q:", configuration_names(p.model));
  heads("v:", p.model.coordinate_names());
  heads("a:", p.model.coordinate_names());
  heads("lambda:", row_names(p.constraints));
  heads("tau:", p.model.coordinate_names());
  out += ",energy,error,velocity_error\n";
  for (std::size_t k = 0; k < t.time.size(); ++k) {
    fmt::format_to(std::back_inserter(out), "{:.17g}", t.time[k]);
    const auto numbers = [&](const std::vector<double>& all, Index size) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
        fmt::format_to(std::back_inserter(out), ",{:.17g}", all[k * static_cast<std::size_t>(size) + i]);
    };
    numbers(t.q_numbers, t.nq);
    numbers(t.v_numbers, t.nv);
    numbers(t.acceleration_numbers, t.nv);
    numbers(t.multiplier_numbers, t.rows);
    numbers(t.motor_torque_numbers, t.nv);
    for (const std::vector<double>* one : {&t.energy, &t.error, &t.velocity_error})
      fmt::format_to(std::back_inserter(out), ",{:.17g}", (*one)[k]);
    out += '\n';
  }
  return out;
}

Document rows_json(const std::vector<double>& all, Index size, std::size_t states) {
  Document rows = Document::array();
  for (std::size_t k = 0; k < states; ++k)
    rows.push_back(std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(k) * size,
                                       all.begin() + static_cast<std::ptrdiff_t>(k + 1) * size));
  return rows;
}

std::string json(const Problem& p, const Trajectory& t) {
  Document d = {{"status", name_of(t.report.status)}, {"reason", t.report.reason}};
  if (!p.planned) {
    d["integrator"] = name_of(p.simulation.integrator);
    d["keep"] = name_of(p.simulation.keep);
  }
  const Document rest = {{"dt", p.simulation.dt},
                         {"q_names", configuration_names(p.model)},
                         {"names", p.model.coordinate_names()},
                         {"row_names", row_names(p.constraints)},
                         {"time", t.time},
                         {"q", rows_json(t.q_numbers, t.nq, t.time.size())},
                         {"v", rows_json(t.v_numbers, t.nv, t.time.size())},
                         {"acceleration", rows_json(t.acceleration_numbers, t.nv, t.time.size())},
                         {"multipliers", rows_json(t.multiplier_numbers, t.rows, t.time.size())},
                         {"motor_torque", rows_json(t.motor_torque_numbers, t.nv, t.time.size())},
                         {"energy", t.energy},
                         {"error", t.error},
                         {"velocity_error", t.velocity_error},
                         {"events", events_json(t)}};
  d.update(rest);
  if (p.scene) d["contacts"] = contacts_json(p, t);
  return d.dump(-1, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::string npz(const Problem& p, const Trajectory& t) {
  NpzArchive file;
  const std::size_t n = t.time.size();
  const auto wide = [](Index size) { return static_cast<std::size_t>(size); };
  file.add("time", t.time, {n});
  file.add("q", t.q_numbers, {n, wide(t.nq)});
  file.add("v", t.v_numbers, {n, wide(t.nv)});
  file.add("acceleration", t.acceleration_numbers, {n, wide(t.nv)});
  file.add("multipliers", t.multiplier_numbers, {n, wide(t.rows)});
  file.add("motor_torque", t.motor_torque_numbers, {n, wide(t.nv)});
  file.add("energy", t.energy, {n});
  file.add("error", t.error, {n});
  file.add("velocity_error", t.velocity_error, {n});
  file.add("q_names", configuration_names(p.model));
  file.add("names", p.model.coordinate_names());
  file.add("row_names", row_names(p.constraints));
  file.add("status", {std::string(name_of(t.report.status))});
  std::vector<double> times;
  std::vector<std::string> names;
  for (const EventRecord& e : t.events) {
    times.push_back(e.time);
    names.push_back(e.name);
  }
  file.add("event_time", times, {times.size()});
  file.add("event_name", names);
  if (p.scene) add_contacts(p, t, file);
  return file.finish();
}

}  // namespace

Document events_json(const Trajectory& t) {
  Document list = Document::array();
  for (const EventRecord& e : t.events) {
    list.push_back({{"time", e.time},
                    {"name", e.name},
                    {"impulse", e.impulse},
                    {"energy_before", e.energy_before},
                    {"energy_after", e.energy_after},
                    {"state", e.state}});
    if (e.b.empty()) continue;  // of a function
    list.back()["a"] = e.a;
    list.back()["b"] = e.b;
    if (e.has_place) list.back()["point"] = {e.point.x, e.point.y, e.point.z};
  }
  return list;
}

void check_outputs(const Arguments& a) {
  if (!a.output.empty()) {
    format_of(a.output);
    check_place(a.output);
  }
  if (!a.contacts.empty()) {
    if (!a.contacts.ends_with(".csv"))
      throw UsageError("--contacts " + a.contacts + ": expected a name that ends in .csv");
    check_place(a.contacts);
    if (!a.output.empty() && is_one_place(a.output, a.contacts))
      throw UsageError("--out " + a.output + " and --contacts " + a.contacts +
                       " are one file: give them different names");
  }
  if (a.html.empty()) return;
  check_page_place(a.html);
  if (!a.output.empty() && is_one_place(a.output, a.html))
    throw UsageError("--out " + a.output + " and --html " + a.html + " are one file: give them different names");
}

void write_trajectory(const std::string& path, const Problem& p, const Trajectory& t) {
  const Format format = format_of(path);
  write_whole(path, format == Format::csv ? csv(p, t) : format == Format::json ? json(p, t) : npz(p, t));
}

}  // namespace zwang::cli
