// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: <attach>, bodies of another MJCF.
//
// The other file keeps its own compiler, classes and folder. Its bodies come with prefix + name + suffix of copies, and
// with them what refers to nothing else: motors, tendons, equalities, exclusions of contact. Of a whole model, what its
// worldbody holds goes to the body that it is attached to. Where an equality of it names the world, or no second body,
// it means the world of the file that attaches it, with the pose drawn there.
#include <algorithm>
#include <filesystem>

#include "io/mjcf.hpp"

namespace zwang::io {

namespace {

/// Everything that a copy of the body holds.
long elements_of(const MjcfBody& body) {
  return 1 + static_cast<long>(body.joints.size() + body.sites.size() + body.solids.size() + body.shapes.size() +
                               body.planes.size());
}

}  // namespace

/// The reader of an <asset><model>; nullptr, with a finding, where there is none. Read once.
MjcfReader* MjcfReader::attached(pugi::xml_node node, const std::string& model) {
  const auto it = models_.find(model);
  if (it == models_.end() && unread_) return nullptr;
  if (it == models_.end()) {
    std::unordered_map<std::string, int> known;
    for (const auto& [name, file] : models_) known.emplace(name, 0);
    unknown(node, "model", model, known);
    return nullptr;
  }
  ModelFile& own = it->second;
  if (own.tried) return own.good ? own.reader.get() : nullptr;
  if (unread_) return nullptr;
  own.tried = true;
  const auto refused = [&](const std::string& what, const std::string& expected,
                           const std::string& hint = {}) -> MjcfReader* {
    document_.refuse(node, "E_MJCF_INCLUDE", what, expected, hint);
    return nullptr;
  };
  if (nesting_ >= MjcfDocument::k_nesting)
    return refused("models attached " + std::to_string(nesting_ + 1) + " deep",
                   "at most " + std::to_string(MjcfDocument::k_nesting) + " deep");
  unread_ = true;
  const std::string path = document_.part(node, own.file);
  if (path.empty()) return nullptr;
  std::error_code error;
  std::vector<const MjcfDocument*> above = above_;
  above.push_back(&document_);
  for (const MjcfDocument* d : above)
    if (!d->path().empty() && std::filesystem::equivalent(d->path(), path, error))
      return refused(detail::quoted(own.file), "a file that does not attach itself");
  std::string text;
  if (!read_text(path, work_.options.limits.file_bytes, text, work_.found)) return nullptr;
  own.text = std::make_unique<XmlDocument>(std::move(text), path, path, work_.options.limits, work_.found);
  if (!own.text->parse()) return nullptr;
  if (own.text->seen().root != "mujoco")
    return refused(detail::quoted(own.file) + ", whose root is <" + detail::excerpt(own.text->seen().root, 60) + '>',
                   "<mujoco>: an MJCF");
  own.document = std::make_unique<MjcfDocument>(*own.text, work_, document_.enclosing());
  if (!own.document->include_all()) return nullptr;
  own.reader = std::make_unique<MjcfReader>(*own.document, work_, nesting_ + 1);
  own.reader->above_ = std::move(above);
  own.good = own.reader->read();
  unread_ = !own.good;
  return own.good ? own.reader.get() : nullptr;
}

/// One <attach>: what is copied, and where to.
struct MjcfReader::Attachment {
  pugi::xml_node node;
  const Scope& scope;
  const MjcfModel& from;
  const std::string &prefix, &body, &frame;
  bool whole = body.empty() && frame.empty();
  std::vector<int> to = std::vector<int>(from.bodies.size(), -1);          ///< bodies here; -1: not copied
  std::vector<int> frame_to = std::vector<int>(from.frames.size(), -1);    ///< frames within copied bodies
  std::vector<int> first_joint = std::vector<int>(from.bodies.size(), 0);  ///< in model_.joints, of copied bodies
  bool driven = false;                                                     ///< a joint with an actuator came along

