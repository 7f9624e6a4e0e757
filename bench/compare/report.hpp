// SPDX-License-Identifier: BSD-3-Clause
// What is printed: a table for people, one JSON document for programs.
#pragma once
#include <nlohmann/json.hpp>

#include "compare.hpp"

namespace zwang::bench {

using Json = nlohmann::ordered_json;

struct Header {
  std::string command;
  int states, batch, rounds;
  bool cpu_time;
  std::optional<int> cpu;  ///< the core that was asked for; nothing: not pinned
  bool peers_asked = false;
};

void print_header(const Header& header, const std::vector<Plugin>& plugins);
Json json_header(const Header& header, const std::vector<Plugin>& plugins);

struct RobotLine {
  std::string label;
  Index nv, bodies, rows;
  Bytes bytes;
};
RobotLine robot_line(const Problem& problem);
void print_robot(const RobotLine& robot);
Json to_json(const RobotLine& robot);

void print_rows(const std::vector<Row>& rows);
Json to_json(const Row& row);

}  // namespace zwang::bench
