// SPDX-License-Identifier: BSD-3-Clause
// A program written for KDL: inverse kinematics. kdl_test.py compares what it prints with Debian's KDL and with
// compat/kdl: joint velocities to 1e-9, and of position solvers whether the pose was found (the pose itself is within
// eps: a 1 or 0 is printed). Left out, for KDL fails there: chains of less than six joints in wdls and singular values,
// limits below 0 by default, velocity limits of the tree's online solver where both limits matter.
#include <cstdio>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <kdl/chainiksolvervel_pinv_nso.hpp>
#include <kdl/chainiksolvervel_wdls.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeiksolverpos_nr_jl.hpp>
#include <kdl/treeiksolverpos_online.hpp>
#include <kdl/treeiksolvervel_wdls.hpp>
#include <random>

using namespace KDL;

namespace {

std::mt19937 engine(11);
double number() { return std::uniform_real_distribution<double>(-1, 1)(engine); }
Vector vector() {
  const double x = number(), y = number(), z = number();
  return Vector(x, y, z);
}
Twist twist() {
  const Vector v = vector(), w = vector();
  return Twist(v, w);
}
Frame frame() {
  const Vector axis = vector(), origin = vector();
  return Frame(Rotation::Rot(axis, 2 * number()), origin);
}
Chain chain_of(int joints, const std::string& prefix) {
  Chain chain;
  for (int i = 0; i < joints; ++i) {
    const std::string name = prefix + std::to_string(i);
    const Vector origin = vector(), axis = vector();
    chain.addSegment(
        Segment(name, Joint("of " + name, origin, axis, i == 2 ? Joint::TransAxis : Joint::RotAxis), frame()));
  }
  return chain;
}
JntArray joints(unsigned int n, double size) {
  JntArray out(n);
  for (unsigned int i = 0; i < n; ++i) out(i) = size * number();
  return out;
}
Eigen::MatrixXd weights(int n) {
  Eigen::MatrixXd A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = 0.3 * number() + (i == j ? 2 : 0);
  return A * A.transpose();
}

void line(const char* name, int code, const JntArray& q) {
  std::printf("%s %d", name, code);
  for (unsigned int i = 0; i < q.rows(); ++i) std::printf(" %.17g", q(i));
  std::printf("\n");
}
void found(const char* name, int code, const Frame& tip, const Frame& goal, double eps) {
  std::printf("%s %d %d\n", name, code, Equal(diff(tip, goal), Twist::Zero(), eps) ? 1 : 0);
}

void chains(int count) {
  const Chain chain = chain_of(count, "s");
  const unsigned int n = chain.getNrOfJoints();
  const JntArray q = joints(n, 1);
  const Twist v = twist();
  JntArray out(n);
  ChainIkSolverVel_pinv pinv(chain);
  line("pinv", pinv.CartToJnt(q, v, out), out);
  ChainIkSolverVel_pinv coarse(chain, 0.8);
  line("pinv_eps", coarse.CartToJnt(q, v, out), out);
  const JntArray posture = joints(n, 2), w = joints(n, 1);
  ChainIkSolverVel_pinv_nso nso(chain, posture, w, 0.00001, 150, 0.3);
  line("nso", nso.CartToJnt(q, v, out), out);
  ChainIkSolverVel_wdls wdls(chain);
  wdls.setLambda(0.2);
  line("wdls", wdls.CartToJnt(q, v, out), out);
  wdls.setEps(0.8);
  line("wdls_eps", wdls.CartToJnt(q, v, out), out);
  wdls.setWeightJS(weights(count));
  wdls.setWeightTS(weights(6));
  line("wdls_weights", wdls.CartToJnt(q, v, out), out);
  line("wdls_size", wdls.setWeightTS(weights(5)), JntArray(0));
  line("pinv_size", pinv.CartToJnt(JntArray(2), v, out), JntArray(0));

  ChainFkSolverPos_recursive fk(chain);
  JntArray near(n), low(n), high(n);
  for (unsigned int i = 0; i < n; ++i) {
    near(i) = q(i) + 0.05 * number();
    low(i) = q(i) - 0.5;
    high(i) = q(i) + 0.5;
  }
  Frame goal, tip;
  fk.JntToCart(q, goal);
  ChainIkSolverPos_NR nr(chain, fk, pinv);
  int code = nr.CartToJnt(near, goal, out);
  fk.JntToCart(out, tip);
  found("NR", code, tip, goal, 1e-6);
  ChainIkSolverPos_NR_JL nr_jl(chain, low, high, fk, pinv);
  code = nr_jl.CartToJnt(near, goal, out);
  fk.JntToCart(out, tip);
  found("NR_JL", code, tip, goal, 1e-6);
  ChainIkSolverPos_LMA lma(chain, 1e-7);
  code = lma.CartToJnt(near, goal, out);
  fk.JntToCart(out, tip);
  found("LMA", code, tip, goal, 1e-5);
  goal.p = Vector(100, 0, 0);
  line("NR_JL_far", nr_jl.CartToJnt(near, goal, out), JntArray(0));
  line("NR_size", nr.CartToJnt(JntArray(1), goal, out), JntArray(0));
  line("LMA_size", lma.CartToJnt(JntArray(1), goal, out), JntArray(0));
}

void trees() {
  Tree tree("root");
  tree.addChain(chain_of(7, "s"), "root");
  tree.addChain(chain_of(5, "b"), "s2");
  const unsigned int n = tree.getNrOfJoints();
  const std::vector<std::string> endpoints = {"s6", "b4"};
  TreeFkSolverPos_recursive fk(tree);
  TreeIkSolverVel_wdls velocity(tree, endpoints);
  velocity.setLambda(0.1);
  const JntArray q = joints(n, 1);
  JntArray out(n);
  Twists twists;
  for (const std::string& name : endpoints) twists[name] = twist();
  double answer = velocity.CartToJnt(q, twists, out);
  out.resize(n + 1);
  out(n) = answer;
  line("tree_wdls", 0, out);
  out.resize(n);
  velocity.setWeightJS(weights(static_cast<int>(n)));
  velocity.setWeightTS(weights(12));
  answer = velocity.CartToJnt(q, twists, out);
  out.resize(n + 1);
  out(n) = answer;
  line("tree_wdls_weights", 0, out);
  out.resize(n);
  velocity.setWeightJS(Eigen::MatrixXd::Identity(n, n));
  velocity.setWeightTS(Eigen::MatrixXd::Identity(12, 12));
  Frames goals;
  JntArray near(n), low(n), high(n), fast(n);
  for (unsigned int i = 0; i < n; ++i) {
    near(i) = q(i) + 0.05 * number();
    low(i) = -4;
    high(i) = 4;
    fast(i) = 0.01;
  }
  for (const std::string& name : endpoints) fk.JntToCart(q, goals[name], name);
  TreeIkSolverPos_Online online(n, endpoints, low, high, fast, 100, 100, fk, velocity);
  answer = online.CartToJnt(near, goals, out);
  out.resize(n + 1);
  out(n) = answer;
  line("tree_online", 0, out);
  out.resize(n);
  velocity.setLambda(0.001);
  TreeIkSolverPos_NR_JL position(tree, endpoints, low, high, fk, velocity);
  answer = position.CartToJnt(near, goals, out);
  line("tree_NR_JL", answer >= 0 && answer < 1e-6, JntArray(0));
  goals["s6"].p = Vector(100, 0, 0);
  line("tree_NR_JL_far", static_cast<int>(position.CartToJnt(near, goals, out)), JntArray(0));
  twists["nobody"] = Twist();
  line("tree_wdls_name", static_cast<int>(velocity.CartToJnt(q, twists, out)), JntArray(0));
  twists.erase("nobody");
  line("tree_wdls_size", static_cast<int>(velocity.CartToJnt(JntArray(1), twists, out)), JntArray(0));
}

}  // namespace

int main() {
  for (int i = 0; i < 20; ++i)
    for (int count : {6, 7, 9}) chains(count);
  for (int i = 0; i < 20; ++i) trees();
}
