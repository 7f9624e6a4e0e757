// SPDX-License-Identifier: BSD-3-Clause
// Trees, and chains and trees that are taken out of them: they move, and weigh, as the tree does.
#include <gtest/gtest.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/kinfam_io.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <limits>
#include <memory>
#include <set>

#include "support.hpp"

namespace zwang::test {
namespace {

using namespace KDL;

constexpr double k_eps = std::numeric_limits<double>::epsilon();

/// Number of the tree's joint with the name that a segment's joint has.
unsigned int number_in(const Tree& tree, const Joint& joint) {
  for (const auto& [name, element] : tree.getSegments())
    if (element.segment.getJoint().getName() == joint.getName() && joint.getType() != Joint::Fixed) return element.q_nr;
  ADD_FAILURE() << "no joint " << joint.getName();
  return 0;
}

/// The numbers of a chain's joints, out of those of the tree.
JntArray part_of(const Tree& tree, const Chain& chain, const JntArray& q) {
  JntArray out(chain.getNrOfJoints());
  unsigned int j = 0;
  for (const Segment& segment : chain.segments)
    if (segment.getJoint().getType() != Joint::Fixed) out(j++) = q(number_in(tree, segment.getJoint()));
  return out;
}

std::string name_of(KdlDraw& draw, const Tree& tree) {
  auto it = tree.getSegments().begin();
  std::advance(it, draw.index(static_cast<int>(tree.getSegments().size())));
  return it->first;
}

TEST(KdlTree, ChainsBetweenAnyTwoTipsMoveAsTheTreeDoes) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    KdlDraw draw(seed);
    const Tree tree = draw.tree(9, false, seed % 2 == 0);
    const JntArray q = draw.joints(tree.getNrOfJoints(), 2);
    TreeFkSolverPos_recursive fk(tree);
    for (int pair = 0; pair < 10; ++pair) {
      const std::string from = name_of(draw, tree), to = name_of(draw, tree);
      Chain chain;
      ASSERT_TRUE(tree.getChain(from, to, chain));
      Frame at_from, at_to, between;
      ASSERT_EQ(fk.JntToCart(q, at_from, from), 0);
      ASSERT_EQ(fk.JntToCart(q, at_to, to), 0);
      ASSERT_EQ(ChainFkSolverPos_recursive(chain).JntToCart(part_of(tree, chain, q), between), 0);
      // Sums of up to 18 products of rotations with coordinates up to 20.
      EXPECT_TRUE(Equal(between, at_from.Inverse() * at_to, 2000 * k_eps)) << seed << ' ' << from << ' ' << to;
      // KDL 1.5.1 adds the poses of the segments up; each of ours is of its own, too.
      Frame product;
      unsigned int j = 0;
      const JntArray part = part_of(tree, chain, q);
      for (const Segment& segment : chain.segments)
        product = product * segment.pose(segment.getJoint().getType() == Joint::Fixed ? 0 : part(j++));
      EXPECT_TRUE(Equal(between, product, 2000 * k_eps));
    }
  }
}

TEST(KdlTree, ReversedSegmentsKeepWhatTheirJointsAre) {
  Tree tree;
  const Joint joints[] = {Joint("a", Joint::RotX, 2, 0.5, 0.25, 0.1, 0.2),
                          Joint("b", Vector(0.1, 0.2, 0.3), Vector(1, 1, 0), Joint::TransAxis, -3, 0.4, 0.7, 0.3, 0.4),
                          Joint("c", Joint::Fixed)};
  std::string hook = "root";
  for (const Joint& joint : joints) {
    const std::string name = "segment of " + joint.getName();
    ASSERT_TRUE(tree.addSegment(Segment(name, joint, Frame(Rotation::RotY(0.3), Vector(0, 0, 1)),
                                        RigidBodyInertia(1 + hook.size(), Vector(0.1, 0, 0))),
                                hook));
    hook = name;
  }
  Chain chain;
  ASSERT_TRUE(tree.getChain(hook, "root", chain));
  ASSERT_EQ(chain.getNrOfSegments(), 3u);
  const char* const names[] = {"segment of b", "segment of a", "root"};  // each after the body that it carries
  for (int i = 0; i < 3; ++i) {
    const Segment& segment = chain.getSegment(i);
    const Joint &back = segment.getJoint(), &there = joints[2 - i];
    EXPECT_EQ(segment.getName(), names[i]);
    EXPECT_EQ(back.getName(), there.getName());
    EXPECT_EQ(back.getScale(), there.getScale());
    EXPECT_EQ(back.getOffset(), there.getOffset());
    EXPECT_EQ(back.getInertia(), there.getInertia());
    EXPECT_EQ(back.getDamping(), there.getDamping());
    EXPECT_EQ(back.getStiffness(), there.getStiffness());
    EXPECT_EQ(segment.getInertia().getMass(), tree.getSegment(names[i])->second.segment.getInertia().getMass());
  }
}

