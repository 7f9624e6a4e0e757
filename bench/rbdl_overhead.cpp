// SPDX-License-Identifier: BSD-3-Clause
// What RBDL's names cost over zwang's own calls: the ten calls used most, each beside the call of zwang that does its
// work, on a robot with a floating base and four legs (30 coordinates). docs/migrate/rbdl.md has a table of it.
#include <benchmark/benchmark.h>
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>
#include <zwang/zwang.hpp>

namespace {

using namespace RigidBodyDynamics;
using Math::MatrixNd;
using Math::Vector3d;
using Math::VectorNd;

struct Robots {
  Robots() {
    zwang::RobotDescription builder;
    builder.name = "legs";
    const auto link = [&](const std::string& name) {
      builder.links.push_back(
          {.name = name, .mass = 1.2, .centre = {0.01, 0.02, -0.1}, .inertia = {0.02, 0, 0, 0.03, 0, 0.025}});
    };
    const Body body(1.2, Vector3d(0.01, 0.02, -0.1), Vector3d(0.02, 0.03, 0.025));
    link("base");
    const unsigned int base = rbdl.AddBody(0, Math::SpatialTransform(), Joint(JointTypeFloatingBase), body, "base");
    for (int leg = 0; leg < 4; ++leg) {
      std::string parent = "base";
      unsigned int id = base;
      for (int k = 0; k < 6; ++k) {
        const std::string name = "leg " + std::to_string(leg) + "." + std::to_string(k);
        const Vector3d at(k == 0 ? 0.2 * (leg % 2) : 0., k == 0 ? 0.1 * (leg / 2) : 0.02, k == 0 ? 0. : -0.1);
        link(name);
        const Vector3d axis = Vector3d::Unit(k % 3);
        zwang::JointDescription joint;
        joint.name = joint.child = name;
        joint.type = "revolute";
        joint.parent = parent;
        joint.origin.p = {at[0], at[1], at[2]};
        joint.axis = {axis[0], axis[1], axis[2]};
        builder.joints.push_back(joint);
        id = rbdl.AddBody(id, Math::Xtrans(at), Joint(JointTypeRevolute, axis), body, name);
        parent = name;
      }
      feet[leg] = id;
      for (int k = 0; k < 3; ++k) contacts.AddContactConstraint(id, Vector3d(0, 0, -0.1), Vector3d::Unit(k));
      foot_names[leg] = parent;
    }
    zwang::BuildOptions options;
    options.root = "floating";
    own.emplace(zwang::build(builder, options));
    contacts.Bind(rbdl);
    Q = VectorNd::Constant(rbdl.q_size, 0.3);
    V = VectorNd::Constant(rbdl.qdot_size, 0.2);
    q = VectorNd::Constant(own->nq(), 0.3);
    zwang::normalize(*own, q);
    v = V;
    data.emplace(*own);
    set.emplace(*own);
    for (int leg = 0; leg < 4; ++leg) {
      zwang::ContactConstraint contact;
      contact.name = foot_names[leg];
      contact.frame = foot_names[leg];
      contact.point = {0, 0, -0.1};
      set->add(contact);
    }
    solver.emplace(*own, *set);
  }
  Model rbdl;
  ConstraintSet contacts;
  unsigned int feet[4];
  std::string foot_names[4];
  VectorNd Q, V, q, v;
  std::optional<zwang::Model> own;
  std::optional<zwang::Data> data;
  std::optional<zwang::ConstraintSet> set;
  std::optional<zwang::Solver> solver;
};
Robots& robots() {
  static Robots out;
  return out;
}

/// A pair of benchmarks of one name.
template <class Face, class Own> void pair(const std::string& name, Face face, Own own) {
  benchmark::RegisterBenchmark(("rbdl/" + name).c_str(), [face](benchmark::State& state) {
    for (auto _ : state) face();
  });
  benchmark::RegisterBenchmark(("zwang/" + name).c_str(), [own](benchmark::State& state) {
    for (auto _ : state) own();
  });
}

void register_all() {
  Robots& r = robots();
  static VectorNd out = VectorNd::Zero(30), a = out, tau = VectorNd::Constant(30, 0.1);
  static MatrixNd H = MatrixNd::Zero(30, 30), G3 = MatrixNd::Zero(3, 30), G6 = MatrixNd::Zero(6, 30);
  static const zwang::FrameId foot = r.own->find_frame(r.foot_names[0]);
  static const Vector3d point(0, 0, -0.1);
  pair(
      "UpdateKinematics", [&] { UpdateKinematics(r.rbdl, r.Q, r.V, a); },
      [&] { zwang::forward_kinematics(*r.own, *r.data, r.q, r.v, a); });
  pair(
      "CalcBodyToBaseCoordinates", [&] { CalcBodyToBaseCoordinates(r.rbdl, r.Q, r.feet[0], point); },
      [&] {
        zwang::forward_kinematics(*r.own, *r.data, r.q);
        benchmark::DoNotOptimize(zwang::frame_pose(*r.own, *r.data, foot));
      });
  pair(
      "CalcPointJacobian", [&] { CalcPointJacobian(r.rbdl, r.Q, r.feet[0], point, G3); },
      [&] {
        zwang::forward_kinematics(*r.own, *r.data, r.q);
        zwang::jacobian(*r.own, *r.data, foot, zwang::Reference::local_world_aligned, G6);
      });
  pair(
      "CalcPointAcceleration", [&] { CalcPointAcceleration(r.rbdl, r.Q, r.V, a, r.feet[0], point); },
      [&] {
        zwang::forward_kinematics(*r.own, *r.data, r.q, r.v, a);
        benchmark::DoNotOptimize(zwang::frame_acceleration(*r.own, *r.data, foot, zwang::AccelerationKind::classical));
      });
  pair(
      "InverseDynamics", [&] { InverseDynamics(r.rbdl, r.Q, r.V, a, out); },
      [&] { zwang::inverse_dynamics(*r.own, *r.data, r.q, r.v, a); });
  pair(
      "NonlinearEffects", [&] { NonlinearEffects(r.rbdl, r.Q, r.V, out); },
      [&] { zwang::bias_forces(*r.own, *r.data, r.q, r.v); });
  pair(
      "CompositeRigidBodyAlgorithm", [&] { CompositeRigidBodyAlgorithm(r.rbdl, r.Q, H); },
      [&] { zwang::mass_matrix(*r.own, *r.data, r.q, H); });
  pair(
      "ForwardDynamics", [&] { ForwardDynamics(r.rbdl, r.Q, r.V, tau, out); },
      [&] { zwang::forward_dynamics(*r.own, *r.data, r.q, r.v, tau); });
  pair(
      "ForwardDynamicsConstraintsDirect",
      [&] { ForwardDynamicsConstraintsDirect(r.rbdl, r.Q, r.V, tau, r.contacts, out); },
      [&] { r.solver->solve({.q = r.q, .v = r.v, .tau = tau}); });
  pair(
      "ComputeConstraintImpulsesDirect", [&] { ComputeConstraintImpulsesDirect(r.rbdl, r.Q, r.V, r.contacts, out); },
      [&] { benchmark::DoNotOptimize(&r.solver->impulse({.q = r.q, .v = r.v})); });
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
