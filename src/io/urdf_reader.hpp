// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: an XML tree in, a RobotDocument out. Steps live in urdf_reader.cpp (robot, attributes), urdf_link.cpp,
// urdf_joint.cpp, urdf_dialects.cpp, urdf_plus.cpp and urdf_transmission.cpp.
#pragma once
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/robot_document.hpp"
#include "io/used_names.hpp"
#include "io/xml_reader.hpp"

namespace zwang::io {

class UrdfReader final : XmlReader {
 public:
  UrdfReader(XmlDocument& document, const LoadOptions& options, detail::Findings& found);
  RobotDocument read();

 private:
  /// Which joint carries a link; of each joint the one above it, -1 where there is none, and how many there are.
  struct Tree {
    explicit Tree(const std::vector<JointDescription>& joints);
    long of(std::string_view link) const;
    std::unordered_map<std::string_view, long> carrier;
    std::vector<long> up, depth;
  };
  // urdf_reader.cpp
  bool origin(pugi::xml_node node, Transform<double>& pose, detail::Weight weight);
  bool pose_of(const Element& element, Transform<double>& pose, detail::Weight weight);
  bool quaternion(const Element& element, Mat3<double>& rotation, detail::Weight weight);
  // urdf_link.cpp
  void link(pugi::xml_node of);
  void inertial(pugi::xml_node of, LinkDescription& link);
  bool inertia(const Element& node, Sym3<double>& value);
  void shape(pugi::xml_node of, LinkDescription& link);
  bool geometry(pugi::xml_node node, Shape& shape);
  bool sizes(pugi::xml_node node, const Shape& shape, int count);
  void mesh(const Element& node, Shape& shape);
  void material(pugi::xml_node of, Shape& shape);
  void global_material(pugi::xml_node of);
  bool colour(const Element& node, double* rgba);
  void late_materials();
  // urdf_joint.cpp
  void joint(pugi::xml_node of);
  bool joint_ends(const Element& node, JointDescription& joint);
  void type_parameters(const Element& node, JointDescription& joint);
  void limit(pugi::xml_node of, JointDescription& joint);
  bool limit_number(const Element& node, const char* name, double& value);
  void dynamics(pugi::xml_node of, JointDescription& joint);
  void mimic(pugi::xml_node of, JointDescription& joint);
  void safety_and_calibration(const Element& node, JointDescription& joint);
  // urdf_dialects.cpp
  static bool is_foreign_joint(std::string_view name);
  void passed_over(pugi::xml_node node, const std::string& holder);
  void extension(pugi::xml_node node) override;
  bool loop_end(const Element& node, const char* which, std::string& link, Transform<double>& pose);
  void loop_joint(pugi::xml_node of);
  void left_open(const JointDescription& joint, const std::string& what);
  void drake_type(pugi::xml_node of, JointDescription& joint);
  void foreign_loops();
  // urdf_plus.cpp
  static bool is_of_urdf_plus(std::string_view name);
  bool plus_end(const Element& node, const char* which, std::string& link, Transform<double>& pose);
  void plus_loop(pugi::xml_node of);
  void couplings(RobotDocument& document);
  long coupling(pugi::xml_node node, const Tree& tree, const std::string (&ends)[2], double ratio,
                CouplingConstraint& rows);
  // urdf_transmission.cpp
  void transmissions();
  void transmission(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  JointDescription* driven(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  double gear(pugi::xml_node node, pugi::xml_node actuator, JointDescription& joint);
  void motor(pugi::xml_node node, pugi::xml_node actuator, const std::string& joint, const std::string& name,
             double ratio);

  struct Colour {
    double rgba[4];
  };
  struct PendingMaterial {
    std::size_t link, shape;
    pugi::xml_node node;
  };

  pugi::xml_node root_;
  RobotDescription robot_;
  std::unordered_map<std::string, Colour> materials_;
  std::unordered_set<std::string> textures_;  // materials that have a texture and no colour
  std::vector<PendingMaterial> pending_;
  UsedNames motors_;                  // names
  std::vector<std::size_t> foreign_;  // joints that were written as <drake:joint>
};

}  // namespace zwang::io
