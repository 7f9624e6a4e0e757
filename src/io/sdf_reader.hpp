// SPDX-License-Identifier: BSD-3-Clause
// SdfReader: SDFormat 1.2 to 1.12 (sdformat.org/spec) in, a RobotDocument out. Steps live in sdf_reader.cpp (worlds,
// models, includes, names), sdf_frames.cpp (which frame a name means, poses), sdf_link.cpp, sdf_inertia.cpp,
// sdf_joint.cpp and sdf_robot.cpp (the tree, loops, gears).
//
// Names of a model or world are one name space, its scope. Poses are given in frames that are found by name, so they
// are resolved when all has been read.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/robot_document.hpp"
#include "io/solids.hpp"
#include "io/used_names.hpp"
#include "io/xml_reader.hpp"

namespace zwang::io {

inline constexpr const char* k_sdf_self_collide =
    "it is left out: contact data say which shapes may touch, not which links of a model";

class SdfReader final : XmlReader {
 public:
  SdfReader(XmlDocument& document, const LoadOptions& options, detail::Findings& found)
      : XmlReader(document, options, found) {}
  RobotDocument read();

 private:
  enum class Kind { link, joint, frame, model };
  static constexpr int k_world = -1, k_unknown = -2;  // in place of a link

  /// What has a name in a scope.
  struct Named {
    Kind kind;
    std::string name;
    pugi::xml_node node;
    int scope;
    int index = -1;                                          ///< of the link, joint or scope
    Transform<double> raw = Transform<double>::identity();   ///< as written
    std::string relative_to = {}, attached_to = {};          ///< attached_to: of a joint its child
    Transform<double> pose = Transform<double>::identity();  ///< in the scope, when resolved
    char pose_state = 0, body_state = 0;                     ///< 1 on the walk, 2 resolved
    int body = k_unknown;                                    ///< the link that it is fixed to
  };
  /// A world or a model.
  struct Scope {
    pugi::xml_node node;
    int parent = -1, entity = -1;  ///< -1: the world, or above the top model
    int minor = 0;                 ///< version of its text: 9 of 1.9
    bool world = false, fixed = false;
    std::string prefix = {};  ///< of names in zwang
    std::string placement = {}, canonical = {};
    std::unordered_map<std::string, int> names = {};
    int first_link = -1, first_model = -1;                       ///< entities
    int links = 0, models = 0;                                   ///< counts
    Transform<double> in_world = Transform<double>::identity();  ///< when resolved
    int depth = 0;
  };
  struct Axis {
    pugi::xml_node node;
    Vec3<double> xyz{0, 0, 1};
    std::string expressed_in = {};
    double lower = -unlimited, upper = unlimited, effort = unlimited, velocity = unlimited;
    double damping = 0, friction = 0, stiffness = 0, reference = 0;
    std::string leader = {};
    double multiplier = 1, offset = 0;
  };
  struct JointText {
    int entity = -1;
    std::string type = {}, parent = {}, child = {};
    std::vector<Axis> axes = {};
    double pitch = 0, ratio = 1;  ///< helical [m/rad]; gearbox
    std::string reference_body = {};
  };
  /// What an include says of the model that it includes.
  struct Override {
    pugi::xml_node include = {};
    int minor = 0;
    std::string name = {}, placement = {};
    std::optional<bool> fixed = {};
  };
  /// A joint when its frames have been resolved: poses in its scope.
  struct Placed {
    int parent = k_world, child = k_world;  ///< links
    Transform<double> origin = Transform<double>::identity(), child_origin = Transform<double>::identity();
    std::vector<Vec3<double>> axes = {};  ///< in the joint frame
  };

