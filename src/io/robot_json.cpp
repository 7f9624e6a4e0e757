// SPDX-License-Identifier: BSD-3-Clause
// zwang.robot: a model, its constraints and its configurations in one document.
#include <algorithm>
#include <set>

#include "io/document.hpp"
#include "io/document_head.hpp"
#include "io/document_trees.hpp"
#include "io/same_bits.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang {
namespace {

using io::Json;

Json document(const Robot& robot, UserJointsAs user, CustomAs custom) {
  Json out = {{"format", "zwang.robot"},
              {"version", k_robot_version},
              {"model", io::tree_of(robot.model, user)},
              {"constraints", io::tree_of(robot.constraints, custom)}};
  Json list = Json::array();
  for (const Configuration& c : robot.configurations)
    list.push_back(
        {{"name", c.name}, {"q", io::numbers(c.q.data(), c.q.size())}, {"v", io::numbers(c.v.data(), c.v.size())}});
  out["configurations"] = std::move(list);
  return out;
}

Configuration configuration(const Model& model, const JsonNode& node) {
  node.object({"name", "q", "v"});
  Configuration c{.name = node["name"].text(),
                  .q = node["q"].numbers(static_cast<std::size_t>(model.nq())),
                  .v = node["v"].numbers(static_cast<std::size_t>(model.nv()))};
  try {
    check_configuration(model, c.q.data(), model.nq(), "robot_from_json");
  } catch (const std::invalid_argument& error) { node["q"].fail(error.what()); }
  return c;
}

}  // namespace

Robot io::robot_of(const JsonDocument& document, const NamedUserJoints& user, const NamedCustomRows& custom,
                   Diagnostics* found) {
  const JsonNode root = document.root();
  io::check_head(root, "zwang.robot", k_robot_version, true);
  root.object({"format", "version", "model", "constraints", "configurations"});
  const Model model = io::model_of(root["model"], user, found);
  Robot robot{model, ConstraintSet(model), {}};
  if (root.has("constraints")) robot.constraints = io::constraints_of(model, root["constraints"], custom);
  std::set<std::string> names;
  if (root.has("configurations")) {
    const JsonNode list = root["configurations"];
    for (std::size_t k = 0; k < list.array().size(); ++k) {
      robot.configurations.push_back(configuration(model, list[k]));
      if (!names.insert(robot.configurations.back().name).second)
        list[k]["name"].fail("'" + printable(robot.configurations.back().name) + "' is there already");
    }
  }
  if (names.contains("file")) return robot;
  Configuration file{.name = "file", .v = std::vector<double>(static_cast<std::size_t>(model.nv()))};
  file.q.resize(static_cast<std::size_t>(model.nq()));
  neutral(model, Eigen::Map<Eigen::VectorXd>(file.q.data(), model.nq()));
  robot.configurations.insert(robot.configurations.begin(), std::move(file));
  return robot;
}

std::string to_json(const Robot& robot, UserJointsAs user, CustomAs custom) {
  return io::json_text(document(robot, user, custom));
}
std::vector<std::uint8_t> to_cbor(const Robot& robot, UserJointsAs user, CustomAs custom) {
  return io::cbor_bytes(document(robot, user, custom));
}

Robot robot_from_json(const std::string& text, const NamedUserJoints& user, const NamedCustomRows& custom,
                      Diagnostics* found) {
  return io::robot_of(JsonDocument::parse(text, "JSON", k_model_bytes), user, custom, found);
}
Robot robot_from_cbor(std::span<const std::uint8_t> bytes, const NamedUserJoints& user, const NamedCustomRows& custom,
                      Diagnostics* found) {
  return io::robot_of(JsonDocument::parse_cbor(bytes, "CBOR", k_model_bytes), user, custom, found);
}

bool operator==(const Robot& a, const Robot& b) {
  const auto same = [](const Configuration& x, const Configuration& y) {
    return x.name == y.name && std::equal(x.q.begin(), x.q.end(), y.q.begin(), y.q.end(), io::same_bits<double>) &&
           std::equal(x.v.begin(), x.v.end(), y.v.begin(), y.v.end(), io::same_bits<double>);
  };
  return same_robot(a.model, b.model) && same_constraints(a.constraints, b.constraints) &&
         std::equal(a.configurations.begin(), a.configurations.end(), b.configurations.begin(), b.configurations.end(),
                    same);
}

}  // namespace zwang
