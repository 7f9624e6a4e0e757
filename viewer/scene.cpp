// SPDX-License-Identifier: BSD-3-Clause
// Two parts share the room of a page: meshes, in integers of 16 bits over the box of each mesh, and poses, in float32
// for every state shown. Meshes are simplified down to half of the room before states are left out.
#include "viewer/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "viewer/arrows.hpp"
#include "viewer/mesh.hpp"
#include "viewer/skeleton.hpp"
#include "viewer/text.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/geometry/solid_of.hpp"
#include "zwang/model/data.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::viewer {
namespace {

using Json = nlohmann::json;

const char* const k_colours[] = {"#e8eef4", "#b8c7d6", "#d9dee4", "#9fb3c8"};
const char* const k_joint_colour = "#3e4c59";
const char* const k_scenery_colour = "#d3cdbf";

std::string colour_text(const double* rgba) {
  char room[8];
  const auto byte = [](double x) { return static_cast<unsigned>(std::lround(255 * std::clamp(x, 0.0, 1.0))); };
  std::snprintf(room, sizeof room, "#%02x%02x%02x", byte(rgba[0]), byte(rgba[1]), byte(rgba[2]));
  return room;
}

std::array<float, 7> pose_numbers(const Transform<double>& X) {
  const Quat<double> q = from_rotation(X.R);
  return {static_cast<float>(X.p[0]), static_cast<float>(X.p[1]), static_cast<float>(X.p[2]), static_cast<float>(q.x),
          static_cast<float>(q.y),    static_cast<float>(q.z),    static_cast<float>(q.w)};
}

Json mesh_json(const Mesh& mesh) {
  std::array<float, 3> low = mesh.points[0], high = low;
  for (const auto& p : mesh.points)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  const float step = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-30f}) / 65535;
  std::vector<std::uint16_t> points;
  for (const auto& p : mesh.points)
    for (std::size_t i = 0; i < 3; ++i)
      points.push_back(static_cast<std::uint16_t>(std::lround((p[i] - low[i]) / step)));
  const bool wide = mesh.points.size() > 65535;
  Json out = {{"p", base64(points)}, {"low", low}, {"step", step}, {"wide", wide}};
  if (wide) {
    out["t"] = base64(mesh.triangles.data(), mesh.triangles.size() * sizeof mesh.triangles[0]);
  } else {
    std::vector<std::uint16_t> corners;
    for (const auto& t : mesh.triangles)
      for (const std::uint32_t k : t) corners.push_back(static_cast<std::uint16_t>(k));
    out["t"] = base64(corners);
  }
  return out;
}
std::size_t bytes_of(const Mesh& m) {
  return m.points.size() * 8 + m.triangles.size() * (m.points.size() > 65535 ? 16 : 8) + 120;
}

struct Ball {
  Vec3<double> centre;
  double radius;
};

class Scene {
 public:
  Scene(const Picture& picture, Page& page) : picture_(picture), model_(picture.model), page_(page) {}
  Json make(std::size_t room);

 private:
  void add_shapes();
  bool add_shape(const Shape& s, const char* colour, Json& to);
  void add_scenery();
  Ball ball_of(const Json& shape) const;
  void fit_meshes(std::size_t room);
  void end_planes();
  void add_frames();
  void add_states(std::size_t room);
  Arrow contact(long state, std::size_t i) const;
  std::size_t state_bytes() const;
  long states() const {
    return model_.nq() > 0 ? static_cast<long>(picture_.q.size()) / model_.nq()
                           : std::max(1L, static_cast<long>(picture_.time.size()));
  }
  void note(const std::string& text) { page_.notes.push_back(text); }
  /// How many there are, and one of them.
  struct Missed {
    void add(const std::string& text) {
      if (count++ == 0) first = text;
    }
    std::string text(const char* what) const {
      return std::to_string(count) + (count == 1 ? " mesh " : " meshes ") + what +
             "; their links are drawn as a skeleton: " + first;
    }
    int count = 0;
    std::string first;
  };

  const Picture& picture_;
  const Model& model_;
  Page& page_;
  Json scene_;
  std::vector<Mesh> meshes_;
  std::map<std::string, int> mesh_of_;    ///< by path; -1 for those that cannot be read
  std::vector<std::string> arrow_names_;  ///< of constraints, then as many as there are contacts in one state
  std::size_t contact_arrows_ = 0;
  Missed missing_, unreadable_;
  std::vector<std::vector<Ball>> balls_;  ///< of each link
};

/// Kind, pose and sizes.
Json shape_json(const Shape& s) {
  static const char* const kinds[] = {"box", "cylinder", "sphere", "capsule", "mesh", "plane", "ellipsoid"};
  return {
      {"k", kinds[static_cast<int>(s.kind)]}, {"o", pose_numbers(s.origin)}, {"s", {s.size[0], s.size[1], s.size[2]}}};
}

