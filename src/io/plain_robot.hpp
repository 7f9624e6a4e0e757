// SPDX-License-Identifier: BSD-3-Clause
// What the writers of URDF and SDF make of a robot before they write it: joints that options add, frames on links,
// constraints in the forms of files, and which joints have motors.
#pragma once
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/used_names.hpp"
#include "io/xml_writer.hpp"
#include "zwang/constraint/types/coupling.hpp"

namespace zwang::io {

/// A loop between two links, as a joint.
struct PlainLoop {
  JointDescription joint = {};
  bool of_model = true;  ///< false: one of the robot's constraints
  /// What losses say that it is.
  const char* element() const { return of_model ? "joint" : "constraint"; }
};

struct PlainRobot {
  RobotDescription robot;                    ///< without joints that close loops and without their frames
  std::vector<JointDescription> roots = {};  ///< that BuildOptions::root adds; their parent is empty
  std::vector<PlainLoop> loops = {};
  std::vector<CouplingConstraint> couplings = {};  ///< linear, active; of joints by their names
  std::unordered_map<std::string, std::size_t> link = {};
  std::unordered_map<std::string, std::size_t> carrier = {};  ///< by the child, in robot.joints
  const JointDescription* carrier_of(const std::string& name) const;
};

/// Throws UnsupportedError for user-defined joints.
PlainRobot plain_robot(const Robot& robot, const WriteOptions& options, Losses& losses);

/// The name, or one like it that builders take: without quotation marks and invisible characters, and not empty.
std::string plain_name(const std::string& name);

/// Options of the model that reading a file of it does not repeat.
void lose_options(const Model& model, Losses& losses);

/// The joints of the model's own constraints that have the form of loops and couplings; the others are losses.
void add_constraints(const Robot& robot, PlainRobot& plain, Losses& losses);

/// Replaces a joint of several parts by its parts, with links without mass between them. `type_of`: what joints were
/// before somebody turned them into parts.
void split_composites(PlainRobot& plain, bool keep_universal,
                      const std::unordered_map<std::string, std::string>& type_of, Losses& losses);

/// Finite numbers, one for each coordinate of the model; velocities may be left out.
bool fits(const Model& model, const Configuration& configuration);
/// All named configurations but `file`; that one, where the robot is drawn otherwise than with its joints at 0 and
/// `placed` has not said where they stand.
void lose_configurations(const Robot& robot, const std::unordered_set<std::string>& placed, Losses& losses);

/// What stands for all coordinates in a format that has one number for them.
struct OneNumber {
  bool given = false, same = true;
  double value = 0;
};
OneNumber one_number(const std::vector<double>& numbers);

/// Numbers in q and v of a type of joint, or of one part of a joint.
struct Counts {
  std::size_t q = 0, v = 0;
};
Counts numbers_of(const std::string& type);
/// A joint of two revolute parts whose axes meet: their origins but the first are identities or turns.
bool is_universal(const JointDescription& joint);

bool is_massless(const LinkDescription& link);
/// Nothing but a name: no mass, no inertia, no shape.
bool is_bare(const LinkDescription& link);
/// Roll, pitch, yaw that readers turn into R again, the shortest numbers of those that give the same bits.
Vec3<double> written_rpy(const Mat3<double>& R);
/// The number near `x` that `read` turns into `wanted`; x where none of its neighbours is it.
template <class Read> double read_back(double x, double wanted, Read read) {
  double below = x, above = x;
  for (int step = 0; step < 4; ++step) {
    if (read(below) == wanted) return below;
    if (read(above) == wanted) return above;
    below = std::nextafter(below, -HUGE_VAL), above = std::nextafter(above, HUGE_VAL);
  }
  return x;
}
/// A line for limits, dynamics and other numbers of a fixed joint, which URDF alone keeps.
void lose_numbers_of_fixed(const JointDescription& joint, Losses& losses);
/// As the model takes it: what the description says, else the default.
bool has_motor(const JointDescription& joint);
/// Of a joint of which nothing is said: of one that floats or follows another one there is none.
bool has_motor_by_default(const JointDescription& joint);
/// The data of contact of a shape of which nothing is said.
bool is_plain(const ContactData& contact);

}  // namespace zwang::io
