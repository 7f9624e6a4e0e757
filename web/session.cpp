// SPDX-License-Identifier: BSD-3-Clause
#include "web/session.hpp"

#include <algorithm>
#include <cmath>

#include "cli/json_output.hpp"
#include "viewer/scene.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/core/error.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::web {
namespace {

constexpr std::size_t k_most_bytes = 16u << 20;  // of a picture
constexpr double k_far_end = 1e9;                // [s], of a motion that goes on until it is left alone

cli::Problem problem_of(const std::string& path, const std::string& command, Diagnostics& found) {
  cli::Arguments a;
  a.command = command;
  a.file = path;
  return cli::read_problem(a, {}, found);
}

/// A joint of one coordinate with q' = v that has a motor and leads itself.
bool is_held(const Model& model, const Joint& j) {
  return j.q.size == 1 && j.v.size == 1 && j.mimic.leader.empty() &&
         model.actuated()[static_cast<std::size_t>(j.v.first)];
}

cli::Document vec3_json(const Vec3<double>& x) { return {x[0], x[1], x[2]}; }

}  // namespace

Session::Session(const std::string& path, const std::string& command)
    : problem_(problem_of(path, command, found_)),
      maker_(problem_.model, problem_.constraints),
      data_(problem_.model),
      hand_data_(problem_.model),
      acceleration_(Eigen::VectorXd::Zero(problem_.model.nv())),
      multipliers_(Eigen::VectorXd::Zero(problem_.constraints.rows())) {
  show(acceleration_, multipliers_);
}

std::string Session::describe() const {
  cli::Document out = cli::model_json(problem_.model);
  out["rows"] = cli::Document::array();
  out["constraints"] = cli::Document::array();
  for (const Constraint& c : problem_.constraints.constraints()) {
    out["constraints"].push_back(c.name);
    for (const std::string& row : c.row_names.value()) out["rows"].push_back(row);
  }
  out["dt"] = problem_.simulation.dt;
  out["findings"] = cli::to_json(found_);
  return out.dump();
}

std::string Session::picture() const {
  viewer::Picture picture{.model = problem_.model, .constraints = &problem_.constraints};
  picture.q.assign(problem_.q.begin(), problem_.q.end());
  picture.multipliers.assign(static_cast<std::size_t>(problem_.constraints.rows()), 0.0);
  picture.contacts = {viewer::Arrow{}};  // the hand
  picture.contact_of = {0, 1};
  if (problem_.scene) picture.scenery = &*problem_.scene;
  viewer::Page page;
  nlohmann::json scene = viewer::scene_of(picture, k_most_bytes, page);
  scene["arrows"].back() = "hand";
  return scene.dump();
}

void Session::act(VectorIn q, VectorIn v, Eigen::Ref<Eigen::VectorXd> tau, Externals& external) {
  const Model& model = problem_.model;
  for (const Joint& j : model.joints()) {
    if ((hold_.stiffness == 0 && hold_.damping == 0) || !is_held(model, j)) continue;
    const double asked = hold_.stiffness * (hold_.at[j.q.first] - q[j.q.first]) - hold_.damping * v[j.v.first];
    const double limit = model.effort_limit()[static_cast<std::size_t>(j.v.first)];
    tau[j.v.first] += limit > 0 ? std::clamp(asked, -limit, limit) : asked;
  }
  if (hand_.link.empty()) return;
  forward_kinematics(model, hand_data_, q, v);
  const Transform<double> X = frame_pose(model, hand_data_, hand_.link);
  const Motion<double> V = frame_velocity(model, hand_data_, hand_.link);
  const Vec3<double> arm = X.R * hand_.point;
  hand_.place = X.p + arm;
  hand_.force = (hand_.target - hand_.place) * hand_.stiffness - (V.v + cross(V.w, arm)) * hand_.damping;
  external.push_back(external_wrench(model, hand_.link, Force<double>{hand_.force, cross(arm, hand_.force)}));
}

void Session::show(const Eigen::VectorXd& acceleration, const Eigen::VectorXd& multipliers) {
  acceleration_ = acceleration;
  multipliers_ = multipliers;
  forward_kinematics(problem_.model, data_, problem_.q, problem_.v);
  poses_.clear();
  for (const Link& link : problem_.model.links()) {
    const Transform<double> X = frame_pose(problem_.model, data_, link.frame);
    const Quat<double> r = from_rotation(X.R);
    poses_.insert(poses_.end(), {X.p[0], X.p[1], X.p[2], r.x, r.y, r.z, r.w});
  }
  std::vector<viewer::Arrow> all = maker_.at(data_, problem_.q.data(), multipliers_.data());
  all.push_back({.point = hand_.place, .force = hand_.force});
  arrows_.clear();
  for (const viewer::Arrow& a : all)
    for (const Vec3<double>& x : {a.point, a.force, a.moment}) arrows_.insert(arrows_.end(), {x[0], x[1], x[2]});
}

std::string Session::solve() {
  if (!solver_) solver_ = std::make_unique<Solver>(problem_.model, problem_.constraints, problem_.settings);
  Eigen::VectorXd tau = problem_.tau;
  Externals external = problem_.external;
  act(problem_.q, problem_.v, tau, external);
  const Solution& s = solver_->solve(
      {.q = problem_.q, .v = problem_.v, .tau = tau, .external = &external, .prescribed = &problem_.prescribed});
  show(s.acceleration, s.multipliers);
  return cli::solution_json(problem_, s).dump();
}