bool Scene::add_shape(const Shape& s, const char* colour, Json& to) {
  Json x = shape_json(s);
  x["c"] =
      std::isnan(s.colour[0]) ? std::string(s.material == "joint" ? k_joint_colour : colour) : colour_text(s.colour);
  if (!std::isnan(s.colour[3]) && s.colour[3] < 1) x["a"] = s.colour[3];
  if (s.kind == Shape::Kind::mesh) {
    if (s.mesh_path.empty()) {
      missing_.add(s.mesh);
      return false;
    }
    const auto [at, fresh] = mesh_of_.try_emplace(s.mesh_path, -1);
    if (fresh) {
      Mesh mesh;
      std::string why;
      if (read_mesh(s.mesh_path, mesh, why)) {
        at->second = static_cast<int>(meshes_.size());
        meshes_.push_back(std::move(mesh));
      } else {
        unreadable_.add(s.mesh + ": " + why);
      }
    }
    if (at->second < 0) return false;
    x["m"] = at->second;
  }
  to.push_back(std::move(x));
  return true;
}

/// A ball that holds a shape, in the frame of its link.
Ball Scene::ball_of(const Json& shape) const {
  const auto s = shape["s"].get<std::array<double, 3>>();
  const std::string kind = shape["k"];
  Ball ball{{shape["o"][0].get<double>(), shape["o"][1].get<double>(), shape["o"][2].get<double>()}, 0};
  if (kind == "box") ball.radius = std::hypot(s[0], s[1], s[2]) / 2;
  if (kind == "sphere") ball.radius = s[0];
  if (kind == "cylinder") ball.radius = std::hypot(s[0], s[1] / 2);
  if (kind == "capsule") ball.radius = s[0] + s[1] / 2;
  if (kind == "ellipsoid") ball.radius = std::max({s[0], s[1], s[2]});
  if (kind == "plane" && s[0] > 0 && s[1] > 0) ball.radius = std::hypot(s[0], s[1]) / 2;  // what has no end counts not
  if (kind == "mesh")
    for (const auto& p : meshes_[shape["m"].get<std::size_t>()].points)
      ball.radius = std::max(ball.radius, std::hypot(s[0] * p[0], s[1] * p[1], s[2] * p[2]));
  return ball;
}

void Scene::add_shapes() {
  const std::vector<std::vector<Shape>> skeleton = skeleton_of(model_);
  Json links = Json::array();
  bool collision = picture_.geometry == Geometry::collision;
  const auto wanted = [&](const Link& link) {
    return std::any_of(link.shapes.begin(), link.shapes.end(),
                       [&](const Shape& s) { return s.collision == collision; });
  };
  const auto none = [&] { return std::none_of(model_.links().begin(), model_.links().end(), wanted); };
  if (picture_.geometry == Geometry::visual && none()) collision = true;  // MJCF: most geoms are both
  const bool bare = picture_.geometry == Geometry::skeleton || none();
  std::size_t k = 0;
  for (const Link& link : model_.links()) {
    const char* const colour = k_colours[k % 4];
    Json shapes = Json::array();
    for (const Shape& s : link.shapes)
      if (!bare && s.collision == collision) add_shape(s, colour, shapes);
    // A skeleton for shapes that cannot be drawn, and for all links where no link has one.
    if (shapes.empty() && (bare || wanted(link)))
      for (const Shape& s : skeleton[k]) add_shape(s, colour, shapes);
    balls_.emplace_back();
    for (const Json& s : shapes) balls_.back().push_back(ball_of(s));
    links.push_back({{"name", link.name}, {"shapes", std::move(shapes)}});
    ++k;
  }
  scene_["links"] = std::move(links);
  if (missing_.count > 0) note(missing_.text("not found"));
  if (unreadable_.count > 0) note(unreadable_.text("that cannot be read"));
}

/// What was added to a scene: on links, and where it stands.
void Scene::add_scenery() {
  Json fixed = Json::array();
  const std::size_t count = picture_.scenery != nullptr ? picture_.scenery->shapes().size() : 0;
  for (std::size_t k = count > 0 ? picture_.scenery->of_model() : 0; k < count; ++k) {
    const SceneShape& added = picture_.scenery->shapes()[k];
    Mesh mesh;
    Shape shape = shape_of(added.solid, mesh);
    shape.origin = added.pose;
    Json x = shape_json(shape);
    x["c"] = k_scenery_colour;
    if (shape.kind == Shape::Kind::plane) x["a"] = 0.5;
    if (!mesh.points.empty()) {
      x["m"] = meshes_.size();
      meshes_.push_back(std::move(mesh));
    }
    if (added.link.empty()) {
      fixed.push_back(std::move(x));
      continue;
    }
    for (std::size_t link = 0; link < model_.links().size(); ++link)
      if (model_.links()[link].name == added.link) scene_["links"][link]["shapes"].push_back(x);
  }
  scene_["scenery"] = std::move(fixed);
}

