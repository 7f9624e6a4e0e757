// SPDX-License-Identifier: BSD-3-Clause
// A program written for KDL. It is compiled against Debian's KDL and against compat/kdl; kdl_test.py compares what both
// print: a line for each call, its name and its numbers.
#include <cstdio>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <random>
#include <string>

using namespace KDL;

namespace {

std::mt19937 engine(7);
double number(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(engine); }
int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine); }
Vector vector() {
  const double x = number(), y = number(), z = number();
  return Vector(x, y, z);
}
Frame frame() {
  const Vector axis = vector();
  const double angle = number(-3, 3);
  return Frame(Rotation::Rot(axis, angle), vector());
}
JntArray joints(unsigned int count, double size = 1) {
  JntArray out(count);
  for (unsigned int i = 0; i < count; ++i) out(i) = size * number();
  return out;
}
RigidBodyInertia inertia() {
  RigidBodyInertia out(number(0.1, 1), Vector::Zero(), RotationalInertia(0.01, 0.01, 0.01));
  for (int i = 0; i < 3; ++i) {
    const double mass = number(0.1, 2);
    out = out + RigidBodyInertia(mass, 0.3 * vector());
  }
  return out;
}
Segment segment(const std::string& name, bool fixed) {
  const Joint::JointType type = static_cast<Joint::JointType>(index(8));
  const double side = index(2) == 0 ? 1 : -1, scale = side * number(0.5, 2), offset = number(), rotor = number(0, 0.5);
  const Vector origin = vector(), axis = vector();
  const bool is_fixed = fixed && index(4) == 0;
  const Joint joint = is_fixed ? Joint("j_" + name, Joint::None)
                      : type == Joint::RotAxis || type == Joint::TransAxis
                          ? Joint("j_" + name, origin, axis, type, scale, offset, rotor)
                          : Joint("j_" + name, type, scale, offset, rotor);
  const Frame tip = frame();
  return Segment(name, joint, tip, inertia());
}

void print(double x) { std::printf(" %.17g", x); }
void print(const Vector& v) {
  for (int i = 0; i < 3; ++i) print(v(i));
}
void print(const Twist& t) {
  for (int i = 0; i < 6; ++i) print(t(i));
}
void print(const Frame& F) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) print(F.M(i, j));
  print(F.p);
}
void print(const JntArray& q) {
  for (unsigned int i = 0; i < q.rows(); ++i) print(q(i));
}
template <class Matrix> void print_matrix(const Matrix& m) {
  for (unsigned int i = 0; i < m.rows(); ++i)
    for (unsigned int j = 0; j < m.columns(); ++j) print(m(i, j));
}
void print(const Jacobian& J) { print_matrix(J); }
void print(const JntSpaceInertiaMatrix& M) { print_matrix(M); }
void print(const FrameVel& F) {
  print(F.GetFrame());
  print(F.GetTwist());
}
template <class Result> void line(const char* name, int code, const Result& result) {
  std::printf("%s %d", name, code);
  print(result);
  std::printf("\n");
}

void kinematics(const Chain& chain) {
  const unsigned int n = chain.getNrOfJoints();
  const JntArrayVel motion(joints(n, 2), joints(n));
  ChainFkSolverPos_recursive position(chain);
  ChainFkSolverVel_recursive velocity(chain);
  ChainJntToJacSolver jacobian(chain);
  ChainJntToJacDotSolver jacobian_dot(chain);
  for (int k = -1; k <= static_cast<int>(chain.getNrOfSegments()); k += 2) {
    Frame pose;
    FrameVel moving;
    Jacobian J(n);
    int code = position.JntToCart(motion.q, pose, k);
    line("fk_position", code, pose);
    code = velocity.JntToCart(motion, moving, k);
    line("fk_velocity", code, moving);
    code = jacobian.JntToJac(motion.q, J, k);
    line("jacobian", code, J);
    for (const int representation : {0, 1, 2}) {
      jacobian_dot.setRepresentation(representation);
      code = jacobian_dot.JntToJacDot(motion, J, k);
      line("jacobian_dot", code, J);
      Twist rate;
      code = jacobian_dot.JntToJacDot(motion, rate, k);
      line("jacobian_dot_qdot", code, rate);
    }
  }
  std::vector<Frame> poses(chain.getNrOfSegments());
  const int code = position.JntToCart(motion.q, poses);
  for (std::size_t i = 0; i < poses.size(); ++i) line("fk_positions", code, poses[i]);
  if (n < 2) return;
  std::vector<bool> locked(n, false);
  locked[n / 2] = true;
  Jacobian J(n);
  jacobian.setLockedJoints(locked);
  line("jacobian_locked", jacobian.JntToJac(motion.q, J), J);
}