/// Of the bodies behind the first segment of a chain, by differences of the tree's poses, and of its rotors.
double kinetic_energy(const Tree& tree, const Chain& chain, const std::string& base, const JntArray& q,
                      const JntArray& v) {
  TreeFkSolverPos_recursive fk(tree);
  constexpr double h = 1e-5;
  const auto seen_from_base = [&](double t, const std::string& name) {
    JntArray moved(q);
    moved.data += t * v.data;
    Frame at_base, at_body;
    EXPECT_EQ(fk.JntToCart(moved, at_base, base), 0);
    EXPECT_EQ(fk.JntToCart(moved, at_body, name), 0);
    return at_base.Inverse() * at_body;
  };
  double out = 0;
  for (const Segment& segment : chain.segments) {
    const std::string& name = segment.getName();
    const Rotation M = seen_from_base(0, name).M;
    const Twist twist = M.Inverse(diff(seen_from_base(-h, name), seen_from_base(h, name), 2 * h));
    out += dot(twist, tree.getSegment(name)->second.segment.getInertia() * twist) / 2;
    if (segment.getJoint().getType() == Joint::Fixed) continue;
    const double rate = v(number_in(tree, segment.getJoint()));
    out += segment.getJoint().getInertia() * rate * rate / 2;
  }
  return out;
}

TEST(KdlTree, ReversedChainsWeighWhatTheTreeWeighs) {
  int with_root = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    KdlDraw draw(seed);
    Tree whole = draw.tree(10, false, seed % 2 == 0), tree;
    // A tree whose root has a body: what hangs at the first segment.
    ASSERT_TRUE(whole.getSubTree("segment 0", tree));
    if (tree.getNrOfJoints() == 0) continue;
    const JntArray q = draw.joints(tree.getNrOfJoints()), v = draw.joints(tree.getNrOfJoints());
    for (int pair = 0; pair < 5; ++pair) {
      const std::string from = name_of(draw, tree), to = pair == 0 ? "segment 0" : name_of(draw, tree);
      Chain chain;
      ASSERT_TRUE(tree.getChain(from, to, chain));
      if (chain.getNrOfJoints() == 0) continue;
      with_root += to == "segment 0";
      const JntArray part = part_of(tree, chain, q), rate = part_of(tree, chain, v);
      JntSpaceInertiaMatrix M(part.rows());
      ASSERT_EQ(ChainDynParam(chain, Vector::Zero()).JntToMass(part, M), 0);
      const double energy = rate.data.dot(M.data * rate.data) / 2;
      // Central differences: eps / h in velocities, h^2 in their third derivatives.
      EXPECT_NEAR(energy, kinetic_energy(tree, chain, from, q, v), 1e-7 * (1 + energy)) << seed;
    }
  }
  EXPECT_GT(with_root, 5) << "the root's body is among them";
}

void expect_same(const Tree& a, const Tree& b) {
  EXPECT_EQ(a.getNrOfJoints(), b.getNrOfJoints());
  ASSERT_EQ(a.getSegments().size(), b.getSegments().size());
  for (const auto& [name, element] : a.getSegments()) {
    const auto other = b.getSegment(name);
    ASSERT_NE(other, b.getSegments().end()) << name;
    EXPECT_EQ(element.q_nr, other->second.q_nr) << name;
    EXPECT_EQ(element.segment.getInertia().getMass(), other->second.segment.getInertia().getMass());
    ASSERT_EQ(element.children.size(), other->second.children.size());
    for (std::size_t i = 0; i < element.children.size(); ++i) {
      EXPECT_EQ(element.children[i]->first, other->second.children[i]->first);
      EXPECT_EQ(other->second.children[i]->second.parent, other) << "parents are those of the copy";
    }
  }
}

