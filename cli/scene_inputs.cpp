// SPDX-License-Identifier: BSD-3-Clause
// What a robot can touch: the key `scene` of a problem, --ground and what belongs to it (scene_options.cpp).
#include <cmath>
#include <limits>

#include "failure.hpp"
#include "height_picture.hpp"
#include "numbers.hpp"
#include "simulate.hpp"
#include "written_file.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::cli {
namespace {

Vec3<double> three(const Node& node) {
  const std::vector<double> x = node.numbers(3);
  return {x[0], x[1], x[2]};
}

/// The numbers of a law that are given.
template <class L> struct ReadLaw {
  const Node& node;
  L& law;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* key, M L::*member, const char*) {
    if (node.has(key)) law.*member = node[key].number();
  }
};
template <class L> void read_law(const Node& node, L& law) {
  ReadLaw<L> reader{node, law};
  fields(reader, Type<L>());
}
/// Its keys and others.
void check_object(const Node& node, std::vector<const char*> keys) {
  for (const char* key : {"friction", "restitution", "stiffness", "damping"}) keys.push_back(key);
  node.object(keys);
}

/// One of the kinds of solids, with its sizes.
Solid read_solid(const Node& node) {
  struct Kind {
    const char* key;
    Solid (*make)(const Node& size);
  };
  static constexpr Kind kinds[] = {{"box", [](const Node& x) { return Solid::box(three(x)); }},
                                   {"sphere", [](const Node& x) { return Solid::sphere(x.number()); }},
                                   {"capsule",
                                    [](const Node& x) {
                                      const std::vector<double> s = x.numbers(2);
                                      return Solid::capsule(s[0], s[1]);
                                    }},
                                   {"cylinder",
                                    [](const Node& x) {
                                      const std::vector<double> s = x.numbers(2);
                                      return Solid::cylinder(s[0], s[1]);
                                    }},
                                   {"ellipsoid", [](const Node& x) { return Solid::ellipsoid(three(x)); }},
                                   {"half_space",
                                    [](const Node& x) {
                                      if (!x.boolean()) x.fail("expected true");
                                      return Solid::half_space();
                                    }},
                                   {"convex",
                                    [](const Node& x) {
                                      x.array();
                                      std::vector<Vec3<double>> points;
                                      for (std::size_t k = 0; k < x.size(); ++k) points.push_back(three(x[k]));
                                      return Solid::convex(points);
                                    }},
                                   {"height_field", [](const Node& x) {
                                      x.object({"heights", "size"});
                                      const Node rows = x["heights"];
                                      rows.array();
                                      const std::vector<double> size = x["size"].numbers(2);
                                      std::vector<double> heights;
                                      std::size_t columns = 0;
                                      for (std::size_t k = 0; k < rows.size(); ++k) {
                                        const std::vector<double> row = rows[k].numbers();
                                        if (k > 0 && row.size() != columns)
                                          rows[k].fail("rows of heights have the same length");
                                        columns = row.size();
                                        heights.insert(heights.end(), row.begin(), row.end());
                                      }
                                      return Solid::height_field(static_cast<int>(columns),
                                                                 static_cast<int>(rows.size()), size[0], size[1],
                                                                 heights);
                                    }}};
  const Kind* found = nullptr;
  for (const Kind& kind : kinds) {
    if (!node.has(kind.key)) continue;
    if (found != nullptr)
      node.expected("one of box, sphere, capsule, cylinder, ellipsoid, half_space, convex, height_field");
    found = &kind;
  }
  if (found == nullptr)
    node.expected("one of box, sphere, capsule, cylinder, ellipsoid, half_space, convex, height_field");
  return found->make(node[found->key]);
}

SceneShape read_shape(const Node& node) {
  check_object(node, {"name", "link", "position", "quaternion", "box", "sphere", "capsule", "cylinder", "ellipsoid",
                      "half_space", "convex", "height_field"});
  SceneShape shape{.name = node["name"].text(), .solid = read_solid(node)};
  if (node.has("link")) shape.link = node["link"].text();
  if (node.has("position")) shape.pose.p = three(node["position"]);
  if (node.has("quaternion")) {
    const std::vector<double> q = node["quaternion"].numbers(4);
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(size - 1) < 1e-6)) node["quaternion"].expected("a quaternion x y z w of unit length");
    shape.pose.R = rotation(Quat<double>{q[0] / size, q[1] / size, q[2] / size, q[3] / size});
  }
  read_law(node, shape.law);
  return shape;
}

Ground read_ground(const Node& node) {
  check_object(node, {"name", "normal", "offset"});
  Ground ground;
  if (node.has("name")) ground.name = node["name"].text();
  if (node.has("normal")) ground.normal = three(node["normal"]);
  if (node.has("offset")) ground.offset = node["offset"].number();
  read_law(node, ground.law);
  return ground;
}

