// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: the order of reading, <compiler>, <option>, <asset>, keyframes, names.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/mjcf.hpp"
#include "io/mjcf_robot.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

MjcfReader::MjcfReader(MjcfDocument& document, MjcfWork& work, int nesting)
    : document_(document),
      work_(work),
      nesting_(nesting),
      values_(document, work),
      defaults_(values_) {}

bool MjcfReader::read() {
  if (!MjcfSchemaCheck(document_, work_).run()) return false;
  const pugi::xml_node root = document_.root();
  model_.name = root.attribute("model").value();
  MjcfBody& world = model_.bodies.emplace_back();
  world.name = "world";
  world.place = document_.place_of(root);
  body_index_.emplace("world", 0);
  names_["body"].insert("world");
  const auto all = [&](const char* name, auto&& f) {
    document_.each(root, [&](pugi::xml_node child) {
      if (std::string_view(child.name()) == name) f(child);
    });
  };
  all("compiler", [&](pugi::xml_node node) { compiler(node); });
  all("option", [&](pugi::xml_node node) { option(node); });
  if (weightless_) model_.gravity = Vec3<double>::zero();  // the flag beats the vector
  all("default", [&](pugi::xml_node node) { defaults_.read(node); });
  all("asset", [&](pugi::xml_node node) { asset(node); });
  all("worldbody", [&](pugi::xml_node node) { children(node, Scope()); });
  world_poses();
  for (MjcfEquality& row : model_.equalities) draw(row);  // those of attached models
  const auto each_in = [&](const char* section, auto&& f) {
    all(section, [&](pugi::xml_node node) {
      document_.each(node, [&](pugi::xml_node child) {
        if (spend(child)) f(child);
      });
    });
  };
  each_in("tendon", [&](pugi::xml_node node) { tendon(node); });
  each_in("actuator", [&](pugi::xml_node node) { actuator(node); });
  each_in("equality", [&](pugi::xml_node node) { equality(node); });
  each_in("contact", [&](pugi::xml_node node) {
    if (std::string_view(node.name()) == "exclude") exclude(node);
  });
  if (work_.found.refused()) return false;
  check_moving_planes();
  for (std::size_t k = 1; k < model_.bodies.size(); ++k) inertia(model_.bodies[k]);
  if (nesting_ == 0) {
    total_mass();
    note_joints();
  } else {
    weigh(model_.bodies[0]);  // its geoms go to the body that it is attached to
  }
  all("keyframe", [&](pugi::xml_node node) {
    if (nesting_ == 0) return keyframes(node);
    Diagnostic d = document_.at(node, "N_MJCF_IGNORED");
    d.found = "keyframes of an attached model";
    d.hint = "left out: they have no numbers for the joints of the other bodies";
    notes_.emplace("attached keyframes", std::move(d));
  });
  add_notes();
  return !work_.found.refused();
}

/// What of joints is known only when everything has been read.
void MjcfReader::note_joints() {
  std::vector<bool> parent(model_.bodies.size(), false);
  for (const MjcfBody& body : model_.bodies)
    if (body.parent >= 0) parent[static_cast<std::size_t>(body.parent)] = true;
  const auto note = [&](const MjcfJoint& joint, const char* code, const std::string& what, const std::string& hint) {
    Diagnostic d;
    d.code = code;
    d.file = joint.place.file;
    d.line = joint.place.line;
    d.column = joint.place.column;
    d.path = joint.place.path;
    d.found = what;
    d.hint = hint;
    notes_.emplace(code + what, std::move(d));
  };
  for (std::size_t k = 1; k < model_.bodies.size(); ++k)
    for (const MjcfJoint& joint : model_.bodies[k].joints) {
      if (joint.aligned && !parent[k])
        note(joint, "N_MJCF_ALIGNED", "a free body aligned with its principal axes",
             "its frame stays as written; q of MuJoCo is that of the frame of the principal axes");
      if (joint.uneven_effort)
        note(joint, "N_MJCF_EFFORT", "actuatorfrcrange that differs in its two directions",
             "the larger one bounds both");
    }
}

/// Findings that are made once of many places.
void MjcfReader::add_notes() {
  for (auto& [key, d] : notes_) {
    const bool mesh = key.starts_with(k_mjcf_absent);
    if (mesh && more_meshes_ > 0)
      d.found += ", and " + std::to_string(more_meshes_) + (more_meshes_ > 1 ? " more meshes" : " more mesh");
    work_.found.add(mesh && work_.options.mode == Mode::strict ? detail::Weight::warn : detail::Weight::note, d);
  }
}