TEST(KdlTree, CopiesStandOnTheirOwn) {
  KdlDraw draw(3);
  const Tree whole = draw.tree(12, false, true);
  Tree tree;
  ASSERT_TRUE(whole.getSubTree("segment 0", tree));
  EXPECT_GT(tree.getRootSegment()->second.segment.getInertia().getMass(), 0) << "the root keeps its body";
  auto source = std::make_unique<Tree>(tree);
  const Tree copied(*source);
  Tree assigned("other");
  ASSERT_TRUE(assigned.addSegment(draw.segment("old"), "other"));
  assigned = *source;
  const std::string untouched = tree2str(*source);
  Tree changed(*source);
  ASSERT_TRUE(changed.addSegment(draw.segment("new"), "segment 0"));
  EXPECT_EQ(tree2str(*source), untouched);
  source.reset();
  expect_same(tree, copied);
  expect_same(tree, assigned);
  Tree& self = assigned;
  assigned = self;
  expect_same(tree, assigned);
  EXPECT_NE(copied.stamp(), assigned.stamp());
}

TEST(KdlTree, NumbersOfJointsAreCountedOnce) {
  KdlDraw draw(4);
  for (int trial = 0; trial < 10; ++trial) {
    const Tree tree = draw.tree(12, false, true);
    Tree pruned, part, extended(tree);
    ASSERT_TRUE(tree.copy("segment 4", pruned));
    ASSERT_TRUE(tree.getSubTree("segment 1", part));
    Tree added("elsewhere");
    ASSERT_TRUE(added.addTree(tree, "elsewhere"));
    for (const Tree* each : std::initializer_list<const Tree*>{&tree, &pruned, &part, &extended, &added}) {
      std::set<unsigned int> numbers;
      const std::string root = each->getRootSegment()->first;
      for (const auto& [name, element] : each->getSegments())
        if (name != root && element.segment.getJoint().getType() != Joint::Fixed) {
          EXPECT_TRUE(numbers.insert(element.q_nr).second) << "twice";
          EXPECT_LT(element.q_nr, each->getNrOfJoints());
        }
      EXPECT_EQ(numbers.size(), each->getNrOfJoints());
      EXPECT_EQ(each->getNrOfSegments(), each->getSegments().size() - 1);
    }
  }
}

TEST(KdlTree, PrunedCopiesLackWhatHangsAtTheCut) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    KdlDraw draw(seed);
    const Tree tree = draw.tree(12);
    std::vector<std::string> cut{"segment 3", "segment 7", "segment 3"};
    Tree copied;
    ASSERT_TRUE(tree.copy(cut, copied));
    for (const auto& [name, element] : tree.getSegments()) {
      bool stays = true;
      for (auto it = tree.getSegment(name); stays && it->first != "base"; it = it->second.parent)
        stays = it->first != "segment 3" && it->first != "segment 7";
      ASSERT_EQ(copied.getSegments().count(name) != 0, stays) << name;
      if (stays && name != "base") { EXPECT_EQ(copied.getSegment(name)->second.parent->first, element.parent->first); }
    }
    Tree one = tree;
    ASSERT_TRUE(one.copy("segment 3", one)) << "the result may be the tree itself";
    EXPECT_EQ(one.getSegments().count("segment 3"), 0u);
  }
  KdlDraw draw(1);
  const Tree tree = draw.tree(5);
  Tree kept = tree;
  EXPECT_FALSE(tree.copy("base", kept)) << "nothing would be left";
  EXPECT_FALSE(tree.copy("nobody", kept));
  EXPECT_FALSE(tree.copy(std::vector<std::string>{"segment 1", "nobody"}, kept));
  EXPECT_FALSE(tree.getSubTree("nobody", kept));
  expect_same(tree, kept);
  EXPECT_TRUE(tree.copy(std::vector<std::string>(), kept));
  EXPECT_EQ(kept.getNrOfSegments(), 5u);
}