void dynamics(const Chain& chain) {
  const unsigned int n = chain.getNrOfJoints();
  const JntArray q = joints(n, 2), qd = joints(n), given = joints(n);
  Wrenches wrenches;
  for (unsigned int i = 0; i < chain.getNrOfSegments(); ++i) {
    const Vector force = vector(), torque = vector();
    wrenches.push_back(Wrench(force, torque));
  }
  const Vector gravity = 9.81 * vector();
  JntArray out(n);
  ChainIdSolver_RNE inverse(chain, gravity);
  line("inverse_dynamics", inverse.CartToJnt(q, qd, given, wrenches, out), out);
  ChainFdSolver_RNE forward(chain, gravity);
  line("forward_dynamics", forward.CartToJnt(q, qd, given, wrenches, out), out);
  ChainDynParam terms(chain, gravity);
  line("coriolis", terms.JntToCoriolis(q, qd, out), out);
  line("gravity", terms.JntToGravity(q, out), out);
  JntSpaceInertiaMatrix M(n);
  line("mass_matrix", terms.JntToMass(q, M), M);
}

// Without fixed joints, which KDL's solver does not take; one column of alfa of five is zero.
void hybrid(int segments) {
  Chain chain;
  for (int i = 0; i < segments; ++i) chain.addSegment(segment("s" + std::to_string(i), false));
  const unsigned int n = chain.getNrOfJoints(), nc = 1 + index(segments < 6 ? segments : 6);
  const JntArray q = joints(n, 2), qd = joints(n), torques = joints(n, 5);
  Wrenches wrenches;
  for (unsigned int i = 0; i < n; ++i) {
    const Vector force = vector(), torque = vector();
    wrenches.push_back(Wrench(force, torque));
  }
  const Vector linear = 9.81 * vector(), angular = index(2) * vector();
  ChainHdSolver_Vereshchagin solver(chain, Twist(linear, angular), nc);
  Jacobian alfa(nc);
  for (unsigned int k = 0; k < nc; ++k) {
    const int active = index(5) > 0;
    for (int i = 0; i < 6; ++i) alfa(i, k) = active * number();
  }
  const JntArray beta = joints(nc, 3);
  JntArray qdd(n), constraint(n), total(n);
  const int code = solver.CartToJnt(q, qd, qdd, alfa, beta, wrenches, torques, constraint);
  line("hybrid_acceleration", code, qdd);
  line("hybrid_constraint_torque", code, constraint);
  solver.getTotalTorque(total);
  line("hybrid_total_torque", code, total);
  Eigen::VectorXd nu(nc);
  solver.getContraintForceMagnitude(nu);
  JntArray multipliers(nc);
  for (unsigned int k = 0; k < nc; ++k) multipliers(k) = nu(k);
  line("hybrid_multipliers", code, multipliers);
  std::vector<Twist> accelerations(chain.getNrOfSegments() + 1);
  solver.getTransformedLinkAcceleration(accelerations);
  for (const Twist& acceleration : accelerations) line("hybrid_link_acceleration", code, acceleration);
}

void trees() {
  // Depth first: copies of KDL's trees number their joints in that order.
  Tree tree("base");
  const int count = 12;
  std::vector<std::string> path{"base"};
  for (int i = 0; i < count; ++i) {
    path.resize(1 + index(static_cast<int>(path.size())));
    tree.addSegment(segment("s" + std::to_string(i), true), path.back());
    path.push_back("s" + std::to_string(i));
  }
  const unsigned int n = tree.getNrOfJoints();
  const JntArray q = joints(n), qd = joints(n), qdd = joints(n);
  TreeFkSolverPos_recursive position(tree);
  TreeJntToJacSolver jacobian(tree);
  for (int i = 0; i < count; i += 3) {
    Frame pose;
    Jacobian J(n);
    const std::string name = "s" + std::to_string(i);
    int code = position.JntToCart(q, pose, name);
    line("tree_fk", code, pose);
    code = jacobian.JntToJac(q, J, name);
    line("tree_jacobian", code, J);
  }
  WrenchMap wrenches;
  const Vector force = vector(), torque = vector();
  wrenches["s5"] = Wrench(force, torque);
  JntArray torques(n);
  TreeIdSolver_RNE inverse(tree, Vector(0, 0, -9.81));
  line("tree_inverse_dynamics", inverse.CartToJnt(q, qd, qdd, wrenches, torques), torques);
  Chain part;
  if (tree.getChain("base", "s11", part)) kinematics(part);
}

}  // namespace

int main() {
  for (int k = 0; k < 40; ++k) {
    Chain chain;
    const int segments = 1 + index(9);
    for (int i = 0; i < segments; ++i) chain.addSegment(segment("s" + std::to_string(i), k % 2 == 1));
    if (chain.getNrOfJoints() == 0) continue;
    kinematics(chain);
    dynamics(chain);
    trees();
    hybrid(2 + index(7));
  }
}
