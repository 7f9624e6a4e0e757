// SPDX-License-Identifier: BSD-3-Clause
// Models: reading, names, joints, links, vectors, texts.
#include <algorithm>

#include "lists.hpp"
#include "objects.hpp"
#include "zwang/io/json.hpp"

using namespace zwang;
using namespace zwang::c;

namespace {

LoadOptions load_options(const zwang_load_options* given) {
  LoadOptions to;
  zwang_load_options options;
  zwang_load_options_init(&options);
  if (given != nullptr) options = *given;
  if (options.root != nullptr) to.root = options.root;
  if (options.root_joint != nullptr) to.root_joint = options.root_joint;
  to.mode = static_cast<Mode>(needed_index(options.mode, zwang_list_size(ZWANG_LIST_MODE), "mode"));
  to.loops = needed_index(options.close_loops, 2, "close_loops") == 1 ? ClosedLoops::constraints : ClosedLoops::refuse;
  to.lump = needed_index(options.lump, 2, "lump") == 1;
  to.expand_mimic = needed_index(options.expand_mimic, 2, "expand_mimic") == 1;
  if (options.gravity != nullptr) {
    to.gravity = gravity_of(options.gravity);
    to.file_gravity = false;
  }
  if (options.srdf != nullptr) to.srdf = options.srdf;
  for (std::size_t k = 0; k < options.package_dir_count; ++k)
    to.package_dirs.push_back(needed_text(
        needed(options.package_dirs, "package_dirs") == nullptr ? nullptr : options.package_dirs[k], "package_dirs"));
  return to;
}

/// The robot as a handle.
void give(zwang_model** model, Robot robot) {
  *model = static_cast<zwang_model*>(publish(Kind::model, std::make_unique<ModelObject>(std::move(robot))));
}

const char* name_at(const Robot& robot, Names names, int k) {
  const Model& m = robot.model;
  const auto at = [&](const auto& list) -> const char* {
    return list[needed_index(k, static_cast<int>(list.size()), "k")].name.c_str();
  };
  switch (names) {
    case Names::joint: return at(m.joints());
    case Names::link: return at(m.links());
    case Names::frame: return at(m.frames());
    case Names::loop: return at(m.loops());
    case Names::configuration: return at(robot.configurations);
    case Names::coordinate: break;
  }
  return m.coordinate_names()[needed_index(k, m.nv(), "k")].c_str();
}
int count_of(const Robot& robot, Names names) {
  const Model& m = robot.model;
  switch (names) {
    case Names::joint: return static_cast<int>(m.joints().size());
    case Names::link: return static_cast<int>(m.links().size());
    case Names::frame: return static_cast<int>(m.frames().size());
    case Names::coordinate: return m.nv();
    case Names::loop: return static_cast<int>(m.loops().size());
    case Names::configuration: break;
  }
  return static_cast<int>(robot.configurations.size());
}
Names names_of(int names) {
  return static_cast<Names>(needed_index(names, zwang_list_size(ZWANG_LIST_NAMES), "names"));
}

bool over_q(int numbers) {
  needed_index(numbers, zwang_list_size(ZWANG_LIST_NUMBERS), "numbers");
  return numbers <= static_cast<int>(Numbers::upper);
}

}  // namespace

void zwang_load_options_init(zwang_load_options* options) {
  if (options == nullptr) return;
  const LoadOptions defaults;
  *options = {};
  options->mode = static_cast<int>(defaults.mode);
  options->lump = defaults.lump ? 1 : 0;
}

int zwang_model_load(const char* path, const zwang_load_options* options, zwang_model** model) {
  return call(__func__, [&] {
    needed(model, "model");
    give(model, load_robot(needed_text(path, "path"), load_options(options)));
  });
}
int zwang_model_load_text(const char* text, size_t size, const zwang_load_options* options, zwang_model** model) {
  return call(__func__, [&] {
    needed(model, "model");
    give(model, loads_robot(needed_text(text, size), load_options(options)));
  });
}
int zwang_model_free(zwang_model* model) {
  return call(__func__, [&] { end(model, Kind::model, "model"); });
}

int zwang_model_describe(const zwang_model* model, zwang_model_info* info) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Robot& robot = own->robot;
    const Model& m = robot.model;
    zwang_model_info& to = needed(info, "info");
    to = {};
    to.nq = m.nq();
    to.nv = m.nv();
    to.bodies = m.bodies();
    to.joints = count_of(robot, Names::joint);
    to.links = count_of(robot, Names::link);
    to.frames = count_of(robot, Names::frame);
    to.loops = count_of(robot, Names::loop);
    to.configurations = count_of(robot, Names::configuration);
    to.mass = m.mass();
    for (int k = 0; k < 3; ++k) to.gravity[k] = m.gravity()[k];
  });
}