/// Attributes stay as they are where an element does not give them: several <compiler> add up, the last value wins.
void MjcfReader::compiler(pugi::xml_node node) {
  const MjcfFields of{node};
  MjcfCompiler& c = compiler_;
  c.angles.degree = values_.word(of, "angle", {"radian", "degree"}, c.angles.degree ? 1 : 0) == 1;
  if (const char* sequence = of.text("eulerseq")) {
    if (std::string_view(sequence).size() == 3 &&
        std::string_view(sequence).find_first_not_of("xyzXYZ") == std::string_view::npos) {
      c.angles.sequence = sequence;
    } else {
      values_.refuse(node, "E_MJCF_VALUE", "eulerseq " + detail::quoted(sequence), "three letters of x y z X Y Z");
    }
  }
  if (values_.word(of, "coordinate", {"local", "global"}, 0) == 1)
    values_.refuse(node, "E_MJCF_UNSUPPORTED", "coordinate 'global'", "local",
                   "MuJoCo gave it up in 2.3.4: load and save the file with MuJoCo 2.3.3");
  c.auto_limits = values_.flag(of, "autolimits", c.auto_limits);
  c.balance = values_.flag(of, "balanceinertia", c.balance);
  c.align_free = values_.flag(of, "alignfree", c.align_free);
  c.from_geom = static_cast<MjcfCompiler::FromGeom>(
      values_.word(of, "inertiafromgeom", {"false", "true", "auto"}, static_cast<int>(c.from_geom)));
  values_.numbers(of, "inertiagrouprange", 2, 2, c.group_range);
  values_.number(of, "boundmass", c.bound_mass);
  values_.number(of, "boundinertia", c.bound_inertia);
  values_.number(of, "settotalmass", c.total_mass);
  model_.has_total_mass = c.total_mass > 0;
  c.strip_path = values_.flag(of, "strippath", c.strip_path);
  if (const char* folder = of.text("assetdir")) c.mesh_folder = folder;
  if (const char* folder = of.text("meshdir")) c.mesh_folder = folder;
}

void MjcfReader::option(pugi::xml_node node) {
  Vec3<double> gravity = model_.gravity.value_or(Vec3<double>{0, 0, -9.81});
  if (node.attribute("gravity") && values_.vector(MjcfFields{node}, "gravity", gravity)) model_.gravity = gravity;
  document_.each(node, [&](pugi::xml_node flag) {
    weightless_ = values_.word(MjcfFields{flag}, "gravity", {"enable", "disable"}, weightless_ ? 1 : 0) == 1;
  });
}

MjcfFields MjcfReader::fields(pugi::xml_node node, MjcfKind kind, int inherited) const {
  return {node, defaults_.record(defaults_.of(node, inherited), kind)};
}

bool MjcfReader::short_enough(const char* what, const std::string& name, pugi::xml_node node) {
  if (static_cast<long>(name.size()) <= work_.options.limits.name_bytes) return true;
  document_.refuse(node, "E_NAME", std::string(what) + " of " + std::to_string(name.size()) + " bytes",
                   "at most " + std::to_string(work_.options.limits.name_bytes) + " bytes");
  return false;
}

/// False, with a finding, where an element of that kind has the name already. No name is always new. Long names count
/// as elements: copies multiply them.
bool MjcfReader::take_name(const char* kind, const std::string& name, pugi::xml_node node) {
  if (name.empty()) return true;
  if (!short_enough("a name", name, node)) return false;
  if (!spend(node, static_cast<long>(name.size() / 64))) return false;
  if (names_[kind].insert(name).second) return true;
  document_.refuse(node, "E_DUPLICATE", std::string(kind) + ' ' + detail::quoted(name) + " again",
                   std::string("a name that no other ") + kind + " has");
  return false;
}

void MjcfReader::unknown(pugi::xml_node node, const char* kind, const std::string& name,
                         const std::unordered_map<std::string, int>& known) const {
  std::vector<std::string> names;
  if (known.size() <= 2000)
    for (const auto& [n, index] : known) names.push_back(n);
  document_.refuse(node, "E_MJCF_REFERENCE", std::string(kind) + ' ' + detail::quoted(name),
                   std::string("the name of a ") + kind, work_.found.did_you_mean(name, names));
}

