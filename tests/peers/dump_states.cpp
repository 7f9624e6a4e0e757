// SPDX-License-Identifier: BSD-3-Clause
// Prints what zwang computes for a robot in a few random states, as one JSON document: what pinocchio_test.py compares.
//
//   dump_states robot.urdf fixed|floating expanded|reduced states
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "support/random.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/io/urdf.hpp"

namespace {

using nlohmann::json;
using namespace zwang;

json numbers(const Eigen::Ref<const Eigen::VectorXd>& x) { return std::vector<double>(x.data(), x.data() + x.size()); }
json matrix(const Eigen::MatrixXd& m) {
  json rows = json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) rows.push_back(numbers(m.row(i).transpose()));
  return rows;
}
json numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

json description(const Model& model) {
  json joints = json::array();
  for (const Joint& j : model.joints()) {
    if (j.v.size == 0) continue;
    joints.push_back({{"name", j.name},
                      {"q", {j.q.first, j.q.size}},
                      {"v", {j.v.first, j.v.size}},
                      {"follows", j.mimic.leader},
                      {"multiplier", j.mimic.multiplier},
                      {"offset", j.mimic.offset}});
  }
  double moving = 0;
  for (const Link& l : model.links())
    if (l.body.value > 0) moving += l.mass;
  return {{"name", model.name()}, {"nq", model.nq()},      {"nv", model.nv()},
          {"mass", model.mass()}, {"moving_mass", moving}, {"armature", model.armature()},
          {"joints", joints}};
}

json state(const Model& model, std::uint64_t seed) {
  JointEffects effects;  // what Pinocchio reads of a URDF: rotors only
  effects.damping = effects.springs = effects.friction = false;
  const test::RandomState s = test::random_state(model, seed);
  Data data(model);
  json out = {{"q", numbers(s.q)}, {"v", numbers(s.v)}, {"a", numbers(s.a)}, {"tau", numbers(s.tau)}};
  out["rnea"] = numbers(inverse_dynamics(model, data, s.q, s.v, s.a, {}, effects));
  out["aba"] = numbers(forward_dynamics(model, data, s.q, s.v, s.tau, {}, effects));
  Eigen::MatrixXd M(model.nv(), model.nv());
  mass_matrix(model, data, s.q, M, effects);
  out["crba"] = matrix(M);
  out["gravity"] = numbers(gravity_forces(model, data, s.q));
  out["com"] = numbers(centre_of_mass(model, data, s.q));
  forward_kinematics(model, data, s.q, s.v, s.a);
  out["com_velocity"] = numbers(centre_of_mass_velocity(model, data));
  const std::size_t links = model.links().size(), step = links / 5 + 1;
  const std::pair<Reference, const char*> references[] = {{Reference::local, "LOCAL"},
                                                          {Reference::world, "WORLD"},
                                                          {Reference::local_world_aligned, "LOCAL_WORLD_ALIGNED"}};
  Eigen::MatrixXd J(6, model.nv());
  for (std::size_t i = links - 1; i < links; i -= step) {  // the last link and every fifth part of the others
    const Link& link = model.links()[i];
    json frame = {{"link", link.name}};
    const Transform<double> X = frame_pose(model, data, link.frame);
    frame["position"] = numbers(X.p);
    for (const auto& [reference, name] : references) {
      forward_kinematics(model, data, s.q, s.v, s.a);
      jacobian(model, data, link.frame, reference, J);
      frame["jacobian"][name] = matrix(J);
      jacobian_dot(model, data, s.q, s.v, link.frame, reference, J);
      frame["jacobian_dot"][name] = matrix(J);
    }
    out["frames"].push_back(frame);
  }
  return out;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 5) {
    std::fputs("usage: dump_states robot.urdf fixed|floating expanded|reduced states\n", stderr);
    return 1;
  }
  LoadOptions options;
  options.root = arguments[2];
  options.expand_mimic = std::string(arguments[3]) == "expanded";
  options.resolve_meshes = false;
  const Model model = load(arguments[1], options);
  json document = description(model);
  for (int k = 1; k <= std::atoi(arguments[4]); ++k)
    document["states"].push_back(state(model, static_cast<std::uint64_t>(k)));
  std::puts(document.dump().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
