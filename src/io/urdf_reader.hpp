// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: an XML tree in, a RobotDescription out. Steps live in urdf_reader.cpp (robot, attributes), urdf_link.cpp,
// urdf_joint.cpp and urdf_transmission.cpp.
#pragma once
#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/source.hpp"
#include "io/uri.hpp"

namespace zwang::io {

/// What an element may hold. A name with a star may come several times; `silent` names are extensions of others,
/// passed over.
struct ElementRule {
  std::initializer_list<std::string_view> children, silent, attributes;
};

/// `robot/joint[elbow]/mimic` of an element.
std::string path_of(pugi::xml_node node);

class UrdfReader {
 public:
  UrdfReader(pugi::xml_node root, const LineIndex& lines, const std::string& file, const std::string& folder_of,
             const LoadOptions& options, detail::Findings& found);
  RobotDescription read();

 private:
  // urdf_reader.cpp
  void look(pugi::xml_node node, const ElementRule& rule);
  void unknown_child(pugi::xml_node child, const ElementRule& rule);
  void look_at_attributes(pugi::xml_node node, const ElementRule& rule);
  Diagnostic at(pugi::xml_node node, const char* code) const;
  SourcePlace place_of(pugi::xml_node node) const;
  bool number_in(pugi::xml_node node, std::string_view token, const std::string& what, detail::Weight weight,
                 double& value);
  bool vector(pugi::xml_node node, const char* name, int count, double* out, detail::Weight weight);
  bool number(pugi::xml_node node, const char* name, double& value, detail::Weight weight);
  bool has(pugi::xml_node node, const char* name) const { return !node.attribute(name).empty(); }
  bool origin(pugi::xml_node parent, Transform<double>& pose, detail::Weight weight);
  bool quaternion(pugi::xml_node node, Mat3<double>& rotation, detail::Weight weight);
  std::string name_of(pugi::xml_node node);
  // urdf_link.cpp
  void link(pugi::xml_node node);
  void inertial(pugi::xml_node node, LinkDescription& link);
  bool inertia(pugi::xml_node node, Sym3<double>& value);
  void shape(pugi::xml_node node, LinkDescription& link);
  bool geometry(pugi::xml_node node, Shape& shape);
  bool sizes(pugi::xml_node node, const Shape& shape, int count);
  void mesh(pugi::xml_node node, Shape& shape);
  void material(pugi::xml_node node, Shape& shape);
  void global_material(pugi::xml_node node);
  bool colour(pugi::xml_node node, double* rgba);
  void late_materials();
  // urdf_joint.cpp
  void joint(pugi::xml_node node);
  bool joint_ends(pugi::xml_node node, JointDescription& joint);
  void type_parameters(pugi::xml_node node, JointDescription& joint);
  void limit(pugi::xml_node node, JointDescription& joint);
  bool limit_number(pugi::xml_node node, const char* name, double& value);
  void dynamics(pugi::xml_node node, JointDescription& joint);
  void mimic(pugi::xml_node node, JointDescription& joint);
  void safety_and_calibration(pugi::xml_node node, JointDescription& joint);
  // urdf_transmission.cpp
  void transmissions();
  void transmission(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  JointDescription* driven(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  void gear(pugi::xml_node node, pugi::xml_node actuator, JointDescription& joint);

  struct Colour {
    double rgba[4];
  };
  struct PendingMaterial {
    std::size_t link, shape;
    pugi::xml_node node;
  };

  pugi::xml_node root_;
  const LineIndex& lines_;
  const std::string& file_;
  const LoadOptions& options_;
  detail::Findings& found_;
  UriResolver uris_;
  RobotDescription robot_;
  std::unordered_map<std::string, Colour> materials_;
  std::unordered_set<std::string> textures_;  // materials that have a texture and no colour
  std::vector<PendingMaterial> pending_;
  std::unordered_map<std::string, std::string> meshes_;  // URI to resolved path; a URI is reported once
};

}  // namespace zwang::io
