// SPDX-License-Identifier: BSD-3-Clause
// zwang beside Pinocchio in one process: the same models and states, agreement checked before timing, kernels
// interleaved, medians over rounds. Prints ns per call and the ratio peer / zwang.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "peer.hpp"
#include "zwang/core/random.hpp"
#include "zwang/zwang.hpp"

namespace {

constexpr int k_states = 128;
double now() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<PeerBody> peer_bodies(const zwang::Model& model) {
  std::vector<PeerBody> out;
  const zwang::Tree<double>& t = model.tree<double>();
  for (int i = 1; i <= t.n; ++i) {
    const auto& b = t.body[i];
    PeerBody x{};
    x.parent = b.parent;
    x.joint = b.nv == 6 ? 'f' : 'r';
    for (const zwang::Joint& j : model.joints())
      if (j.body.value == i && !j.lumped && j.type == "prismatic") x.joint = 'p';
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) x.R[3 * r + c] = b.placement.R(r, c);
      x.p[r] = b.placement.p[r];
      x.centre[r] = b.inertia.m > 0 ? b.inertia.h[r] / b.inertia.m : 0;
    }
    x.mass = b.inertia.m;
    const zwang::Vec3<double> c{x.centre[0], x.centre[1], x.centre[2]};
    const zwang::Sym3<double> I = b.inertia.I - zwang::point_inertia(b.inertia.m, c);
    const double s[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    std::copy(s, s + 6, x.inertia);
    x.armature = b.nv == 1 ? t.column[b.v].armature : 0;
    out.push_back(x);
  }
  return out;
}

double difference(const double* a, const Eigen::VectorXd& b) {
  double d = 0, s = 0;
  for (int k = 0; k < b.size(); ++k) {
    d = std::max(d, std::fabs(a[k] - b[k]));
    s = std::max(s, std::fabs(b[k]));
  }
  return d / s;
}

struct Row {
  std::string name;
  std::vector<double> samples;
};

void compare(const char* file, const char* root, const std::vector<std::string>& contacts, int rows) {
  zwang::LoadOptions options;
  options.root = root;
  options.expand_mimic = true;
  zwang::Diagnostics ignored;
  const zwang::Model model = zwang::load(file, options, &ignored);
  const int nv = model.nv();
  zwang::ConstraintSet set(model);
  std::vector<PeerContact> peer_contacts;
  for (const std::string& c : contacts) {
    const zwang::Frame& f = model.frame(c);
    peer_contacts.push_back({f.body.value, rows, {f.in_body.p.x, f.in_body.p.y, f.in_body.p.z}});
    if (rows == 6)
      set.add(zwang::FrameConstraint{.name = c, .frame = c, .acceleration = zwang::AccelerationKind::spatial});
    else
      set.add(zwang::FrameConstraint{.name = c, .frame = c, .rows = zwang::rows("linear")});
  }
  zwang::Solver solver(model, set);
  Peer peer(peer_bodies(model), peer_contacts, k_states);
  std::vector<Eigen::VectorXd> q, v, a, tau;
  zwang::Random random(7, 1);
  const auto vector = [&](double s) {
    Eigen::VectorXd x(nv);
    for (int k = 0; k < nv; ++k) x[k] = random.uniform(-s, s);
    return x;
  };
  for (int i = 0; i < k_states; ++i) {
    q.push_back(zwang::random(model, static_cast<std::uint64_t>(i)));
    v.push_back(vector(1));
    a.push_back(vector(3));
    tau.push_back(vector(5));
    peer.set_state(i, q.back().data(), v.back().data(), a.back().data(), tau.back().data());
  }
  zwang::Data data(model);
  const zwang::JointEffects plain{.armature = true, .damping = false, .springs = false, .friction = false};
  const zwang::Externals none;
  Eigen::MatrixXd M(nv, nv);
  zwang::SolverSettings s;
  s.joint_effects = plain;
  solver = zwang::Solver(model, set, s);
  const auto ours = [&](Peer::Task t, int i) {
    switch (t) {
      case Peer::fk: zwang::forward_kinematics(model, data, q[i]); break;
      case Peer::rnea: zwang::inverse_dynamics(model, data, q[i], v[i], a[i], none, plain); break;
      case Peer::aba: zwang::forward_dynamics(model, data, q[i], v[i], tau[i], none, plain); break;
      case Peer::crba: zwang::mass_matrix(model, data, q[i], M, plain); break;
      default: solver.solve({.q = q[i], .v = v[i], .tau = tau[i]});
    }
  };
  std::printf("%s, root %s, nv %d, %zu contacts x %d rows\n", file, root, nv, contacts.size(), rows);
  const Peer::Task tasks[] = {
      Peer::fk, Peer::rnea, Peer::aba, Peer::crba, Peer::constrained_kkt, Peer::constrained_pv, Peer::constrained_aba};
  std::vector<Row> mine(7), theirs(7);
  double worst[7] = {};
  for (int k = 0; k < 7; ++k)
    for (int i = 0; i < 16; ++i) {
      ours(tasks[k], i);
      peer.run(tasks[k], i);
      const double* r = peer.result(tasks[k]);
      Eigen::VectorXd x;
      if (tasks[k] == Peer::rnea) x = zwang::inverse_dynamics(model, data, q[i], v[i], a[i], none, plain);
      if (tasks[k] == Peer::aba) x = zwang::forward_dynamics(model, data, q[i], v[i], tau[i], none, plain);
      if (k >= 4) x = solver.solution().acceleration;
      if (r != nullptr) worst[k] = std::max(worst[k], difference(r, x));
      if (tasks[k] == Peer::crba)
        worst[k] = std::max(worst[k], std::fabs(M(nv - 1, 0) - peer.mass_entry(nv - 1, 0)) / M.norm());
    }
  for (int round = 0; round < 60; ++round)
    for (int k = 0; k < 7; ++k) {
      const auto sample = [&](auto&& call) {
        for (int i = 0; i < k_states / 2; ++i) call(i);
        const double t = now();
        for (int i = 0; i < k_states; ++i) call(i);
        return (now() - t) / k_states;
      };
      mine[k].samples.push_back(sample([&](int i) { ours(tasks[k], i); }));
      theirs[k].samples.push_back(sample([&](int i) { peer.run(tasks[k], i); }));
    }
  for (int k = 0; k < 7; ++k) {
    std::sort(mine[k].samples.begin(), mine[k].samples.end());
    std::sort(theirs[k].samples.begin(), theirs[k].samples.end());
    const double m = mine[k].samples[30], t = theirs[k].samples[30];
    std::printf("  %-20s zwang %8.0f (min %7.0f)   pinocchio %8.0f (min %7.0f)   ratio %5.2f   agreement %.1e\n",
                Peer::name(tasks[k]), m, mine[k].samples[0], t, theirs[k].samples[0], t / m, worst[k]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string robots = argc > 1 ? argv[1] : ZWANG_SHARED_ROBOTS;
  const auto at = [&](const char* name) { return robots + "/" + name; };
  compare(at("panda.urdf").c_str(), "fixed", {"panda_link8"}, 6);
  compare(at("ur5.urdf").c_str(), "fixed", {"tool0"}, 6);
  compare(at("solo12.urdf").c_str(), "floating", {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}, 3);
  compare(at("talos_reduced.urdf").c_str(), "floating", {"left_sole_link", "right_sole_link"}, 6);
}
