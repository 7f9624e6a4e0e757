// SPDX-License-Identifier: BSD-3-Clause
// Trees, chains in them, and parts of them.
#include <algorithm>
#include <kdl/tree.hpp>

namespace KDL {

Tree::Tree(const std::string& root_name) : root_name_(root_name), stamp_(detail::new_stamp()) {
  segments_.emplace(root_name, TreeElement::Root(root_name));
}

Tree::Tree(const Tree& in) : root_name_(in.root_name_) { take(in); }

Tree& Tree::operator=(const Tree& in) {
  if (this == &in) return *this;
  segments_.clear();
  root_name_ = in.root_name_;
  take(in);
  return *this;
}

/// Copies the elements first, then points parents and children at the copies.
void Tree::take(const Tree& in) {
  stamp_ = detail::new_stamp();
  joints_ = in.joints_;
  segments_ = in.segments_;
  for (auto& [name, element] : segments_) {
    const TreeElement& original = in.segments_.at(name);
    if (name != root_name_) element.parent = segments_.find(original.parent->first);
    for (std::size_t i = 0; i < element.children.size(); ++i)
      element.children[i] = segments_.find(original.children[i]->first);
  }
}

bool Tree::addSegment(const Segment& segment, const std::string& hook_name) {
  const auto hook = segments_.find(hook_name);
  if (hook == segments_.end() || segments_.count(segment.getName()) != 0) return false;
  const bool moves = segment.getJoint().getType() != Joint::Fixed;
  const auto added = segments_.emplace(segment.getName(), TreeElement(segment, hook, moves ? joints_ : 0)).first;
  hook->second.children.push_back(added);
  joints_ += moves;
  stamp_ = detail::new_stamp();
  return true;
}

bool Tree::addChain(const Chain& chain, const std::string& hook_name) {
  if (segments_.count(hook_name) == 0) return false;
  for (std::size_t i = 0; i < chain.segments.size(); ++i) {
    const std::string& name = chain.segments[i].getName();
    if (segments_.count(name) != 0) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (chain.segments[j].getName() == name) return false;
  }
  std::string hook = hook_name;
  for (const Segment& segment : chain.segments) {
    addSegment(segment, hook);
    hook = segment.getName();
  }
  return true;
}

/// Depth first, children in their order.
bool Tree::attach_children(const SegmentMap::const_iterator& of, const std::string& hook_name) {
  struct Open {
    SegmentMap::const_iterator element;
    std::string hook;
  };
  std::vector<Open> open;
  const auto push = [&open](const TreeElement& element, const std::string& hook) {
    for (auto child = element.children.rbegin(); child != element.children.rend(); ++child)
      open.push_back({*child, hook});
  };
  push(of->second, hook_name);
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    if (!addSegment(next.element->second.segment, next.hook)) return false;
    push(next.element->second, next.element->first);
  }
  return true;
}

bool Tree::addTree(const Tree& tree, const std::string& hook_name) {
  if (this == &tree || segments_.count(hook_name) == 0) return false;
  for (const auto& [name, element] : tree.segments_)
    if (name != tree.root_name_ && segments_.count(name) != 0) return false;
  return attach_children(tree.getRootSegment(), hook_name);
}

namespace {

/// The motion of `segment` seen from its tip: from the tip back to its reference frame, with the parent's body.
Segment reversed(const Segment& segment, const Segment& parent) {
  const Joint& joint = segment.getJoint();
  const Frame back = segment.getFrameToTip().Inverse();
  const Joint::JointType type = joint.getType();
  if (type == Joint::Fixed) return Segment(parent.getName(), joint, back, parent.getInertia());
  const Joint turned(joint.getName(), back * joint.JointOrigin(), back.M * -joint.JointAxis(),
                     type <= Joint::RotZ ? Joint::RotAxis : Joint::TransAxis, joint.getScale(), joint.getOffset(),
                     joint.getInertia(), joint.getDamping(), joint.getStiffness());
  return Segment(parent.getName(), turned, back, parent.getInertia());
}

}  // namespace

bool Tree::getChain(const std::string& chain_root, const std::string& chain_tip, Chain& chain) const {
  const auto root = segments_.find(chain_root), tip = segments_.find(chain_tip);
  if (root == segments_.end() || tip == segments_.end()) return false;
  const auto path = [this](SegmentMap::const_iterator element) {  // to the root of the tree
    std::vector<SegmentMap::const_iterator> elements{element};
    while (elements.back()->first != root_name_) elements.push_back(elements.back()->second.parent);
    return elements;
  };
  std::vector<SegmentMap::const_iterator> up = path(root), down = path(tip);
  while (!up.empty() && !down.empty() && up.back() == down.back()) {  // what both have in common
    up.pop_back();
    down.pop_back();
  }
  Chain out;
  for (const auto& element : up)
    out.addSegment(reversed(element->second.segment, element->second.parent->second.segment));
  for (auto element = down.rbegin(); element != down.rend(); ++element) out.addSegment((*element)->second.segment);
  chain = out;
  return true;
}

bool Tree::getChain(const std::string& chain_root, const std::string& chain_tip, Tree& tree,
                    const std::string& root_name) const {
  Chain chain;
  Tree out(root_name);
  if (!getChain(chain_root, chain_tip, chain) || !out.addChain(chain, root_name)) return false;
  tree = out;
  return true;
}

bool Tree::getSubTree(const std::string& segment_name, Tree& tree) const {
  const auto root = segments_.find(segment_name);
  if (root == segments_.end()) return false;
  Tree out(segment_name);
  out.attach_children(root, segment_name);
  out.segments_.at(segment_name).segment = root->second.segment;
  tree = out;
  return true;
}

bool Tree::getRootSegment(SegmentMap::const_iterator& root) const {
  root = getRootSegment();
  return true;
}

bool Tree::getLeafSegments(SegmentMap& leafs) const {
  leafs.clear();
  for (const auto& [name, element] : segments_)
    if (element.children.empty()) leafs.emplace(name, element);
  return true;
}

bool Tree::getSegment(const std::string& name, SegmentMap::const_iterator& segment) const {
  segment = segments_.find(name);
  return segment != segments_.end();
}

bool Tree::getSegments(SegmentMap& segments) const {
  segments = segments_;
  return true;
}

bool Tree::copy(const std::string& without, Tree& tree) const { return copy(std::vector<std::string>{without}, tree); }

bool Tree::copy(const std::vector<std::string>& without, Tree& tree) const {
  for (const std::string& name : without)
    if (name == root_name_ || segments_.count(name) == 0) return false;
  const auto is_cut = [&without](const std::string& name) {
    return std::find(without.begin(), without.end(), name) != without.end();
  };
  Tree out(root_name_);
  out.segments_.at(root_name_).segment = segments_.at(root_name_).segment;
  // In the order of the numbers of joints, so that those that stay keep their order.
  std::vector<SegmentMap::const_iterator> open{getRootSegment()};
  while (!open.empty()) {
    const auto element = open.back();
    open.pop_back();
    const auto& children = element->second.children;
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      if (!is_cut((*child)->first)) open.push_back(*child);
    if (element->first != root_name_) out.addSegment(element->second.segment, element->second.parent->first);
  }
  tree = out;
  return true;
}

}  // namespace KDL