  template <class T> static std::size_t at_index(T i) { return static_cast<std::size_t>(i); }
  // sdf_reader.cpp
  bool version_of(pugi::xml_node sdf, int& minor);
  bool top();
  void world(pugi::xml_node node, int minor);
  int model(pugi::xml_node node, int scope, int minor, const Override& from);
  void children(pugi::xml_node node, int scope);
  void include(pugi::xml_node node, int scope, int minor);
  pugi::xml_node included(pugi::xml_node include, int& minor);
  int add_named(Kind kind, pugi::xml_node node, int scope, const std::string& given_name);
  bool plain_name(pugi::xml_node node, const std::string& name);
  bool pose(pugi::xml_node holder, int minor, Transform<double>& raw, std::string* relative_to);
  bool reference(pugi::xml_node node, const char* attribute, std::string& to);
  std::string text_of(pugi::xml_node node, const char* child) const;
  bool truth(pugi::xml_node node, const char* child, bool otherwise);
  double number_of(pugi::xml_node node, const char* child, double otherwise);
  /// A number that may be infinite.
  double bound_of(pugi::xml_node node, const char* child, double otherwise);
  bool numbers_of(pugi::xml_node node, const char* child, int count, double* out);
  void named_once(detail::Weight weight, pugi::xml_node node, const char* code, const std::string& what,
                  const std::string& hint);
  // sdf_frames.cpp
  int find(int scope, const std::string& name) const;
  /// Entities from the scope down to the one of that name; false where there is none. The scope's own frame: none.
  bool path(int scope, const std::string& name, std::vector<int>& entities) const;
  bool needs(int entity, std::vector<int>& entities);
  bool unknown_base(const Named& e, const std::string& base);
  bool resolve_poses();
  bool resolve_pose(int entity);
  Transform<double> pose_along(const std::vector<int>& entities) const;
  int canonical_link(int scope);
  /// The link that a name of a scope is fixed to, k_world, or k_unknown where there is none or names go in a circle.
  int body_of(int scope, const std::string& name);
  std::vector<std::string> names_in(int scope) const;
  bool unknown_name(pugi::xml_node node, const char* code, int scope, const std::string& name, const std::string& what);
  Transform<double> in_scope(int link, int scope) const;
  Transform<double> in_world(int entity) const;
  std::string full_name(int entity) const;
  // sdf_link.cpp
  void link(pugi::xml_node node, int scope);
  void shape(pugi::xml_node node, int minor, LinkDescription& link);
  bool geometry(pugi::xml_node node, Shape& shape);
  void unique_parts(pugi::xml_node node);
  void surface(pugi::xml_node node, ContactData& contact);
  void settle_bitmasks();
  // sdf_inertia.cpp
  void inertial(pugi::xml_node node, pugi::xml_node link, int minor, LinkDescription& to);
  bool automatic_inertia(pugi::xml_node node, pugi::xml_node link, int minor, LinkDescription& to);
  bool solid(pugi::xml_node form, MeshBody& to);
  bool mesh_solid(pugi::xml_node form, const std::string& link, MeshBody& to);
  // sdf_joint.cpp
  void joint(pugi::xml_node node, int scope);
  void axis(pugi::xml_node node, JointText& joint, int minor);
  void unused_axis(pugi::xml_node node, const std::string& type);
  void mimic(pugi::xml_node node, Axis& axis);
  void screw(pugi::xml_node node, JointText& joint);
  // sdf_robot.cpp
  RobotDocument assemble();
  bool place(const JointText& joint, Placed& placed);
  bool axes_of(const JointText& joint, Placed& placed, const Mat3<double>& in_scope);
  bool is_fixed(int link) const;
  std::vector<int> carriers(const std::vector<Placed>& placed);
  void add_roots(const std::vector<int>& carrier, RobotDocument& document);
  JointDescription description_of(const JointText& joint, const Placed& placed);
  void add_numbers(const JointText& joint, JointDescription& to);
  void add_frames(RobotDocument& document);
  void gearbox(std::size_t joint, const std::vector<Placed>& placed, const std::vector<int>& carrier,
               RobotDocument& document);
  const std::string& link_name(int link) const;

  std::vector<Named> named_;
  std::uintmax_t mesh_bytes_ = 0;  ///< of meshes that give mass
  std::vector<Scope> scopes_;
  std::vector<LinkDescription> links_;
  std::vector<int> link_entity_;
  std::vector<JointText> joints_;
  UsedNames joint_names_;  // in zwang
  std::optional<Vec3<double>> gravity_;
  std::string robot_name_;
  int includes_ = 0;
  bool bitmasks_ = false;  ///< a collision says with which others it collides
};

}  // namespace zwang::io