/// Planes without end get one: twice as long as a state of the robot.
void Scene::end_planes() {
  const auto end = [&](Json& shapes) {
    for (Json& shape : shapes)
      for (std::size_t k = 0; k < 2 && shape["k"] == "plane"; ++k)
        if (shape["s"][k] == 0) shape["s"][k] = 4 * scene_["size"].get<double>();
  };
  for (Json& link : scene_["links"]) end(link["shapes"]);
  end(scene_["scenery"]);
}

void Scene::fit_meshes(std::size_t room) {
  std::size_t bytes = 0, triangles = 0;
  for (const Mesh& m : meshes_) {
    bytes += bytes_of(m);
    triangles += m.triangles.size();
  }
  const std::size_t before = triangles;
  double keep = 1;
  const std::vector<Mesh> whole = bytes > room ? meshes_ : std::vector<Mesh>();
  while (bytes > room && keep > 1e-3) {
    keep *= std::min(0.9, static_cast<double>(room) / static_cast<double>(bytes));
    bytes = triangles = 0;
    for (std::size_t k = 0; k < meshes_.size(); ++k) {
      meshes_[k] = whole[k];
      simplify(meshes_[k], std::max<std::size_t>(
                               60, static_cast<std::size_t>(keep * static_cast<double>(whole[k].triangles.size()))));
      bytes += bytes_of(meshes_[k]);
      triangles += meshes_[k].triangles.size();
    }
  }
  if (triangles < before)
    note("meshes are simplified from " + std::to_string(before) + " to " + std::to_string(triangles) + " triangles");
  scene_["meshes"] = Json::array();
  for (const Mesh& m : meshes_) scene_["meshes"].push_back(mesh_json(m));
}

void Scene::add_frames() {
  Data data(model_);
  const Eigen::Map<const Eigen::VectorXd> q(picture_.q.data(), model_.nq());
  forward_kinematics(model_, data, q);
  Json frames = Json::array();
  const std::vector<bool> helpers = helper_links(model_);
  for (const Frame& f : model_.frames()) {
    const bool wanted = std::find(picture_.frames.begin(), picture_.frames.end(), f.name) != picture_.frames.end();
    if (f.kind == Frame::Kind::joint && !wanted) continue;
    const Link& link = model_.links()[static_cast<std::size_t>(f.link.value)];
    if (f.kind == Frame::Kind::link && !wanted && helpers[static_cast<std::size_t>(f.link.value)]) continue;
    const Transform<double> in_link = inverse(link.in_body) * f.in_body;
    frames.push_back({{"name", f.name}, {"link", f.link.value}, {"o", pose_numbers(in_link)}, {"shown", wanted}});
  }
  for (const std::string& name : picture_.frames) model_.frame(name);  // throws for unknown ones
  scene_["frames"] = std::move(frames);
}

std::size_t Scene::state_bytes() const {
  const std::size_t rows = picture_.multipliers.empty() ? 0 : static_cast<std::size_t>(picture_.constraints->rows());
  return (1 + 7 * model_.links().size() + 9 * arrow_names_.size() + rows) * 16 / 3 + 1;
}

/// The arrow `i` of a state; without a length where it has fewer.
Arrow Scene::contact(long state, std::size_t i) const {
  const auto k = static_cast<std::size_t>(state);
  const auto at = static_cast<std::size_t>(picture_.contact_of[k]) + i;
  return at < static_cast<std::size_t>(picture_.contact_of[k + 1]) ? picture_.contacts[at] : Arrow{};
}

