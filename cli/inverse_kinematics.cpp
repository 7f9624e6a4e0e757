// SPDX-License-Identifier: BSD-3-Clause
// zwang ik: configurations with which frames have given poses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "failure.hpp"
#include "json_output.hpp"
#include "numbers.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::cli {
namespace {

/// From x y z w of about unit length, which is made exact.
Mat3<double> rotation_of(const double* q, const std::string& what) {
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::fabs(n - 1) <= 1e-3))
    throw UsageError(
        what + ": the quaternion x y z w has length " + std::to_string(n) +
        (n == 0 ? ", expected 1: a zero quaternion has no direction; 0, 0, 0, 1 is no rotation" : ", expected 1"));
  return rotation(Quat<double>{q[0] / n, q[1] / n, q[2] / n, q[3] / n});
}

/// A pose: four rows of four numbers, or {"position": [3], "quaternion": [x, y, z, w]}.
/// Returns whether the attitude is given.
bool read_pose(const Node& node, Transform<double>& X) {
  if (node.is_object()) {
    node.object({"position", "quaternion", "rows", "in"});
    const std::vector<double> p = node["position"].numbers(3);
    X.p = {p[0], p[1], p[2]};
    if (!node.has("quaternion")) return false;
    X.R = rotation_of(node["quaternion"].numbers(4).data(), node["quaternion"].where());
    return true;
  }
  if (!node.is_array() || node.size() != 4)
    node.expected("four rows of four numbers, or {\"position\": [x, y, z], \"quaternion\": [x, y, z, w]}");
  for (std::size_t i = 0; i < 4; ++i) {
    const std::vector<double> row = node[i].numbers(4);
    if (i == 3) {
      if (row != std::vector<double>{0, 0, 0, 1}) node[i].expected("0, 0, 0, 1");
      continue;
    }
    for (int k = 0; k < 3; ++k) X.R[static_cast<int>(i)][k] = row[static_cast<std::size_t>(k)];
    X.p[static_cast<int>(i)] = row[3];
  }
  return true;
}

PoseTarget read_target(const std::string& frame, const Node& node) {
  PoseTarget t{.frame = frame};
  const bool whole = read_pose(node, t.pose);
  if (!whole) t.rows = rows("linear");
  if (!node.is_object()) return t;
  if (node.has("rows")) {
    const Node words = node["rows"];
    std::string text;
    if (words.is_text())
      text = words.text();
    else
      for (std::size_t k = 0; k < words.array().size(); ++k) text += words[k].text() + ' ';
    try {
      t.rows = rows(text);
    } catch (const std::invalid_argument& error) { words.fail(error.what()); }
  }
  if (node.has("in")) t.in = node["in"].text();
  return t;
}

/// FRAME:x,y,z or FRAME:x,y,z,qx,qy,qz,qw
PoseTarget typed_target(const std::string& text) {
  const std::string what = "--target " + printable(text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) throw UsageError(what + ": expected FRAME:x,y,z[,qx,qy,qz,qw]");
  const std::vector<double> x = read_numbers(what, std::string_view(text).substr(colon + 1));
  if (x.size() != 3 && x.size() != 7)
    throw UsageError(what + ": got " + std::to_string(x.size()) + " numbers, expected 3 or 7");
  PoseTarget t{.frame = text.substr(0, colon)};
  t.pose.p = {x[0], x[1], x[2]};
  if (x.size() == 7)
    t.pose.R = rotation_of(x.data() + 3, what);
  else
    t.rows = rows("linear");
  return t;
}

std::string errors_table(const Problem& problem, const InverseKinematicsSolution& s) {
  std::vector<std::string> frames;
  std::vector<std::string> position, turn;
  for (std::size_t k = 0; k < problem.targets.size(); ++k) {
    const double* const e = &s.errors[6 * k];
    const auto length = [&](int first) {
      bool asked = false;
      const std::vector<double>& m = problem.targets[k].rows.matrix;
      for (std::size_t i = 0; i < m.size(); ++i)
        asked = asked || (m[i] != 0 && (static_cast<int>(i) % 6 >= 3) == (first == 3));
      const double x = std::sqrt(e[first] * e[first] + e[first + 1] * e[first + 1] + e[first + 2] * e[first + 2]);
      return !asked ? std::string("-") : x == 0 ? std::string("0") : fmt::format("{:.1e}", x);
    };
    frames.push_back(problem.targets[k].frame);
    position.push_back(length(0));
    turn.push_back(length(3));
  }
  return Table().text("target", frames).right("off by [m]", position).right("turned by [rad]", turn).str();
}

}  // namespace

void read_targets(const Arguments& arguments, const Node& problem, const std::string& folder, Problem& to) {
  if (problem.has("targets")) {
    const Node list = problem["targets"];
    if (!list.is_object()) list.expected("an object from frames to poses");
    for (const std::string& frame : list.keys()) to.targets.push_back(read_target(frame, list[frame.c_str()]));
  }
  for (const std::string& text : arguments.targets) to.targets.push_back(typed_target(text));
  if (to.targets.empty())
    throw UsageError(
        "ik: no target is given; expected --target FRAME:x,y,z[,qx,qy,qz,qw], or \"targets\" in a problem");
  InverseKinematicsSettings& s = to.ik;
  if (problem.has("ik")) {
    const Node node = problem["ik"];
    node.object({"weights", "posture", "limits", "tolerance", "attempts", "max_iterations", "solutions"});
    if (node.has("weights")) s.weights = node["weights"].numbers();
    if (node.has("posture")) {
      const Eigen::VectorXd q = read_vector(to.model, VectorKind::configuration, node["posture"], folder);
      s.posture.assign(q.data(), q.data() + q.size());
    }
    if (node.has("limits")) s.limits = node["limits"].boolean();
    if (node.has("tolerance")) s.tolerance = node["tolerance"].number();
    if (node.has("attempts")) s.attempts = node["attempts"].integer();
    if (node.has("max_iterations")) s.max_iterations = node["max_iterations"].integer();
    if (node.has("solutions")) s.solutions = node["solutions"].integer();
  }
  s.fixed = to.assembly.fixed;
  if (arguments.tolerance) s.tolerance = *arguments.tolerance;
}

int run_inverse_kinematics(const Arguments& a, Diagnostics& found) {
  const Problem problem = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  InverseKinematics ik(problem.model, problem.targets, &problem.constraints, problem.ik);
  const InverseKinematicsSolution& s = ik.solve(problem.q);
  if (a.json) {
    Document errors = Document::object();
    for (std::size_t k = 0; k < problem.targets.size(); ++k)
      errors[problem.targets[k].frame] = vector_json({s.errors.data() + 6 * k, 6});
    print_json({{"status", name_of(s.status)},
                {"q", vector_json(s.q)},
                {"names", problem.model.coordinate_names()},
                {"error", number_json(s.error)},
                {"errors", errors},
                {"residual", number_json(s.residual)},
                {"gradient", number_json(s.gradient)},
                {"iterations", s.iterations},
                {"out_of_reach", s.out_of_reach},
                {"unmet", s.unmet},
                {"at_limit", s.at_limit},
                {"text", s.explain()},
                {"diagnostics", to_json(found)}});
  } else {
    print(configuration_table(problem.model, s.q) + '\n' + errors_table(problem, s) + '\n' + s.explain() + '\n');
  }
  return s.status == PoseStatus::ok ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