  std::string rename(const std::string& name) const { return name.empty() ? name : prefix + name + scope.suffix; }
  int body_here(int k) const { return to[static_cast<std::size_t>(k)]; }
};

void MjcfReader::attach(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  if (!node.attribute("model"))
    return document_.refuse(node, "E_MJCF_REFERENCE", "<attach> without a model", "model=\"...\"");
  const long before = work_.bodies;
  MjcfReader* other = attached(node, values_.name_of(of, "model"));
  if (!other) return;
  work_.bodies = before;  // what counts is what is copied
  const std::string body = values_.name_of(of, "body"), frame = values_.name_of(of, "frame");
  const MjcfModel& from = other->model();
  const std::string prefix = values_.name_of(of, "prefix");
  if (!short_enough("a prefix", prefix, node)) return;
  if (!frame.empty()) {
    const auto same = [&](const MjcfFrame& f) { return f.name == frame; };
    const auto it = std::find_if(from.frames.begin(), from.frames.end(), same);
    if (it != from.frames.end() && it->loaded)
      return document_.refuse(node, "E_MJCF_UNSUPPORTED",
                              "frame " + detail::quoted(frame) + " with geoms, joints or sites",
                              "a frame that holds bodies", "put what it holds into a body");
  }
  Attachment a{node, scope, from, prefix, body, frame};
  note_options(node, from);
  copy_bodies(a);
}

/// Options that the attached file has and this one does not take over.
void MjcfReader::note_options(pugi::xml_node node, const MjcfModel& from) {
  const Vec3<double> standard{0, 0, -9.81}, own = model_.gravity.value_or(standard),
                                            other = from.gravity.value_or(standard);
  if (norm(other - own) > 0)
    values_.warn(node, "W_MJCF_IGNORED", "gravity of the attached model " + detail::quoted(from.name),
                 "that of the file which attaches it", "left out: the gravity of this file counts, as in MuJoCo");
  if (from.has_total_mass)
    values_.warn(node, "W_MJCF_IGNORED", "settotalmass of the attached model " + detail::quoted(from.name), "none",
                 "left out, as in MuJoCo");
}

bool MjcfReader::copy_sites(const Attachment& a, const std::vector<MjcfSite>& sites, int to,
                            const Transform<double>& pose) {
  for (const MjcfSite& site : sites) {
    MjcfBody& target = model_.bodies[static_cast<std::size_t>(to)];
    MjcfSite copy{a.rename(site.name), pose * site.pose};
    if (!take_name("site", copy.name, a.node)) return false;
    if (!copy.name.empty()) site_index_.emplace(copy.name, static_cast<int>(sites_.size()));
    sites_.push_back({to, static_cast<int>(target.sites.size())});
    target.sites.push_back(std::move(copy));
  }
  return true;
}

/// A frame within a copied body, with those around it; -1 stays -1.
int MjcfReader::copy_frame(Attachment& a, int frame) {
  if (frame < 0) return -1;
  int& known = a.frame_to[static_cast<std::size_t>(frame)];
  if (known >= 0 || !spend(a.node)) return known;
  const MjcfFrame& old = a.from.frames[static_cast<std::size_t>(frame)];
  const int around = copy_frame(a, old.around);
  known = static_cast<int>(model_.frames.size());
  model_.frames.push_back({a.rename(old.name), around, old.loaded});
  return known;
}

/// `top`: one of those that are attached; others are inside of a body that was copied.
bool MjcfReader::copy_body(Attachment& a, std::size_t k, bool top) {
  const MjcfBody& old = a.from.bodies[k];
  if (!spend(a.node, elements_of(old))) return false;
  MjcfBody copy = old;
  copy.name = a.rename(old.name);
  copy.parent = top ? a.scope.body : a.body_here(old.parent);
  copy.frame = top ? a.scope.frame : copy_frame(a, old.frame);
  if (top) copy.pose = a.scope.pose * (a.body.empty() ? old.pose : old.own);  // of a body alone, without its frames
  copy.sites.clear();
  for (MjcfJoint& joint : copy.joints) joint.name = a.rename(joint.name);
  const int index = add_body(a.node, std::move(copy));
  if (index < 0) return false;
  a.to[k] = index;
  a.first_joint[k] = static_cast<int>(model_.joints.size());
  if (!copy_sites(a, old.sites, index, Transform<double>::identity())) return false;
  const MjcfBody& fresh = model_.bodies[static_cast<std::size_t>(index)];
  for (std::size_t j = 0; j < fresh.joints.size(); ++j) {
    const MjcfJoint& joint = fresh.joints[j];
    a.driven = a.driven || joint.actuated;
    if (joint.kind == MjcfJoint::Kind::free && fresh.parent != 0 && nesting_ == 0) {
      document_.refuse(a.node, "E_MJCF_JOINT", "a free joint attached inside of another body",
                       "it in a body of the worldbody");
      return false;
    }
    if (!take_name("joint", joint.name, a.node)) return false;
    if (!joint.name.empty()) joint_index_.emplace(joint.name, static_cast<int>(model_.joints.size()));
    model_.joints.push_back({index, static_cast<int>(j)});
  }
  return true;
}

void MjcfReader::copy_bodies(Attachment& a) {
  const MjcfModel& from = a.from;
  constexpr std::size_t k_looks = 16;  // that cost as much as a copy: an attached body is looked for among all
  if (!spend(a.node, static_cast<long>((from.bodies.size() + from.frames.size()) / k_looks))) return;
  if (a.whole) {
    const MjcfBody& world = from.bodies[0];
    if (!spend(a.node, elements_of(world))) return;
    MjcfBody& target = model_.bodies[static_cast<std::size_t>(a.scope.body)];
    for (MjcfSolid solid : world.solids) {
      solid.pose = a.scope.pose * solid.pose;
      target.solids.push_back(std::move(solid));
    }
    for (Shape shape : world.shapes) {
      shape.origin = a.scope.pose * shape.origin;
      target.shapes.push_back(std::move(shape));
    }
    target.planes.insert(target.planes.end(), world.planes.begin(), world.planes.end());
    if (!copy_sites(a, world.sites, a.scope.body, a.scope.pose)) return;
  }
  std::vector<bool> within(from.frames.size(), false);  // the frame that is attached, and those in it
  for (std::size_t f = 0; f < from.frames.size() && !a.frame.empty(); ++f) {
    const MjcfFrame& it = from.frames[f];
    within[f] = it.name == a.frame || (it.around >= 0 && within[static_cast<std::size_t>(it.around)]);
  }
  bool found = a.whole;
  for (std::size_t k = 1; k < from.bodies.size(); ++k) {
    const MjcfBody& old = from.bodies[k];
    const bool inside = old.parent != 0 && a.body_here(old.parent) >= 0;
    const bool top = a.whole ? old.parent == 0
                             : (!a.body.empty() && old.name == a.body) ||
                                   (old.frame >= 0 && within[static_cast<std::size_t>(old.frame)]);
    if (!inside && !top) continue;
    found = true;
    if (!copy_body(a, k, !inside)) return;
  }
  if (!found) {
    std::unordered_map<std::string, int> known;
    for (const MjcfBody& b : from.bodies) known.emplace(b.name, 0);
    return unknown(a.node, a.body.empty() ? "frame" : "body", a.body.empty() ? a.frame : a.body, known);
  }
  model_.has_actuators = model_.has_actuators || a.driven;
  copy_tendons(a);
  copy_equalities(a);
  copy_motors(a);
  copy_exclusions(a);
}

/// Those of which the joint came along.
void MjcfReader::copy_motors(const Attachment& a) {
  for (const MjcfMotor& old : a.from.motors) {
    if (!spend(a.node, 1 + static_cast<long>(old.data.attributes.size()))) return;
    MjcfMotor copy = old;
    copy.joint.body = a.body_here(old.joint.body);
    if (copy.joint.body < 0) continue;
    copy.data.name = a.rename(old.data.name);
    if (!take_name("actuator", copy.data.name, a.node)) return;
    model_.motors.push_back(std::move(copy));
  }
}

/// Those of which both bodies came along; the world is that of the file that attaches, as in MuJoCo.
void MjcfReader::copy_exclusions(const Attachment& a) {
  for (const std::array<int, 2>& old : a.from.exclusions) {
    if (!spend(a.node)) return;
    const auto here = [&](int body) { return body == 0 ? 0 : a.body_here(body); };
    if (here(old[0]) >= 0 && here(old[1]) >= 0) model_.exclusions.push_back({here(old[0]), here(old[1])});
  }
}

/// Those of which all joints came along.
void MjcfReader::copy_tendons(const Attachment& a) {
  for (const MjcfTendon& old : a.from.tendons) {
    if (!spend(a.node, 1 + static_cast<long>(old.terms.size()))) return;
    MjcfTendon copy{a.rename(old.name), old.fixed, {}};
    bool here = true;
    for (const auto& [joint, coefficient] : old.terms) {
      const MjcfJointPlace& at = a.from.joints[static_cast<std::size_t>(joint)];
      here = here && a.body_here(at.body) >= 0;
      copy.terms.emplace_back(a.first_joint[static_cast<std::size_t>(at.body)] + at.joint, coefficient);
    }
    if (!here) continue;
    if (!take_name("tendon", copy.name, a.node)) return;
    if (!copy.name.empty()) tendon_index_.emplace(copy.name, static_cast<int>(model_.tendons.size()));
    model_.tendons.push_back(std::move(copy));
  }
}

/// Those of which both ends came along; others are named.
void MjcfReader::copy_equalities(const Attachment& a) {
  for (const MjcfEquality& old : a.from.equalities) {
    if (!spend(a.node, 1 + static_cast<long>(old.joints.size()))) return;
    MjcfEquality copy = old;
    copy.name = a.rename(old.name);
    bool here = true;
    for (int e = 0; e < 2 && old.kind != MjcfEquality::Kind::coupling; ++e) {
      const bool of_world = old.body[e] == 0;
      copy.body[e] = of_world ? 0 : a.body_here(old.body[e]);
      here = here && copy.body[e] >= 0;
      if (!of_world || !old.of_sites) continue;
      here = here && a.whole;  // sites of its world stand on the body now
      copy.body[e] = a.scope.body;
      copy.frame[e] = a.scope.pose * old.frame[e];
    }
    for (MjcfJointPlace& at : copy.joints) {
      at.body = a.body_here(at.body);
      here = here && at.body >= 0;
    }
    if (!here) {
      values_.warn(a.node, "W_MJCF_IGNORED", "equality " + detail::quoted(old.name) + " of the attached model",
                   "both ends in what is attached", "left out, as in MuJoCo: the robot moves otherwise without it");
      continue;
    }
    if (!take_name("equality", copy.name, a.node)) return;
    model_.equalities.push_back(std::move(copy));
  }
}

}  // namespace zwang::io