void Scene::add_states(std::size_t room) {
  const long all = states(), most = static_cast<long>(room / state_bytes());
  if (most < 1) throw std::runtime_error("view: one state of this model does not fit into a page of the given size");
  const long every = all <= most ? 1 : most == 1 ? all : (all - 1 + most - 2) / (most - 1);
  const bool arrows = !picture_.multipliers.empty();
  const Index rows = arrows ? picture_.constraints->rows() : 0;
  std::vector<float> times, poses, forces, multipliers;
  Data data(model_);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model_.nv());
  std::optional<Arrows> maker;
  if (arrows) maker.emplace(model_, *picture_.constraints);
  const Vec3<double> none_low{1e300, 1e300, 1e300}, none_high{-1e300, -1e300, -1e300};
  Vec3<double> low = none_low, high = none_high;
  double largest = 0.02;  // half of the diagonal of one state
  for (long k = 0; k < all; k = k + every < all || k == all - 1 ? k + every : all - 1) {
    const double* const q = picture_.q.data() + k * model_.nq();
    forward_kinematics(model_, data, Eigen::Map<const Eigen::VectorXd>(q, model_.nq()), rest);
    times.push_back(picture_.time.empty() ? 0.0f : static_cast<float>(picture_.time[static_cast<std::size_t>(k)]));
    std::size_t at = 0;
    Vec3<double> state_low = none_low, state_high = none_high;
    for (const Link& link : model_.links()) {
      const Transform<double> X = frame_pose(model_, data, link.frame);
      const std::array<float, 7> x = pose_numbers(X);
      poses.insert(poses.end(), x.begin(), x.end());
      for (const Ball& ball : balls_[at]) {
        const Vec3<double> centre = X * ball.centre;
        for (int i = 0; i < 3; ++i) {
          state_low[i] = std::min(state_low[i], centre[i] - ball.radius);
          state_high[i] = std::max(state_high[i], centre[i] + ball.radius);
        }
      }
      ++at;
    }
    const Vec3<double> extent = state_high - state_low;
    if (extent[0] >= 0) largest = std::max(largest, 0.5 * std::sqrt(dot(extent, extent)));
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], state_low[i]);
      high[i] = std::max(high[i], state_high[i]);
    }
    const auto add = [&](const Arrow& a) {
      for (const Vec3<double>& x : {a.point, a.force, a.moment})
        for (int i = 0; i < 3; ++i) forces.push_back(static_cast<float>(x[i]));
    };
    if (arrows) {
      const double* const lambda = picture_.multipliers.data() + k * rows;
      for (const Arrow& a : maker->at(data, q, lambda)) add(a);
      for (Index r = 0; r < rows; ++r) multipliers.push_back(static_cast<float>(lambda[r]));
    }
    for (std::size_t i = 0; i < contact_arrows_; ++i) add(contact(k, i));
  }
  page_.states = all;
  page_.shown = static_cast<long>(times.size());
  if (page_.shown < all)
    note("every " + std::to_string(every) + ". state is shown, " + std::to_string(page_.shown) + " of " +
         std::to_string(all));
  if (low[0] > high[0]) low = high = Vec3<double>::zero();  // nothing is drawn
  const Vec3<double> centre = (low + high) * 0.5, size = high - low;
  scene_["centre"] = {centre[0], centre[1], centre[2]};
  scene_["size"] = largest;
  scene_["radius"] = std::max(0.5 * std::sqrt(dot(size, size)), 0.02);
  scene_["time"] = base64(times);
  scene_["poses"] = base64(poses);
  scene_["forces"] = base64(forces);
  scene_["arrows"] = arrow_names_;
  scene_["contacts"] = contact_arrows_;
  scene_["lambda"] = base64(multipliers);
  scene_["rows"] = Json::array();
  for (Index c = 0; arrows && c < picture_.constraints->size(); ++c)
    for (const std::string& row : picture_.constraints->constraints()[static_cast<std::size_t>(c)].row_names.value())
      scene_["rows"].push_back(row);
}

Json Scene::make(std::size_t room) {
  scene_["title"] = picture_.title.empty() ? model_.name() : picture_.title;
  add_shapes();
  add_scenery();
  add_frames();
  if (!picture_.multipliers.empty()) arrow_names_ = Arrows(model_, *picture_.constraints).names();
  for (std::size_t k = 1; k < picture_.contact_of.size(); ++k)
    contact_arrows_ =
        std::max(contact_arrows_, static_cast<std::size_t>(picture_.contact_of[k] - picture_.contact_of[k - 1]));
  for (std::size_t k = 0; k < contact_arrows_; ++k) arrow_names_.push_back("contact " + std::to_string(k + 1));
  const std::size_t fixed = scene_.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 4000;
  if (fixed + state_bytes() > room)
    throw std::runtime_error("view: this model does not fit into a page of the given size");
  const std::size_t left = room - fixed, wanted = static_cast<std::size_t>(states()) * state_bytes() + 100;
  fit_meshes(std::max(left > wanted ? left - wanted : 0, left / 2));
  std::size_t meshes = 0;
  for (const Mesh& m : meshes_) meshes += bytes_of(m);
  add_states(left > meshes ? left - meshes : 0);
  end_planes();
  scene_["states"] = page_.states;
  scene_["notes"] = page_.notes;
  return std::move(scene_);
}

}  // namespace

Json scene_of(const Picture& picture, std::size_t room, Page& page) { return Scene(picture, page).make(room); }

}  // namespace zwang::viewer