TEST(KdlTree, NamesThatAreThereAlreadyAreRefusedWhole) {
  KdlDraw draw(5);
  Tree tree = draw.tree(6), other("elsewhere"), before(tree);
  ASSERT_TRUE(other.addSegment(draw.segment("fresh"), "elsewhere"));
  ASSERT_TRUE(other.addSegment(draw.segment("segment 2"), "fresh"));
  EXPECT_FALSE(tree.addSegment(draw.segment("segment 2"), "base"));
  EXPECT_FALSE(tree.addSegment(draw.segment("base"), "segment 0")) << "the root's name, too";
  EXPECT_FALSE(tree.addTree(other, "base"));
  EXPECT_FALSE(tree.addTree(tree, "base"));
  Chain chain;
  chain.addSegment(draw.segment("new"));
  chain.addSegment(draw.segment("new"));
  EXPECT_FALSE(tree.addChain(chain, "base")) << "KDL 1.5.1 says false and leaves the first one in the tree";
  chain.getSegment(1) = draw.segment("segment 5");
  EXPECT_FALSE(tree.addChain(chain, "base"));
  expect_same(before, tree);
  chain.getSegment(1) = draw.segment("newer");
  EXPECT_TRUE(tree.addChain(chain, "segment 3"));
  EXPECT_EQ(tree.getSegment("newer")->second.parent->first, "new");
  EXPECT_EQ(tree.getSegment("new")->second.parent->first, "segment 3");
}

TEST(KdlTree, ChainsAsTreesHaveTheirOwnRoot) {
  KdlDraw draw(6);
  const Tree tree = draw.tree(8);
  Chain chain;
  Tree as_tree, kept = tree;
  ASSERT_TRUE(tree.getChain("segment 2", "segment 7", chain));
  ASSERT_TRUE(tree.getChain("segment 2", "segment 7", as_tree));
  EXPECT_EQ(as_tree.getRootSegment()->first, "root");
  ASSERT_TRUE(tree.getChain("segment 2", "segment 7", as_tree, "RootName"));
  EXPECT_EQ(as_tree.getRootSegment()->first, "RootName");
  EXPECT_EQ(as_tree.getNrOfSegments(), chain.getNrOfSegments());
  const JntArray q = draw.joints(chain.getNrOfJoints());
  Frame of_chain, of_tree;
  ASSERT_EQ(ChainFkSolverPos_recursive(chain).JntToCart(q, of_chain), 0);
  ASSERT_EQ(TreeFkSolverPos_recursive(as_tree).JntToCart(q, of_tree, "segment 7"), 0);
  EXPECT_EQ(of_chain, of_tree);
  EXPECT_FALSE(tree.getChain("segment 2", "nobody", kept));
  EXPECT_FALSE(tree.getChain("base", "segment 7", kept, "segment 7")) << "the root's name is there already";
  expect_same(tree, kept);
  Chain none = chain;
  EXPECT_TRUE(tree.getChain("segment 2", "segment 2", none));
  EXPECT_EQ(none.getNrOfSegments(), 0u);
  EXPECT_FALSE(tree.getChain("nobody", "segment 2", chain));
  EXPECT_GT(chain.getNrOfSegments(), 0u) << "and the chain is as it was";
}

TEST(KdlTree, ElementsHaveTheirMacros) {
  KdlDraw draw(7);
  const Tree tree = draw.tree(4);
  for (const auto& [name, element] : tree.getSegments()) {
    EXPECT_EQ(&GetTreeElementChildren(element), &element.children);
    EXPECT_EQ(GetTreeElementQNr(element), element.q_nr);
    EXPECT_EQ(GetTreeElementSegment(element).getName(), name);
    if (name != "base") { EXPECT_EQ(GetTreeElementParent(element), element.parent); }
  }
}

TEST(KdlTree, MayBeAsDeepAsItLikes) {
  Tree tree;
  constexpr int count = 20000;
  std::string hook = "root";
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    ASSERT_TRUE(tree.addSegment(Segment(name, Joint(Joint::TransX), Frame(Vector(1, 0, 0))), hook));
    hook = name;
  }
  Tree copied(tree), part, added;
  Chain back;
  EXPECT_TRUE(tree.getSubTree("0", part));
  EXPECT_EQ(part.getNrOfSegments(), count - 1u);
  EXPECT_TRUE(added.addTree(tree, "root"));
  EXPECT_EQ(added.getNrOfJoints(), unsigned{count});
  EXPECT_TRUE(tree.getChain(hook, "root", back));
  EXPECT_EQ(back.getNrOfJoints(), unsigned{count});
  EXPECT_GT(tree2str(tree.getSegment("16000"), "", "", 0).size(), 4000u);
}

}  // namespace
}  // namespace zwang::test
