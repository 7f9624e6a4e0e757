// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: <attach>, bodies of another MJCF.
//
// The other file keeps its own compiler, classes and folder. Its bodies come with prefix + name + suffix of copies, and
// with them what refers to nothing else: actuators and equalities. Of a whole model, what its worldbody holds goes to
// the body that it is attached to, and its world means that body.
#include <algorithm>
#include <filesystem>

#include "io/mjcf.hpp"

namespace zwang::io {

/// The reader of an <asset><model>; nullptr, with a finding, where there is none. Read once.
MjcfReader* MjcfReader::attached(pugi::xml_node node, const std::string& model) {
  const auto it = models_.find(model);
  if (it == models_.end()) {
    std::unordered_map<std::string, int> known;
    for (const auto& [name, file] : models_) known.emplace(name, 0);
    unknown(node, "model", model, known);
    return nullptr;
  }
  ModelFile& own = it->second;
  if (own.tried) return own.good ? own.reader.get() : nullptr;
  own.tried = true;
  const auto refused = [&](const std::string& what, const std::string& expected,
                           const std::string& hint = {}) -> MjcfReader* {
    document_.refuse(node, "E_MJCF_INCLUDE", what, expected, hint);
    return nullptr;
  };
  if (nesting_ >= MjcfDocument::k_nesting)
    return refused("models attached " + std::to_string(nesting_ + 1) + " deep",
                   "at most " + std::to_string(MjcfDocument::k_nesting) + " deep");
  std::filesystem::path path(own.file);
  if (path.is_relative()) {
    if (document_.folder().empty())
      return refused(detail::quoted(own.file), "a text without other files",
                     "a text has no folder: set base_directory, or load the file by its name");
    path = std::filesystem::path(document_.folder()) / path;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return refused("no file " + detail::quoted(path.string()), "a file relative to the folder of the main file");
  std::vector<const MjcfDocument*> above = above_;
  above.push_back(&document_);
  for (const MjcfDocument* d : above)
    if (!d->path().empty() && std::filesystem::equivalent(d->path(), path, error))
      return refused(detail::quoted(own.file), "a file that does not attach itself");
  std::string text;
  if (!read_text(path.string(), work_.options.limits.file_bytes, text, work_.found)) return nullptr;
  own.text =
      std::make_unique<XmlDocument>(std::move(text), path.string(), path.string(), work_.options.limits, work_.found);
  if (!own.text->parse()) return nullptr;
  if (own.text->seen().root != "mujoco")
    return refused(detail::quoted(own.file) + ", whose root is <" + detail::excerpt(own.text->seen().root, 60) + '>',
                   "<mujoco>: an MJCF");
  own.document = std::make_unique<MjcfDocument>(*own.text, work_);
  if (!own.document->include_all()) return nullptr;
  own.reader = std::make_unique<MjcfReader>(*own.document, work_, nesting_ + 1);
  own.reader->above_ = std::move(above);
  own.good = own.reader->read();
  return own.good ? own.reader.get() : nullptr;
}

void MjcfReader::attach(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  if (!node.attribute("model"))
    return document_.refuse(node, "E_MJCF_REFERENCE", "<attach> without a model", "model=\"...\"");
  const long before = work_.bodies;
  MjcfReader* other = attached(node, values_.name_of(of, "model"));
  if (!other) return;
  work_.bodies = before;  // what counts is what is copied
  const std::string body = values_.name_of(of, "body"), frame = values_.name_of(of, "frame");
  copy_bodies(node, scope, other->model(), values_.name_of(of, "prefix"), body, frame);
}

void MjcfReader::copy_bodies(pugi::xml_node node, const Scope& scope, const MjcfModel& from, const std::string& prefix,
                             const std::string& body, const std::string& frame) {
  const bool whole = body.empty() && frame.empty();
  if (!frame.empty() && from.loaded_frames.count(frame))
    return document_.refuse(node, "E_MJCF_UNSUPPORTED",
                            "frame " + detail::quoted(frame) + " with geoms, joints or sites",
                            "a frame that holds bodies", "put what it holds into a body");
  const auto rename = [&](const std::string& name) { return name.empty() ? name : prefix + name + scope.suffix; };
  const auto add_sites = [&](const std::vector<MjcfSite>& sites, int to, const Transform<double>& pose) {
    for (const MjcfSite& site : sites) {
      MjcfBody& target = model_.bodies[static_cast<std::size_t>(to)];
      MjcfSite copy{rename(site.name), pose * site.pose};
      if (!take_name("site", copy.name, node)) return;
      if (!copy.name.empty()) site_index_.emplace(copy.name, static_cast<int>(sites_.size()));
      sites_.push_back({to, static_cast<int>(target.sites.size())});
      target.sites.push_back(std::move(copy));
    }
  };
  std::vector<int> to(from.bodies.size(), -1);
  Transform<double> world = Transform<double>::identity();
  if (whole) {
    MjcfBody& target = model_.bodies[static_cast<std::size_t>(scope.body)];
    for (MjcfSolid solid : from.bodies[0].solids) {
      solid.pose = scope.pose * solid.pose;
      target.solids.push_back(std::move(solid));
    }
    for (Shape shape : from.bodies[0].shapes) {
      shape.origin = scope.pose * shape.origin;
      target.shapes.push_back(std::move(shape));
    }
    target.planes.insert(target.planes.end(), from.bodies[0].planes.begin(), from.bodies[0].planes.end());
    add_sites(from.bodies[0].sites, scope.body, scope.pose);
  }
  to[0] = scope.body;
  world = scope.pose;
  bool found = whole;
  for (std::size_t k = 1; k < from.bodies.size(); ++k) {
    const MjcfBody& old = from.bodies[k];
    const int parent = to[static_cast<std::size_t>(old.parent)];
    const bool inside = old.parent != 0 && parent >= 0;
    const bool top =
        whole ? old.parent == 0
              : (!body.empty() && old.name == body) ||
                    (!frame.empty() && std::find(old.frames.begin(), old.frames.end(), frame) != old.frames.end());
    if (!inside && !top) continue;
    found = true;
    if (!spend(node)) return;
    MjcfBody copy = old;
    copy.name = rename(old.name);
    copy.parent = inside ? parent : scope.body;
    if (!inside) {
      copy.pose = scope.pose * (body.empty() ? old.pose : old.own);  // of a body alone, without its frames
      copy.frames = scope.frames;
    }
    copy.sites.clear();
    for (MjcfJoint& joint : copy.joints) joint.name = rename(joint.name);
    const int index = add_body(node, std::move(copy));
    if (index < 0) return;
    to[k] = index;
    add_sites(old.sites, index, Transform<double>::identity());
    const MjcfBody& fresh = model_.bodies[static_cast<std::size_t>(index)];
    for (std::size_t j = 0; j < fresh.joints.size(); ++j) {
      const MjcfJoint& joint = fresh.joints[j];
      if (joint.kind == MjcfJoint::Kind::free && fresh.parent != 0 && nesting_ == 0)
        return document_.refuse(node, "E_MJCF_JOINT", "a free joint attached inside of another body",
                                "it in a body of the worldbody");
      if (!take_name("joint", joint.name, node)) return;
      if (!joint.name.empty()) joint_index_.emplace(joint.name, static_cast<int>(model_.joints.size()));
      model_.joints.push_back({index, static_cast<int>(j)});
    }
  }
  if (!found) {
    std::unordered_map<std::string, int> known;
    for (const MjcfBody& b : from.bodies) known.emplace(b.name, 0);
    return unknown(node, body.empty() ? "frame" : "body", body.empty() ? frame : body, known);
  }
  model_.has_actuators = model_.has_actuators || from.has_actuators;
  for (const MjcfEquality& old : from.equalities) {
    MjcfEquality copy = old;
    copy.name = rename(old.name);
    bool here = true;
    for (int e = 0; e < 2; ++e) {
      if (old.kind == MjcfEquality::Kind::coupling) break;
      if (old.body[e] == 0) copy.frame[e] = world * old.frame[e];
      copy.body[e] = to[static_cast<std::size_t>(old.body[e])];
      here = here && copy.body[e] >= 0;
    }
    for (MjcfJointPlace& at : copy.joints) {
      at.body = to[static_cast<std::size_t>(at.body)];
      here = here && at.body >= 0;
    }
    if (!here) continue;
    if (!take_name("equality", copy.name, node)) return;
    model_.equalities.push_back(std::move(copy));
  }
}

}  // namespace zwang::io