/// The name that an MJCF gives itself: looked for once in each file. Its content is read when it is attached.
std::string MjcfReader::own_name(pugi::xml_node node, const std::string& path) {
  const auto [it, fresh] = work_.model_names.try_emplace(path);
  if (!fresh) return it->second;
  std::string text;
  unread_ = true;
  if (!read_text(path, work_.options.limits.file_bytes, text, work_.found)) return {};
  XmlDocument look(std::move(text), path, path, work_.options.limits, work_.found);
  if (!look.parse() || !spend(node, look.seen().elements)) return {};
  unread_ = false;
  return it->second = look.root().attribute("model").value();
}

void MjcfReader::asset(pugi::xml_node node) {
  document_.each(node, [&](pugi::xml_node child) {
    if (work_.exhausted || unread_) return;
    const std::string_view kind = child.name();
    if (kind == "mesh") mesh(child);
    if (kind == "material") material(child);
    if (kind != "model") return;
    const MjcfFields of{child};
    const std::string file = values_.name_of(of, "file");
    if (file.empty()) return values_.refuse(child, "E_MJCF_REFERENCE", "<model> without a file", "file=\"...\"");
    std::string name = values_.name_of(of);
    if (name.empty() && !document_.folder().empty()) {
      const std::string path = document_.part(child, file);
      if (path.empty()) return;
      name = own_name(child, path);
      if (unread_) return;
    }
    if (name.empty()) name = std::filesystem::path(file).stem().string();
    if (take_name("model", name, child)) models_[name].file = file;
  });
}

/// <key>: as many numbers as MuJoCo has; those that are absent are the pose drawn and rest.
void MjcfReader::keyframes(pugi::xml_node node) {
  std::vector<double> drawn;
  for (const MjcfBody& body : model_.bodies)
    for (const MjcfJoint& joint : body.joints) {
      if (joint.kind == MjcfJoint::Kind::hinge || joint.kind == MjcfJoint::Kind::slide)
        drawn.push_back(joint.reference);
      if (joint.kind == MjcfJoint::Kind::ball) drawn.insert(drawn.end(), {1, 0, 0, 0});
      if (joint.kind != MjcfJoint::Kind::free) continue;
      const Quat<double> q = from_rotation(body.pose.R);
      drawn.insert(drawn.end(), {body.pose.p.x, body.pose.p.y, body.pose.p.z, q.w, q.x, q.y, q.z});
    }
  std::size_t nv = 0;
  for (const MjcfBody& body : model_.bodies)
    for (const MjcfJoint& joint : body.joints) nv += static_cast<std::size_t>(joint.freedoms());
  document_.each(node, [&](pugi::xml_node child) {
    if (!spend(child)) return;
    MjcfKey key{values_.name_of(MjcfFields{child}), drawn, std::vector<double>(nv, 0.0), document_.place_of(child)};
    if (!take_name("key", key.name, child)) return;
    const auto list = [&](const char* name, std::vector<double>& out) {
      const pugi::xml_attribute a = child.attribute(name);
      if (!a) return true;
      std::vector<std::string_view> parts(out.size() + 1);
      const int room = static_cast<int>(parts.size());
      const int given = tokens(a.value(), parts.data(), room, room);
      if (given != static_cast<int>(out.size())) {
        document_.refuse(child, "E_VECTOR_SIZE",
                         std::string(name) + " of " + (given < room ? std::to_string(given) : "more") + " numbers",
                         std::to_string(out.size()) + " numbers");
        return false;
      }
      for (std::size_t k = 0; k < out.size(); ++k)
        if (const NumberFault fault = parse_number(parts[k], out[k]); fault != NumberFault::none) {
          document_.refuse(child, "E_NUMBER", std::string(name) + ' ' + detail::quoted(parts[k]),
                           "a finite decimal number", explain(fault));
          return false;
        }
      return true;
    };
    if (!list("qpos", key.q) || !list("qvel", key.v)) return;
    model_.keys.push_back(std::move(key));
    work_.elements += static_cast<long>(drawn.size() / 8);  // keys of large models are work, too
  });
}

RobotDocument read_mjcf_document(XmlDocument& document, const LoadOptions& options, detail::Findings& found) {
  MjcfWork work{options, found};
  MjcfDocument all(document, work);
  if (!all.include_all()) return {};
  MjcfReader reader(all, work);
  return reader.read() ? mjcf_robot(std::move(reader.model()), options.root == "fixed", work) : RobotDocument();
}

}  // namespace zwang::io
