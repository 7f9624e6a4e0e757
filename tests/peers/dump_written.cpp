// SPDX-License-Identifier: BSD-3-Clause
// Writes robots as MJCF and prints what zwang computes of them at three random states, a JSON document a line: what
// mujoco_written.py compares.
//
//   dump_written FOLDER [floating:]FILE...      the texts go to FOLDER/0.xml, FOLDER/1.xml, ...
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "zwang/algorithm/values.hpp"
#include "zwang/io/write.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/question/assembly.hpp"
#include "zwang/question/constraint_evaluator.hpp"

namespace {

using nlohmann::json;
using namespace zwang;

std::vector<double> numbers(const Eigen::Ref<const Eigen::VectorXd>& x) { return {x.data(), x.data() + x.size()}; }

json pose(const Transform<double>& X) {
  json out = json::array();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) out.push_back(j < 3 ? X.R(i, j) : X.p[i]);
  return out;
}

/// A random state; where loops are closed one that is not far from the file's and closes them.
Eigen::VectorXd some_q(const Robot& robot, const Eigen::VectorXd& d) {
  const Model& model = robot.model;
  Eigen::VectorXd start(model.nq()), q(model.nq());
  neutral(model, start);
  for (const Configuration& c : robot.configurations)
    if (c.name == "file" && robot.constraints.rows() > 0)
      start = Eigen::Map<const Eigen::VectorXd>(c.q.data(), model.nq());
  integrate(model, start, robot.constraints.rows() > 0 ? Eigen::VectorXd(d * 0.1) : d, q);
  return robot.constraints.rows() > 0 ? assemble(model, robot.constraints, q).q : q;
}

/// M, bias, poses and rows; what MuJoCo calls q and v stands in keyframes: at k nv + i that of v = e_i.
json state(Robot& robot, int k, std::mt19937& random) {
  const Model& model = robot.model;
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::VectorXd d(model.nv()), v(model.nv());
  for (double& x : d) x = uniform(random);
  for (double& x : v) x = uniform(random);
  const Eigen::VectorXd q = some_q(robot, d);
  for (Index i = 0; i < model.nv(); ++i)
    robot.configurations.push_back({"state " + std::to_string(k) + ' ' + std::to_string(i), numbers(q),
                                    numbers(Eigen::VectorXd::Unit(model.nv(), i))});
  Data data(model);
  JointEffects bare;
  bare.damping = bare.springs = bare.gravity_scale = false;
  const Eigen::MatrixXd M = mass_matrix(model, data, q);
  const Eigen::VectorXd h = bias_forces(model, data, q, v, {}, bare);
  ConstraintEvaluator evaluator(model, robot.constraints);
  evaluator.evaluate(q, v);
  Eigen::MatrixXd J(evaluator.rows(), model.nv());
  evaluator.jacobian(J);
  json poses = json::object();
  for (const Link& l : model.links()) poses[l.name] = pose(frame_pose(model, data, q, "link:" + l.name));
  return {{"v", numbers(v)},
          {"M", numbers(M.reshaped())},
          {"bias", numbers(h)},
          {"poses", poses},
          {"rows", numbers(J.transpose().reshaped())}};
}

json file(std::string path, const std::string& text) {
  json out = {{"file", path}, {"text", text}};
  try {
    LoadOptions options;
    options.resolve_meshes = false;
    options.loops = ClosedLoops::constraints;
    if (path.rfind("floating:", 0) == 0) {
      options.root = "floating";
      path = path.substr(9);
    }
    Robot robot = load_robot(path, options);
    std::mt19937 random(7);
    for (int k = 0; k < 3; ++k) out["states"].push_back(state(robot, k, random));
    const auto is_state = [](const Configuration& c) { return c.name.rfind("state ", 0) == 0; };
    std::erase_if(robot.configurations, [&](const Configuration& c) { return !is_state(c); });
    WriteOptions write;
    for (const Loss& l : write_mjcf(robot).losses) write.balance = write.balance || l.code == "L_INERTIA";
    const WrittenRobot written = write_mjcf(robot, write);
    std::ofstream(text, std::ios::binary) << written.text;
    out["mass"] = robot.model.mass();
    for (const Loss& l : written.losses) out["losses"].push_back(l.code);
  } catch (const ModelError& error) { out["refused"] = error.code(); }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int k = 2; k < count; ++k)
      std::printf("%s\n",
                  file(arguments[k], std::string(arguments[1]) + '/' + std::to_string(k - 2) + ".xml").dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
