// SPDX-License-Identifier: BSD-3-Clause
// Prints the derivatives that zwang computes for a robot in a few random states, as one JSON document:
// what pinocchio_derivatives.py compares.
//
//   dump_derivatives robot.urdf fixed|floating states
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "support/random.hpp"
#include "zwang/algorithm/kinematics_derivatives.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/algorithm/values.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/question/derivatives.hpp"

namespace {

using nlohmann::json;
using namespace zwang;
using Matrix = Eigen::MatrixXd;

json numbers(const Eigen::Ref<const Eigen::VectorXd>& x) { return std::vector<double>(x.data(), x.data() + x.size()); }
json matrix(const Eigen::Ref<const Matrix>& m) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) rows.push_back(numbers(Matrix(m).row(i).transpose()));
  return rows;
}

/// The link behind the last joint that moves by itself, whose frame is that of the joint, and the one in the middle.
std::vector<const Joint*> ends(const Model& model) {
  std::vector<const Joint*> moving;
  for (const Joint& j : model.joints())
    if (j.v.size > 0) moving.push_back(&j);
  if (moving.empty()) return {};
  return {moving.back(), moving[moving.size() / 2]};
}
const std::string& link_of(const Model& model, const Joint& j) {
  return model.links()[static_cast<std::size_t>(j.child.value)].name;
}
json description(const Model& model) {
  json joints = json::array();
  for (const Joint& j : model.joints())
    if (j.v.size > 0) joints.push_back({{"name", j.name}, {"q", {j.q.first, j.q.size}}, {"v", {j.v.first, j.v.size}}});
  return {{"nv", model.nv()}, {"armature", model.armature()}, {"joints", joints}};
}

/// Six rows of the last link, or three of it and three of another, at zero acceleration in the link's axes.
json held(const Model& model, const test::RandomState& s, const JointEffects& effects, bool points) {
  ConstraintSet set(model);
  const std::vector<const Joint*> at = ends(model);
  for (std::size_t k = 0; k < (points ? at.size() : 1); ++k) {
    if (k > 0 && at[k] == at[0]) continue;
    FrameConstraint c{
        .name = "c" + std::to_string(k), .frame = link_of(model, *at[k]), .rows = rows(points ? "linear" : "all")};
    c.in = "local";
    c.acceleration = points ? AccelerationKind::classical : AccelerationKind::spatial;
    set.add(c);
  }
  Solver solver(model, set, {.joint_effects = effects});
  const Solution& solution = solver.solve({.q = s.q, .v = s.v, .tau = s.tau});
  const SolutionDerivatives& d = solver.derivatives();
  json out = {{"status", name_of(d.status)}, {"full", solution.report.rank == solution.report.rows}};
  for (const Constraint& c : set.constraints()) out["links"].push_back(link_of(model, *at[c.name == "c0" ? 0 : 1]));
  if (d.status != Status::ok) return out;
  const auto put = [](const SolutionJacobian& x) {
    return json{{"q", matrix(x.q)}, {"v", matrix(x.v)}, {"tau", matrix(x.tau)}};
  };
  out["acceleration"] = put(d.acceleration);
  out["multipliers"] = put(d.multipliers);
  return out;
}

json state(const Model& model, std::uint64_t seed) {
  const JointEffects effects{.damping = false, .springs = false};  // what Pinocchio reads of a URDF: rotors only
  const test::RandomState s = test::random_state(model, seed);
  Data data(model);
  const std::string end = link_of(model, *ends(model).front());
  const Externals push{external_wrench(model, end, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::local)};
  json out = {{"q", numbers(s.q)}, {"v", numbers(s.v)}, {"a", numbers(s.a)}, {"tau", numbers(s.tau)}, {"end", end}};
  const auto id = inverse_dynamics_derivatives(model, data, s.q, s.v, s.a, push, effects);
  out["rnea"] = {{"q", matrix(id.q)}, {"v", matrix(id.v)}, {"a", matrix(id.a)}};
  const auto fd = forward_dynamics_derivatives(model, data, s.q, s.v, s.tau, push, effects);
  out["aba"] = {{"q", matrix(fd.q)}, {"v", matrix(fd.v)}, {"tau", matrix(fd.tau)}};
  Matrix by_q(model.nv(), model.nv());
  gravity_forces_derivatives(model, data, s.q, by_q);
  out["gravity"] = {{"q", matrix(by_q)}};
  static_torque_derivatives(model, data, s.q, by_q, push, effects);
  out["static"] = {{"q", matrix(by_q)}};
  const std::pair<Reference, const char*> references[] = {{Reference::local, "LOCAL"},
                                                          {Reference::world, "WORLD"},
                                                          {Reference::local_world_aligned, "LOCAL_WORLD_ALIGNED"}};
  for (const auto& [in, name] : references) {
    const auto v = frame_velocity_derivatives(model, data, s.q, s.v, end, in);
    out["velocity"][name] = {{"q", matrix(v.q)}, {"v", matrix(v.v)}};
    const auto a = frame_acceleration_derivatives(model, data, s.q, s.v, s.a, end, AccelerationKind::spatial, in);
    out["acceleration"][name] = {{"q", matrix(a.q)}, {"v", matrix(a.v)}, {"a", matrix(a.a)}};
  }
  out["centre"] = {{"q", matrix(centre_of_mass_velocity_derivatives(model, data, s.q, s.v).q)}};
  const auto h = centroidal_derivatives(model, data, s.q, s.v, s.a);
  out["momentum"] = {{"q", matrix(h.momentum.q)}};
  out["momentum rate"] = {{"q", matrix(h.rate.q)}, {"v", matrix(h.rate.v)}, {"a", matrix(h.rate.a)}};
  out["held frame"] = held(model, s, effects, false);
  out["held points"] = held(model, s, effects, true);
  return out;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) {
    std::fputs("usage: dump_derivatives robot.urdf fixed|floating states\n", stderr);
    return 1;
  }
  LoadOptions options;
  options.root = arguments[2];
  options.expand_mimic = true;
  options.resolve_meshes = false;
  const Model model = load(arguments[1], options);
  json document = description(model);
  document["states"] = json::array();
  for (int k = 1; model.nv() > 0 && k <= std::atoi(arguments[3]); ++k)
    document["states"].push_back(state(model, static_cast<std::uint64_t>(k)));
  std::puts(document.dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
