// SPDX-License-Identifier: BSD-3-Clause
// UrdfReader: an XML tree in, a RobotDescription out. Steps live in urdf_reader.cpp (robot, attributes), urdf_link.cpp,
// urdf_joint.cpp, urdf_dialects.cpp and urdf_transmission.cpp.
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
#include "io/xml_scan.hpp"

namespace zwang::io {

/// What an element may hold. A name with a star may come several times;
/// `silent` names are extensions of others, passed over.
struct ElementRule {
  std::initializer_list<std::string_view> children, silent, attributes;
};

/// An element as `look` saw it, in one pass: the first child of each name and the values of the attributes that its
/// rule lists, in the order of the rule.
struct Element {
  static constexpr std::size_t k_most = 12;  // names in a list of a rule

  pugi::xml_node node;
  const ElementRule* rule;
  pugi::xml_node_struct* children[k_most] = {};
  const char* values[k_most] = {};

  operator pugi::xml_node() const { return node; }
  /// Empty where there is none.
  pugi::xml_node child(std::string_view name) const;
  /// nullptr where there is no such attribute.
  const char* value(std::string_view name) const;
  std::string_view text(std::string_view name) const {
    const char* given = value(name);
    return given ? given : std::string_view();
  }
  bool has(std::string_view name) const { return value(name) != nullptr; }
};

/// `robot/joint[elbow]/mimic` of an element.
std::string path_of(pugi::xml_node node);

class UrdfReader {
 public:
  UrdfReader(pugi::xml_node root, const LineIndex& lines, const std::string& file, const std::string& folder_of,
             const LoadOptions& options, detail::Findings& found);
  RobotDescription read(const ScanResult& seen);

 private:
  // urdf_reader.cpp
  /// `rule` must live as long as the element that is returned.
  Element look(pugi::xml_node node, const ElementRule& rule);
  void unknown_child(pugi::xml_node child, const ElementRule& rule);
  void look_at_attributes(Element& element);
  Diagnostic at(pugi::xml_node node, const char* code) const;
  SourcePlace place_of(pugi::xml_node node) const;
  bool number_in(pugi::xml_node node, std::string_view token, const std::string& what, detail::Weight weight,
                 double& value);
  /// `text` of attribute `name`, nullptr where it is absent.
  bool vector(pugi::xml_node node, const char* name, const char* text, int count, double* out, detail::Weight weight);
  bool vector(const Element& element, const char* name, int count, double* out, detail::Weight weight) {
    return vector(element.node, name, element.value(name), count, out, weight);
  }
  bool number(const Element& element, const char* name, double& value, detail::Weight weight) {
    return vector(element, name, 1, &value, weight);
  }
  bool origin(pugi::xml_node node, Transform<double>& pose, detail::Weight weight);
  bool pose_of(const Element& element, Transform<double>& pose, detail::Weight weight);
  bool quaternion(const Element& element, Mat3<double>& rotation, detail::Weight weight);
  std::string name_of(const Element& element);
  // urdf_link.cpp
  void link(pugi::xml_node of);
  void inertial(pugi::xml_node of, LinkDescription& link);
  bool inertia(const Element& node, Sym3<double>& value);
  void shape(pugi::xml_node of, LinkDescription& link);
  bool geometry(pugi::xml_node node, Shape& shape);
  bool sizes(pugi::xml_node node, const Shape& shape, int count);
  void mesh(const Element& node, Shape& shape);
  void absent_meshes();
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
  void extension(pugi::xml_node node);
  bool loop_end(const Element& node, const char* which, std::string& link, Transform<double>& pose);
  void loop_joint(pugi::xml_node of);
  void left_open(const JointDescription& joint, const std::string& what);
  void drake_type(pugi::xml_node of, JointDescription& joint);
  void foreign_loops();
  // urdf_transmission.cpp
  void transmissions();
  void transmission(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  JointDescription* driven(pugi::xml_node node, const std::unordered_map<std::string_view, std::size_t>& index);
  void gear(pugi::xml_node node, pugi::xml_node actuator, JointDescription& joint);

  struct Colour {
    double rgba[4];
  };
  struct Absent {
    Diagnostic first;
    long more;  ///< meshes that are absent for the same reason
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
  std::vector<Absent> absent_;
  std::vector<std::size_t> foreign_;                     // joints that were written as <drake:joint>
  std::unordered_map<std::string, std::string> meshes_;  // URI to resolved path; a URI is reported once
};

}  // namespace zwang::io