void read_pairs(const Node& list, Scene& scene) {
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    check_object(list[k], {"a", "b"});
    PairLaw law;
    read_law(list[k], law);
    scene.set_pair(list[k]["a"].text(), list[k]["b"].text(), law);
  }
}

void read_left_out(const Node& list, Scene& scene) {
  list.array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    list[k].array();
    if (list[k].size() != 2) list[k].expected("two names");
    scene.leave_out(list[k][std::size_t{0}].text(), list[k][std::size_t{1}].text());
  }
}

void fill(const Node& node, Scene& scene) {
  node.object({"missing_meshes", "ground", "shapes", "pairs", "leave_out", "limits", "friction"});
  if (node.has("limits")) scene.limits = node["limits"].boolean();
  if (node.has("friction")) scene.friction = node["friction"].number();
  if (node.has("ground")) with_place(node["ground"], [&] { scene.add_ground(read_ground(node["ground"])); });
  if (node.has("shapes")) {
    const Node list = node["shapes"];
    list.array();
    for (std::size_t k = 0; k < list.size(); ++k) with_place(list[k], [&] { scene.add_shape(read_shape(list[k])); });
  }
  if (node.has("pairs")) with_place(node["pairs"], [&] { read_pairs(node["pairs"], scene); });
  if (node.has("leave_out")) with_place(node["leave_out"], [&] { read_left_out(node["leave_out"], scene); });
}

/// --height-field, above the shapes of the robot's file in priority, as the ground is.
void add_terrain(const Arguments& a, Scene& scene) {
  const std::string who = "--height-field " + a.height_field + ": ";
  if (!a.height_size) throw UsageError(who + "give --height-size X,Y, its lengths [m], too");
  const std::vector<double> size = read_numbers("--height-size", *a.height_size);
  if (size.size() != 2) throw UsageError("--height-size " + *a.height_size + ": expected two lengths");
  const double scale = a.height_scale.value_or(1);
  if (!(scale > 0) || !std::isfinite(scale)) throw UsageError("--height-scale: expected a finite height above 0 [m]");
  HeightPicture picture;
  std::string why;
  if (!parse_picture(read_text_file(a.height_field, 256U << 20), picture, why)) throw UsageError(who + why);
  input_files().add(a.height_field);
  for (double& z : picture.grey) z *= scale;
  SceneShape shape{.name = "terrain",
                   .solid = Solid::half_space(),  // until it is known
                   .law = {.friction = 0.7},
                   .priority = std::numeric_limits<int>::max()};
  if (a.friction) shape.law.friction = *a.friction;
  if (a.restitution_of_ground) shape.law.restitution = *a.restitution_of_ground;
  try {
    shape.solid = Solid::height_field(picture.columns, picture.rows, size[0], size[1], std::move(picture.grey));
    scene.add_shape(shape);
  } catch (const std::invalid_argument& error) { throw UsageError(who + error.what()); }
}

}  // namespace

void read_scene(const Arguments& a, const Node& problem, Problem& to) {
  const bool terrain = !a.height_field.empty();
  if ((a.friction || a.restitution_of_ground) && !a.ground && !terrain)
    throw UsageError(std::string(a.friction ? "--friction" : "--bounce") + " is of the ground: give --ground, too");
  if ((a.height_size || a.height_scale) && !terrain)
    throw UsageError(std::string(a.height_size ? "--height-size" : "--height-scale") +
                     " is of terrain: give --height-field, too");
  Integrator& integrator = to.simulation.integrator;
  if (!a.ground && !terrain && !problem.has("scene") && integrator != Integrator::contact) {
    if (a.missing_meshes || !a.contacts.empty())
      throw UsageError(std::string(a.missing_meshes ? "--missing-meshes" : "--contacts") +
                       " is of what can be touched: give --ground, too");
    return;
  }
  SceneSettings settings;
  if (problem.has("scene") && problem["scene"].is_object() && problem["scene"].has("missing_meshes"))
    settings.missing_meshes = problem["scene"]["missing_meshes"].boolean();
  if (a.missing_meshes) settings.missing_meshes = true;
  const bool chosen = a.integrator || problem.has("integrator");
  if (chosen && integrator != Integrator::contact)
    throw UsageError(std::string(a.ground  ? "--ground"
                                 : terrain ? "--height-field"
                                           : "scene") +
                     ": only integrator contact knows what touches");
  integrator = Integrator::contact;
  try {
    to.scene.emplace(to.model, settings);
  } catch (const std::invalid_argument& error) { throw UsageError(error.what()); }
  if (problem.has("scene")) fill(problem["scene"], *to.scene);
  if (terrain) add_terrain(a, *to.scene);
  if (!a.ground) return;
  Ground ground;
  if (a.friction) ground.law.friction = *a.friction;
  if (a.restitution_of_ground) ground.law.restitution = *a.restitution_of_ground;
  try {
    to.scene->add_ground(ground);
  } catch (const std::invalid_argument& error) { throw UsageError(std::string("--ground: ") + error.what()); }
}

}  // namespace zwang::cli
