// SPDX-License-Identifier: BSD-3-Clause
// Prints what zwang makes of MJCF files at three random states, a JSON document a line: what mujoco_files.py compares.
//
//   dump_mjcf FILE...
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "zwang/algorithm/values.hpp"
#include "zwang/io/robot.hpp"

namespace {

using nlohmann::json;
using namespace zwang;

json numbers(const Eigen::Ref<const Eigen::VectorXd>& x) { return std::vector<double>(x.data(), x.data() + x.size()); }

json pose(const Transform<double>& X) {
  json out = json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) out.push_back(j < 3 ? X.R(i, j) : X.p[i]);
  return out;
}

json state(const Model& model, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::VectorXd q(model.nq()), v(model.nv());
  for (double& x : q) x = uniform(random);
  for (double& x : v) x = uniform(random);
  for (const Joint& j : model.joints())
    if (j.q.size > j.v.size) q.segment(j.q.first + j.q.size - 4, 4).normalize();
  Data data(model);
  JointEffects bare;
  bare.damping = bare.springs = bare.gravity_scale = false;
  const Eigen::MatrixXd M = mass_matrix(model, data, q);
  const Eigen::VectorXd h = bias_forces(model, data, q, v, {}, bare);
  json poses = json::array();
  for (const LinkDescription& l : model.description().links)
    poses.push_back(pose(frame_pose(model, data, q, "link:" + l.name)));
  return {{"q", numbers(q)}, {"v", numbers(v)}, {"M", numbers(M.reshaped())}, {"bias", numbers(h)}, {"poses", poses}};
}

json file(const std::string& path) {
  json out = {{"file", path}};
  try {
    const Robot robot = load_robot(path);
    double mass = 0;
    for (const LinkDescription& l : robot.model.description().links) mass += l.mass;
    out["mass"] = mass;
    for (const JointDescription& j : robot.model.description().joints)
      if (j.type != "fixed") out["joints"].push_back(j.type);
    std::mt19937 random(7);
    for (int k = 0; k < 3; ++k) out["states"].push_back(state(robot.model, random));
  } catch (const ModelError& error) { out["refused"] = error.code(); }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int k = 1; k < count; ++k) std::printf("%s\n", file(arguments[k]).dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
