// SPDX-License-Identifier: BSD-3-Clause
// Tree: segments by name, each attached to the tip of its parent.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "chain.hpp"
#include "config.h"

namespace KDL {

class TreeElement;
typedef std::map<std::string, TreeElement> SegmentMap;

#define GetTreeElementChildren(tree_element) (tree_element).children
#define GetTreeElementParent(tree_element) (tree_element).parent
#define GetTreeElementQNr(tree_element) (tree_element).q_nr
#define GetTreeElementSegment(tree_element) (tree_element).segment

class TreeElement {
 public:
  Segment segment;
  unsigned int q_nr;  ///< place of its joint in a JntArray; 0 where the joint is fixed
  SegmentMap::const_iterator parent;
  std::vector<SegmentMap::const_iterator> children;  ///< in the order in which they were added

  TreeElement(const Segment& segment_in, const SegmentMap::const_iterator& parent_in, unsigned int q_nr_in)
      : segment(segment_in),
        q_nr(q_nr_in),
        parent(parent_in) {}
  static TreeElement Root(const std::string& root_name) { return TreeElement(root_name); }

 private:
  explicit TreeElement(const std::string& name) : segment(name), q_nr(0), parent() {}
};

class Tree {
 public:
  /// A root that is fixed, without a body of its own.
  explicit Tree(const std::string& root_name = "root");
  /// Copies keep names, numbers of joints and inertias.
  Tree(const Tree& in);
  Tree& operator=(const Tree& in);
  virtual ~Tree() = default;

  /// Attach a copy to the segment `hook_name`; false, and nothing is added,
  /// where there is no such segment or a name is there already.
  bool addSegment(const Segment& segment, const std::string& hook_name);
  bool addChain(const Chain& chain, const std::string& hook_name);
  /// Everything but the root of the other tree.
  bool addTree(const Tree& tree, const std::string& hook_name);

  unsigned int getNrOfJoints() const { return joints_; }  ///< that move
  unsigned int getNrOfSegments() const {
    return static_cast<unsigned int>(segments_.size()) - 1;
  }  ///< without the root

  /// getSegments().end() where there is none.
  SegmentMap::const_iterator getSegment(const std::string& segment_name) const { return segments_.find(segment_name); }
  SegmentMap::const_iterator getRootSegment() const { return segments_.find(root_name_); }
  const SegmentMap& getSegments() const { return segments_; }

  /// What the tree is known by: new after every change, and for every copy.
  std::uint64_t stamp() const { return stamp_; }

  /// From the tip of one segment to the tip of another. On the way towards the root, segments are reversed: each is
  /// then named after the body it carries, its parent's. Scale, offset and inertia of joints are kept.
  bool getChain(const std::string& chain_root, const std::string& chain_tip, Chain& chain) const;
  /// What hangs at a segment, which becomes the root.
  bool getSubTree(const std::string& segment_name, Tree& tree) const;

  // The interface that KDL discussed as 1.1: the result is the last argument, false says that there is none.
  bool getRootSegment(SegmentMap::const_iterator& root) const;
  bool getLeafSegments(SegmentMap& leafs) const;  ///< those without children
  bool getSegment(const std::string& name, SegmentMap::const_iterator& segment) const;
  bool getSegments(SegmentMap& segments) const;
  /// The chain as a tree with that root.
  bool getChain(const std::string& chain_root, const std::string& chain_tip, Tree& tree,
                const std::string& root_name = "root") const;
  /// Without a segment, or several, and what hangs at them. Numbers of joints close up.
  bool copy(const std::string& without, Tree& tree) const;
  bool copy(const std::vector<std::string>& without, Tree& tree) const;

 private:
  void take(const Tree& in);
  bool attach_children(const SegmentMap::const_iterator& of, const std::string& hook_name);
  SegmentMap segments_;
  std::string root_name_;
  unsigned int joints_ = 0;
  std::uint64_t stamp_;
};

}  // namespace KDL