void Session::start() {
  SimulationSettings settings = problem_.simulation;
  settings.time = k_far_end;
  std::vector<ContactState> contacts;
  double time = 0;
  if (simulator_) {
    const SimulationState& s = simulator_->state();
    if (s.q == problem_.q && s.v == problem_.v) {
      contacts.assign(s.contacts.begin(), s.contacts.end());
      time = s.time;
    }
  }
  std::unique_ptr<Simulator> next =
      problem_.scene ? std::make_unique<Simulator>(problem_.model, problem_.constraints, settings, *problem_.scene)
                     : std::make_unique<Simulator>(problem_.model, problem_.constraints, settings);
  for (const SimulationEvent& event : problem_.events) next->add_event(event);
  next->set_control([this](SimulationStage& x) {
    x.tau = problem_.tau;  // as it is now, not as it was when the motion began
    act(x.q, x.v, x.tau, x.external);
  });
  const bool good = next->start({.q = problem_.q,
                                 .v = problem_.v,
                                 .tau = problem_.tau,
                                 .external = &problem_.external,
                                 .prescribed = &problem_.prescribed,
                                 .time = time,
                                 .contacts = contacts});
  simulator_ = std::move(next);
  moved_by_ = problem_.tau;
  forces_changed_ = false;
  steps_ = 0;
  if (!good) return;
  const SimulationState& s = simulator_->state();
  problem_.q = s.q;
  problem_.v = s.v;
  show(s.acceleration, s.multipliers);
}

long Session::step(long count) {
  for (Index k = 0; k < problem_.tau.size(); ++k)
    if (!std::isfinite(problem_.tau[k])) detail::throw_not_finite("step", "tau", k, problem_.tau[k]);
  if (!simulator_ || simulator_->state().q != problem_.q || simulator_->state().v != problem_.v) {
    start();
  } else if (forces_changed_ || moved_by_ != problem_.tau) {
    simulator_->forces_changed();
    moved_by_ = problem_.tau;
    forces_changed_ = false;
  }
  long done = 0;
  while (done < count && simulator_->step()) ++done;
  steps_ += done;
  const SimulationState& s = simulator_->state();
  problem_.q = s.q;
  problem_.v = s.v;
  if (!hand_.link.empty()) {  // what it does at the state, not at a stage before it
    Eigen::VectorXd tau = problem_.tau;
    Externals external;
    act(problem_.q, problem_.v, tau, external);
  }
  show(s.acceleration, s.multipliers);
  return done;
}

std::string Session::state() const {
  if (!simulator_) throw std::logic_error("state: the motion has not begun; call start()");
  const SimulationState& s = simulator_->state();
  const SimulationReport& r = simulator_->report();
  cli::Document contacts = cli::Document::array();
  const auto side = [&](Index k) {
    return k >= 0 && problem_.scene ? problem_.scene->shapes()[static_cast<std::size_t>(k)].name : std::string();
  };
  for (const ContactState& c : s.contacts) {
    cli::Document x = {{"what", name_of(c.what)}, {"kind", name_of(c.kind)}, {"force", vec3_json(c.force)}};
    if (c.has_place()) x["point"] = vec3_json(c.point);
    if (c.what == ContactState::What::point) {
      x["a"] = side(c.a);
      x["b"] = side(c.b);
    }
    if (c.is_of_set()) x["row"] = c.coordinate;
    contacts.push_back(x);
  }
  return cli::Document{{"time", s.time},
                       {"steps", steps_},
                       {"status", name_of(r.status)},
                       {"reason", r.reason},
                       {"energy", cli::number_json(s.energy)},
                       {"error", cli::number_json(s.error)},
                       {"contacts", contacts}}
      .dump();
}

void Session::hold(double stiffness, double damping) {
  if (!(stiffness >= 0) || !std::isfinite(stiffness))
    throw std::invalid_argument("hold: argument 'stiffness', expected a number >= 0");
  if (!(damping >= 0) || !std::isfinite(damping))
    throw std::invalid_argument("hold: argument 'damping', expected a number >= 0");
  hold_ = {stiffness, damping, problem_.q};
  forces_changed_ = true;
}

void Session::pull(const std::string& link, const Vec3<double>& point, const Vec3<double>& target, double stiffness,
                   double damping) {
  problem_.model.link(link);  // throws for an unknown one
  for (const Vec3<double>& x : {point, target})
    for (int i = 0; i < 3; ++i)
      if (!std::isfinite(x[i]))
        throw std::invalid_argument("pull: arguments 'point' and 'target', expected finite numbers");
  if (!(stiffness >= 0) || !std::isfinite(stiffness))
    throw std::invalid_argument("pull: argument 'stiffness', expected a number >= 0");
  if (!(damping >= 0) || !std::isfinite(damping))
    throw std::invalid_argument("pull: argument 'damping', expected a number >= 0");
  hand_ = {.link = link, .point = point, .target = target, .stiffness = stiffness, .damping = damping};
  hand_.place = target;
  forces_changed_ = true;
}

void Session::release() {
  hand_ = {};
  forces_changed_ = true;
}

void Session::activate(const std::string& constraint, bool on) {
  problem_.constraints[constraint].active = on;
  simulator_.reset();  // it has a set of its own
}

std::span<double> Session::numbers(const std::string& name) {
  const auto all = [](Eigen::VectorXd& x) { return std::span<double>(x.data(), static_cast<std::size_t>(x.size())); };
  if (name == "q") return all(problem_.q);
  if (name == "v") return all(problem_.v);
  if (name == "tau") return all(problem_.tau);
  if (name == "acceleration") return all(acceleration_);
  if (name == "multipliers") return all(multipliers_);
  if (name == "poses") return poses_;
  if (name == "arrows") return arrows_;
  detail::throw_unknown("numbers", name, {"q", "v", "tau", "acceleration", "multipliers", "poses", "arrows"});
}

}  // namespace zwang::web
