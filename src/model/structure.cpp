// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/model/structure.hpp"

#include <algorithm>

namespace zwang {
namespace {

std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

/// Pose in its link of the frame that stands at `number` of Model::frames(): links, then joints, then the user's, which
/// are in the order of the description. As the builder reads the name of what they hang on: the link of that name comes
/// first, though the joint of another link may have it, too.
Transform<double> pose_in_link(const Model& model, std::size_t number) {
  const std::size_t links = model.links().size(), users = links + model.joints().size();
  Transform<double> pose = Transform<double>::identity();
  while (number >= users) {
    const FrameDescription& f = model.description().frames[number - users];
    pose = f.placement * pose;
    const LinkId link = model.find_link(f.parent);
    number = as_size(link ? link.value : model.find_frame(f.parent).value);
  }
  return number < links ? pose : model.joints()[number - links].description.child_origin * pose;
}

void check_id(Index id, std::size_t count, const char* what) {
  if (id < 0 || as_size(id) >= count)
    throw std::invalid_argument("zwang::subtree_layout: " + std::string(what) + " " + std::to_string(id) +
                                ", expected 0 to " + std::to_string(static_cast<Index>(count) - 1));
}

/// Ranges of coordinates, each coordinate once.
std::vector<Index> together(const std::vector<Range>& ranges) {
  std::vector<Index> all;
  for (const Range& r : ranges)
    for (Index k = r.first; k < r.end(); ++k) all.push_back(k);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Of `first`, where there is one, and of all joints behind `link`.
Layout behind(const Model& model, LinkId link, const Joint* first) {
  std::vector<char> carried(model.links().size(), 0);
  carried[as_size(link.value)] = 1;
  std::vector<Range> q, v;
  for (const Joint& j : model.joints()) {  // depth first
    const bool is_behind = j.parent && carried[as_size(j.parent.value)];
    if (is_behind) carried[as_size(j.child.value)] = 1;
    if (!is_behind && &j != first) continue;
    q.push_back(j.q);
    v.push_back(j.v);
  }
  return {together(q), together(v)};
}

}  // namespace

FramePlace place_of(const Model& model, FrameId frame) {
  const LinkId link = model.frame(frame).link;
  return {link, model.links()[as_size(link.value)].joint, pose_in_link(model, as_size(frame.value))};
}

Layout subtree_layout(const Model& model, LinkId link) {
  check_id(link.value, model.links().size(), "link");
  return behind(model, link, nullptr);
}
Layout subtree_layout(const Model& model, JointId joint) {
  check_id(joint.value, model.joints().size(), "joint");
  const Joint& j = model.joints()[as_size(joint.value)];
  return behind(model, j.child, &j);
}

}  // namespace zwang
