// SPDX-License-Identifier: BSD-3-Clause
// Scene: what a robot can touch, and how: the shapes of its links, the ground, other bodies, and the laws of pairs.
//
//   zwang::Scene scene(robot);                 // the collision shapes of its file
//   scene.add_ground({.friction = 0.7});
//   zwang::Simulator simulator(robot, set, {.integrator = zwang::Integrator::contact}, scene);
//
// Pairs that are looked at: any two shapes, but not
//   shapes of one body, or of two bodies that a joint connects (a floating joint connects nothing with the ground),
//   pairs that the file excludes (SRDF, MJCF) or whose types and affinities do not meet,
//   pairs that leave_out() names.
#pragma once
#include <optional>

#include "zwang/core/record.hpp"
#include "zwang/geometry/solid.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

/// How a surface acts on others.
struct ContactLaw {
  std::optional<double> friction = {};  ///< Coulomb's coefficient, >= 0; not given: that of the other surface
  double restitution = 0;               ///< speed after an impact beside that before it, in [0, 1]
  double stiffness = unlimited;         ///< of a point, > 0 [N/m]; unlimited: the surface does not give way
  double damping = 0;                   ///< of a point, where it gives way, >= 0 [N s/m]
};
/// The law of a pair of surfaces: what is not given stays as the two surfaces have it.
struct PairLaw {
  std::optional<double> friction = {}, restitution = {}, stiffness = {}, damping = {};  ///< as of a ContactLaw
};

/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<ContactLaw>) {
  using T = ContactLaw;
  v.record("ContactLaw", "How a surface acts on others.");
  v("friction", &T::friction, "Coulomb's coefficient");
  v("restitution", &T::restitution, "speed after an impact beside that before it");
  v("stiffness", &T::stiffness, "of a point [N/m]");
  v("damping", &T::damping, "of a point, where it gives way [N s/m]");
}
/// The list of its fields (zwang/core/record.hpp).
template <class V> void fields(V& v, Type<PairLaw>) {
  using T = PairLaw;
  v.record("PairLaw", "The law of a pair of surfaces: what is not given stays as they have it.");
  v("friction", &T::friction, "Coulomb's coefficient");
  v("restitution", &T::restitution, "speed after an impact beside that before it");
  v("stiffness", &T::stiffness, "of a point [N/m]");
  v("damping", &T::damping, "of a point, where it gives way [N s/m]");
}

/// A shape that can be touched.
struct SceneShape {
  std::string name;
  std::string link = {};  ///< it is fixed to; empty: the ground
  Solid solid;
  Transform<double> pose = Transform<double>::identity();  ///< in the link's frame, or in the world
  /// Used as it is with any shape of a lower priority; of two of the same priority friction and restitution are the
  /// larger ones, and a pair gives way as its softer one.
  ContactLaw law = {};
  int priority = 0;
  int type = 1, affinity = 1;  ///< two shapes may touch where one's type has a bit in common with the other's affinity
};

/// A half space under everything: its surface is where normal . x = offset.
struct Ground {
  Vec3<double> normal{0, 0, 1};
  double offset = 0;  ///< [m]
  ContactLaw law = {.friction = 0.7};
  std::string name = "ground";
};

/// What a scene takes of a model.
struct SceneSettings {
  bool missing_meshes = false;  ///< shapes whose mesh files were not found are left out, and a note names them
};

class Scene {
 public:
  /// The collision shapes of the model's links. A mesh is taken as its convex hull. Throws std::invalid_argument naming
  /// link and shape where a mesh file was not found (but SceneSettings::missing_meshes) or a size is none.
  explicit Scene(const Model& model, const SceneSettings& settings = {});

  /// Above the shapes of the robot's file in priority: its friction holds whatever the file says.
  Scene& add_ground(const Ground& ground = {});
  /// Throws std::invalid_argument for a name that is taken, an unknown link, numbers out of range.
  Scene& add_shape(const SceneShape& shape);
  /// The law of all pairs of a shape or link `a` with a shape or link `b`, whatever their priorities. Throws
  /// std::invalid_argument for unknown names and numbers out of range.
  Scene& set_pair(const std::string& a, const std::string& b, const PairLaw& law);
  /// Pairs of these shapes or links are not looked at.
  Scene& leave_out(const std::string& a, const std::string& b);

  bool limits = true;     ///< joints stay between their limits of position
  double friction = 0.7;  ///< of pairs of which neither shape says

  struct PairRule {
    std::string a, b;
    bool left_out = false;
    PairLaw law = {};
  };
  const Model& model() const { return model_; }
  const SceneSettings& settings() const { return settings_; }  ///< those of construction
  const std::vector<SceneShape>& shapes() const { return shapes_; }
  std::size_t of_model() const { return of_model_; }  ///< how many of shapes(), the first, are those of the model
  const std::vector<PairRule>& rules() const { return rules_; }
  const std::vector<std::string>& notes() const { return notes_; }  ///< on shapes that are not taken as they are

 private:
  void check_name(const char* function, const std::string& name) const;
  Model model_;
  SceneSettings settings_;
  std::vector<SceneShape> shapes_;
  std::size_t of_model_ = 0;
  std::vector<PairRule> rules_;
  std::vector<std::string> notes_;
};

}  // namespace zwang