int zwang_model_name(const zwang_model* model, int names, int k, const char** name) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    needed(name, "name") = name_at(own->robot, names_of(names), k);
  });
}
int zwang_model_find(const zwang_model* model, int names, const char* name, int* k) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Names what = names_of(names);
    needed(k, "k");
    const std::string_view wanted = needed_text(name, "name");
    const int count = count_of(own->robot, what);
    for (int i = 0; i < count; ++i)
      if (name_at(own->robot, what, i) == wanted) {
        *k = i;
        return;
      }
    std::vector<std::string> known;
    for (int i = 0; i < count; ++i) known.emplace_back(name_at(own->robot, what, i));
    const std::string nearest = nearest_name(std::string(wanted), known);
    throw Refusal(ZWANG_INVALID_INPUT, "name",
                  "is '" + printable(std::string(wanted)) + "', which is no " + word_of("names", names) +
                      " of the model" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  });
}

int zwang_model_joint(const zwang_model* model, int joint, zwang_joint_info* info) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Model& m = own->robot.model;
    const Joint& j = m.joints()[needed_index(joint, count_of(own->robot, Names::joint), "joint")];
    zwang_joint_info& to = needed(info, "info");
    to = {};
    to.name = j.name.c_str();
    to.type = j.type.c_str();
    to.parent = j.parent.value;
    to.child = j.child.value;
    to.q_first = j.q.first;
    to.q_size = j.q.size;
    to.v_first = j.v.first;
    to.v_size = j.v.size;
    to.body = j.body.value;
    to.lumped = j.lumped ? 1 : 0;
    to.leader = j.mimic.leader.empty() ? -1 : m.find_joint(j.mimic.leader).value;
    to.multiplier = j.mimic.multiplier;
    to.offset = j.mimic.offset;
    for (int k = 0; k < 3; ++k) to.axis[k] = j.axis[k];
  });
}
int zwang_model_link(const zwang_model* model, int link, zwang_link_info* info) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Link& l = own->robot.model.links()[needed_index(link, count_of(own->robot, Names::link), "link")];
    zwang_link_info& to = needed(info, "info");
    to = {};
    to.name = l.name.c_str();
    to.body = l.body.value;
    to.parent = l.parent.value;
    to.joint = l.joint.value;
    to.frame = l.frame.value;
    to.mass = l.mass;
    for (int k = 0; k < 3; ++k) to.centre[k] = l.centre[k];
    const Sym3<double>& I = l.inertia;
    const double nine[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
    std::copy_n(nine, 9, to.inertia);
  });
}

int zwang_model_numbers_size(const zwang_model* model, int numbers, size_t* size) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Model& m = own->robot.model;
    needed(size, "size") = static_cast<size_t>(over_q(numbers) ? m.nq() : m.nv());
  });
}
int zwang_model_numbers(const zwang_model* model, int numbers, double* out, size_t size) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Model& m = own->robot.model;
    needed_size(out, size, static_cast<size_t>(over_q(numbers) ? m.nq() : m.nv()), "out");
    const auto put = [&](const auto& list) { std::copy(list.begin(), list.end(), out); };
    switch (static_cast<Numbers>(numbers)) {
      case Numbers::neutral: neutral(m, Eigen::Map<Eigen::VectorXd>(out, m.nq())); break;
      case Numbers::lower: put(m.lower()); break;
      case Numbers::upper: put(m.upper()); break;
      case Numbers::velocity_limit: put(m.velocity_limit()); break;
      case Numbers::effort_limit: put(m.effort_limit()); break;
      case Numbers::damping: put(m.damping()); break;
      case Numbers::friction: put(m.friction()); break;
      case Numbers::armature: put(m.armature()); break;
      case Numbers::actuated: put(m.actuated()); break;
    }
  });
}
int zwang_model_configuration(const zwang_model* model, int k, double* q, size_t q_size, double* v, size_t v_size) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const auto& all = own->robot.configurations;
    const Configuration& x = all[needed_index(k, static_cast<int>(all.size()), "k")];
    needed_size(q, q_size, x.q.size(), "q");
    if (v != nullptr || v_size != 0) needed_size(v, v_size, x.v.size(), "v");
    std::copy(x.q.begin(), x.q.end(), q);
    if (v != nullptr) std::copy(x.v.begin(), x.v.end(), v);
  });
}
int zwang_model_random(const zwang_model* model, uint64_t seed, double* q, size_t size) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    const Model& m = own->robot.model;
    needed_size(q, size, static_cast<size_t>(m.nq()), "q");
    zwang::random(m, seed, Eigen::Map<Eigen::VectorXd>(q, m.nq()));
  });
}

int zwang_model_document(const zwang_model* model, char* out, size_t capacity, size_t* length) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    put_text(to_json(own->robot), out, capacity, length);
  });
}
int zwang_model_diagnostics(const zwang_model* model, char* out, size_t capacity, size_t* length) {
  return call(__func__, [&] {
    const Pin<ModelObject> own(model, "model");
    std::string text;
    for (const Diagnostic& d : own->robot.model.diagnostics()) text += d.text() + '\n';
    put_text(text, out, capacity, length);
  });
}
