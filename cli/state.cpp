// SPDX-License-Identifier: BSD-3-Clause
// zwang info --state: what a model is and does at one state.
#include "state.hpp"

#include <fmt/format.h>

#include "json_output.hpp"
#include "tables.hpp"
#include "zwang/io/state.hpp"

namespace zwang::cli {
namespace {

std::vector<double> column(const Document& rows, const char* key, int k) {
  std::vector<double> out;
  for (const Document& row : rows) out.push_back(row[key][static_cast<std::size_t>(k)].get<double>());
  return out;
}

std::string coordinates(const Document& d) {
  Table t;
  t.text("coordinate", d["names"].get<std::vector<std::string>>());
  for (const char* key : {"v", "a", "tau", "bias_forces", "gravity_forces"})
    t.numbers(key, d[key].get<std::vector<double>>());
  return t.str();
}
std::string bodies(const Document& d, const char* what) {
  const Document& rows = d[what];
  std::vector<std::string> names;
  for (const Document& row : rows) names.push_back(row["name"].get<std::string>());
  Table t;
  t.text(what, names);
  const char* const k_position[] = {"x [m]", "y", "z"};
  const char* const k_velocity[] = {"vx [m/s]", "vy", "vz", "wx [rad/s]", "wy", "wz"};
  for (int k = 0; k < 3; ++k) t.numbers(k_position[k], column(rows, "position", k));
  for (int k = 0; k < 6; ++k) t.numbers(k_velocity[k], column(rows, "velocity", k));
  return t.str();
}
std::string line(const char* name, const char* unit, const Document& value) {
  std::string text = fmt::format("{:<28}", name);
  if (value.is_array())
    for (const Document& x : value) text += fmt::format(" {:.6g}", x.get<double>());
  else
    text += fmt::format(" {:.6g}", value.get<double>());
  return text + ' ' + unit + '\n';
}

}  // namespace

int show_state(const Arguments& a, const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
               const Eigen::VectorXd& acceleration, const Diagnostics& found) {
  Document d = Document::parse(state_json(model, q, v, acceleration));
  if (a.json) {
    d["status"] = "ok";
    d["diagnostics"] = to_json(found);
    print_json(d);
    return 0;
  }
  print(coordinates(d) + '\n' + bodies(d, "links") + '\n' + bodies(d, "frames") + '\n' +
        line("kinetic energy", "J", d["kinetic_energy"]) + line("potential energy", "J", d["potential_energy"]) +
        line("centre of mass", "m", d["centre_of_mass"]) + line("its velocity", "m/s", d["centre_of_mass_velocity"]) +
        line("its acceleration", "m/s^2", d["centre_of_mass_acceleration"]) +
        line("momentum about it", "N s, N m s", d["centroidal_momentum"]));
  return 0;
}

}  // namespace zwang::cli
