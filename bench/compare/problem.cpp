// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <stdexcept>

#include "allocations.hpp"
#include "zwang/core/random.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang::bench {
namespace {

ConstraintSet held(const Model& model, const std::vector<Contact>& contacts) {
  ConstraintSet set(model);
  for (const Contact& c : contacts)
    set.add(FrameConstraint{
        .name = c.frame,
        .frame = c.frame,
        .rows = zwang::rows(c.rows == 6 ? "all" : "linear"),
        .acceleration = c.rows == 6 ? AccelerationKind::spatial : AccelerationKind::classical,
    });
  return set;
}

ConstraintSet closed(const Model& model, const std::vector<Loop>& loops) {
  ConstraintSet set(model);
  for (const Loop& l : loops)
    set.add(LoopConstraint{
        .name = l.frame, .frame = l.frame, .other = l.other, .rows = joint_rows(l.joint, Vec3<double>{0, 0, 1})});
  return set;
}

Eigen::MatrixXd drawn(Random& random, Index rows, int columns, double size) {
  Eigen::MatrixXd x(rows, columns);
  for (Eigen::Index k = 0; k < x.size(); ++k) x.data()[k] = random.uniform(-size, size);
  return x;
}

void copy(const Transform<double>& X, double* rotation, double* translation) {
  for (Index r = 0; r < 3; ++r) {
    for (Index c = 0; c < 3; ++c) rotation[3 * r + c] = X.R(r, c);
    translation[r] = X.p[r];
  }
}

/// Brings a state onto the loops by least steps, q + dq with J dq = -phi, v - J^+ J v.
/// False where that does not settle.
bool close(const Model& model, Solver& solver, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  Eigen::MatrixXd J(solver.active_rows(), model.nv());
  for (int k = 0; k < 50; ++k) {
    const Solution& s = solver.solve({.q = q, .v = v});
    if (s.report.rank < s.report.rows) return false;
    J.resize(s.report.rows, model.nv());
    solver.constraint_jacobian(J);
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse(J);
    const Eigen::VectorXd phi = s.position_error;
    if (phi.norm() < 1e-13) {
      v -= inverse.solve(J * v);
      return inverse.rank() == J.rows();
    }
    Eigen::VectorXd dq = inverse.solve(-phi);
    dq *= std::min(1.0, 0.5 / dq.norm());
    q = integrate(model, q, dq);
  }
  return false;
}

}  // namespace

Problem::Problem(std::string name, const Model& m, std::vector<Contact> held_frames, int single, int batch,
                 const std::vector<Loop>& closed_loops)
    : label(std::move(name)),
      model(m),
      contacts(std::move(held_frames)),
      set(held(model, contacts)),
      loops(closed(model, closed_loops)),
      states(single) {
  Random random(7, 1);
  const int all = std::max(single, batch);
  q.resize(model.nq(), all);
  for (int i = 0; i < all; ++i) zwang::random(model, static_cast<std::uint64_t>(i), q.col(i));
  v = drawn(random, model.nv(), all, 1);
  Solver closing(model, loops);
  for (int i = 0, tries = all; loops.size() > 0 && i < all; ++i) {
    Eigen::VectorXd x = q.col(i), speed = v.col(i);
    while (!close(model, closing, x, speed)) {
      if (tries > 50 * all) throw std::runtime_error("the loops of '" + label + "' do not close");
      zwang::random(model, static_cast<std::uint64_t>(tries++), x);
      speed = v.col(i);
    }
    q.col(i) = x;
    v.col(i) = speed;
  }
  a = drawn(random, model.nv(), all, 3);
  tau = drawn(random, model.nv(), all, 5);
}

Index Problem::rows() const {
  Index n = 0;
  for (const Contact& c : contacts) n += c.rows;
  return n;
}

namespace {

/// r, p, f of the interface, or '?'.
char letter(Index kind) {
  const auto is = [&](const char* name) { return find_joint_type(name)->kind == kind; };
  return is("revolute") ? 'r' : is("prismatic") ? 'p' : is("floating") ? 'f' : '?';
}

ZwangPeerBody peer_body(const Tree<double>& t, Index i) {
  const Body<double>& b = t.body[i];
  ZwangPeerBody x{};
  x.parent = b.parent;
  x.joint = letter(b.kind);
  copy(b.placement, x.rotation, x.translation);
  x.mass = b.inertia.m;
  const Vec3<double> c = b.inertia.m > 0 ? b.inertia.h * (1 / b.inertia.m) : Vec3<double>::zero();
  const Sym3<double> I = b.inertia.I - point_inertia(b.inertia.m, c);
  for (Index k = 0; k < 3; ++k) x.centre[k] = c[k];
  const double numbers[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
  std::copy(numbers, numbers + 6, x.inertia);
  x.armature = b.nv == 1 ? t.column[b.v].armature : 0;
  return x;
}

}  // namespace

PeerProblem::PeerProblem(const Problem& problem) {
  const Model& model = problem.model;
  const Tree<double>& t = model.tree<double>();
  if (t.mimic) refused_ = "joints mimic each other";
  for (Index i = 1; i <= t.n; ++i) {
    bodies_.push_back(peer_body(t, i));
    if (bodies_.back().joint == '?') refused_ = "it has joints that are neither revolute, prismatic nor free";
  }
  for (const Contact& c : problem.contacts) {
    const Frame& f = model.frame(c.frame);
    ZwangPeerContact x{f.body.value, c.rows, {}, {}};
    copy(f.in_body, x.rotation, x.translation);
    contacts_.push_back(x);
    if (c.rows != problem.contacts[0].rows) refused_ = "contacts with 3 and with 6 rows are mixed";
  }
  for (const Constraint& l : problem.loops.constraints()) {
    ZwangPeerLoop x{};
    x.rows = static_cast<int>(l.size());
    if (x.rows != 3 && x.rows != 6) {  // no peer has other ones
      loops_.clear();
      break;
    }
    int end = 0;
    for (const std::string& name : {l.frame, l.other}) {
      const Frame& f = model.frame(name);
      x.body[end] = f.body.value;
      copy(f.in_body, x.rotation[end], x.translation[end]);
      ++end;
    }
    loops_.push_back(x);
  }
  const Vec3<double>& g = model.gravity();
  c_ = {static_cast<int>(bodies_.size()),
        static_cast<int>(contacts_.size()),
        problem.states,
        model.nq(),
        model.nv(),
        bodies_.data(),
        contacts_.data(),
        problem.q.data(),
        problem.v.data(),
        problem.a.data(),
        problem.tau.data(),
        {g.x, g.y, g.z},
        static_cast<int>(loops_.size()),
        loops_.data()};
}

Bytes bytes_of(const Problem& problem) {
  if (!allocations_are_counted()) return {-1, -1};
  const AllocationCount before_data;
  const Data data(problem.model);
  const long of_data = before_data.bytes() + static_cast<long>(sizeof data);
  SolverSettings settings;
  settings.joint_effects = k_effects;
  const AllocationCount before_solver;
  const Solver solver(problem.model, problem.set, settings);
  return {of_data, before_solver.bytes() + static_cast<long>(sizeof solver)};
}

}  // namespace zwang::bench
