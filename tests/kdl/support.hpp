// SPDX-License-Identifier: BSD-3-Clause
// Random geometry and chains for the tests of compat/kdl.
#pragma once
#include <kdl/chain.hpp>
#include <kdl/jntarray.hpp>
#include <kdl/tree.hpp>
#include <random>
#include <string>

namespace zwang::test {

/// Draws the same numbers in every run.
class KdlDraw {
 public:
  explicit KdlDraw(unsigned seed) : engine_(seed) {}

  double number(double low = -1, double high = 1) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  KDL::Vector vector() { return KDL::Vector(number(), number(), number()); }
  KDL::Twist twist() { return KDL::Twist(vector(), vector()); }
  KDL::Wrench wrench() { return KDL::Wrench(vector(), vector()); }
  KDL::Rotation rotation() { return KDL::Rotation::Rot(vector(), number(-KDL::PI, KDL::PI)); }
  KDL::Frame frame() { return KDL::Frame(rotation(), vector()); }
  KDL::JntArray joints(unsigned int count, double size = 1) {
    KDL::JntArray out(count);
    for (unsigned int i = 0; i < count; ++i) out(i) = size * number();
    return out;
  }
  /// Of a body that there can be: three masses at random points and a round one.
  KDL::RigidBodyInertia inertia() {
    KDL::RigidBodyInertia out(number(0.1, 1), KDL::Vector::Zero(), KDL::RotationalInertia(0.01, 0.01, 0.01));
    for (int i = 0; i < 3; ++i) out = out + KDL::RigidBodyInertia(number(0.1, 2), 0.3 * vector());
    return out;
  }
  /// Of any type that moves; `plain`: scale 1, no offset, no rotor.
  KDL::Joint joint(const std::string& name, bool plain = false) {
    const auto type = static_cast<KDL::Joint::JointType>(index(8));
    const double scale = plain ? 1 : number(0.5, 2) * (index(2) == 0 ? 1 : -1), offset = plain ? 0 : number(),
                 rotor = plain ? 0 : number(0, 0.5);
    if (type == KDL::Joint::RotAxis || type == KDL::Joint::TransAxis)
      return KDL::Joint(name, vector(), vector(), type, scale, offset, rotor);
    return KDL::Joint(name, type, scale, offset, rotor);
  }
  /// `fixed`: one segment of four has a fixed joint.
  KDL::Segment segment(const std::string& name, bool plain = false, bool fixed = false) {
    const KDL::Joint moving = joint("joint of " + name, plain);
    return KDL::Segment(name, fixed && index(4) == 0 ? KDL::Joint("joint of " + name, KDL::Joint::Fixed) : moving,
                        frame(), inertia());
  }
  KDL::Chain chain(int segments, bool plain = false, bool fixed = false) {
    KDL::Chain out;
    for (int i = 0; i < segments; ++i) out.addSegment(segment("segment " + std::to_string(i), plain, fixed));
    return out;
  }
  KDL::Tree tree(int segments, bool plain = false, bool fixed = false) {
    KDL::Tree out("base");
    for (int i = 0; i < segments; ++i) {
      const int parent = index(i + 1) - 1;
      out.addSegment(segment("segment " + std::to_string(i), plain, fixed),
                     parent < 0 ? "base" : "segment " + std::to_string(parent));
    }
    return out;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace zwang::test
