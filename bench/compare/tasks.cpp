// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "list_tasks.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/edit.hpp"
#include "zwang/algorithm/quantities.hpp"

namespace zwang::bench {
namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;

/// One state a call, in double.
class Single : public Runner {
 public:
  explicit Single(const Problem& problem) : p(problem), data(problem.model) {}

 protected:
  const Problem& p;
  Data data;
  const Externals none;
};

class ForwardKinematics : public Single {
 public:
  explicit ForwardKinematics(const Problem& problem)
      : Single(problem),
        link_of_(static_cast<std::size_t>(problem.model.bodies()) + 1) {
    for (const Link& link : p.model.links()) {
      const Link*& first = link_of_[static_cast<std::size_t>(link.body.value)];
      if (first == nullptr) first = &link;
    }
  }
  void run(int i) override { forward_kinematics(p.model, data, p.q.col(i)); }
  void result(int, double* out) override {
    for (std::size_t i = 1; i < link_of_.size(); ++i, out += 12) {
      const Link* const link = link_of_[i];
      const Transform<double> X = link ? frame_pose(p.model, data, link->frame) * inverse(link->in_body)
                                       : Transform<double>::identity();  // a body within a composite joint
      for (Index k = 0; k < 9; ++k) out[k] = X.R(k / 3, k % 3);
      for (Index k = 0; k < 3; ++k) out[9 + k] = X.p[k];
    }
  }

 private:
  std::vector<const Link*> link_of_;  ///< the first link of each body
};

/// A task whose result is a vector that it leaves in Data.
template <VectorView (*call)(const Problem&, Data&, const Externals&, int)> class VectorTask : public Single {
 public:
  using Single::Single;
  void run(int i) override { new (&view_) VectorView(call(p, data, none, i)); }
  void result(int, double* out) override { Vector(out, view_.size()) = view_; }

 private:
  VectorView view_{nullptr, 0};
};
VectorView run_rnea(const Problem& p, Data& data, const Externals& none, int i) {
  return inverse_dynamics(p.model, data, p.q.col(i), p.v.col(i), p.a.col(i), none, k_effects);
}
VectorView run_aba(const Problem& p, Data& data, const Externals& none, int i) {
  return forward_dynamics(p.model, data, p.q.col(i), p.v.col(i), p.tau.col(i), none, k_effects);
}

/// A task whose result is a matrix of nv columns.
class MatrixTask : public Single {
 public:
  MatrixTask(const Problem& problem, Index rows) : Single(problem), out_(rows, problem.model.nv()) {}
  void result(int, double* out) override { Matrix(out, out_.rows(), out_.cols()) = out_; }

 protected:
  Eigen::MatrixXd out_;
};
class MassMatrix : public MatrixTask {
 public:
  explicit MassMatrix(const Problem& problem) : MatrixTask(problem, problem.model.nv()) {}
  void run(int i) override { mass_matrix(p.model, data, p.q.col(i), out_, k_effects); }
};
class MassMatrixInverse : public MatrixTask {
 public:
  explicit MassMatrixInverse(const Problem& problem)
      : MatrixTask(problem, problem.model.nv()),
        factor_(problem.model) {}
  void run(int i) override {
    factor_.compute(data, p.q.col(i), k_effects);
    factor_.inverse(out_);
  }

 private:
  TreeCholesky factor_;
};
/// Of a contact's frame: after the kinematics of all bodies, or by its own path alone.
template <bool own_path> class FrameJacobian : public MatrixTask {
 public:
  explicit FrameJacobian(const Problem& problem)
      : MatrixTask(problem, 6),
        frame_(problem.model.find_frame(problem.contacts.at(0).frame)) {}
  void run(int i) override {
    if constexpr (own_path) {
      jacobian(p.model, data, p.q.col(i), frame_, Reference::local_world_aligned, out_);
    } else {
      forward_kinematics(p.model, data, p.q.col(i));
      jacobian(p.model, data, frame_, Reference::local_world_aligned, out_);
    }
  }

 private:
  FrameId frame_;
};

class CholeskySolve : public Single {
 public:
  explicit CholeskySolve(const Problem& problem) : Single(problem), factor_(problem.model) {}
  void run(int i) override {
    factor_.compute(data, p.q.col(i), k_effects);
    x_ = p.tau.col(i);
    factor_.solve(x_);
  }
  void result(int, double* out) override { Vector(out, x_.size()) = x_; }

 private:
  TreeCholesky factor_;
  Eigen::VectorXd x_;
};

/// A matrix of the list of quantities.
template <void (*call)(const Problem&, Data&, int, MatrixOut)> class Quantity : public MatrixTask {
 public:
  explicit Quantity(const Problem& problem, Index rows) : MatrixTask(problem, rows) {}
  void run(int i) override { call(p, data, i, out_); }
};
void run_coriolis(const Problem& p, Data& data, int i, MatrixOut out) {
  coriolis_matrix(p.model, data, p.q.col(i), p.v.col(i), out);
}
void run_centroidal(const Problem& p, Data& data, int i, MatrixOut out) {
  centroidal_map(p.model, data, p.q.col(i), out);
}
void run_centroidal_dot(const Problem& p, Data& data, int i, MatrixOut out) {
  centroidal_map_dot(p.model, data, p.q.col(i), p.v.col(i), out);
}
template <void (*call)(const Problem&, Data&, int, MatrixOut), Index rows>
std::unique_ptr<Runner> make_quantity(const Problem& p, int) {
  return std::make_unique<Quantity<call>>(p, rows > 0 ? rows : p.model.nv());
}
/// The regressor; the result is its product with the parameters, which is not timed. Links behind fixed joints are one,
/// as in the peers' models.
class Regressor : public Single {
 public:
  explicit Regressor(const Problem& problem)
      : Single(problem),
        model_(merge_fixed(problem.model)),
        data_(model_),
        Y_(model_.nv(), 10 * static_cast<Index>(model_.links().size())),
        phi_(Y_.cols()) {
    inertial_parameters(model_, phi_);
  }
  void run(int i) override { inverse_dynamics_regressor(model_, data_, p.q.col(i), p.v.col(i), p.a.col(i), Y_); }
  void result(int, double* out) override { Vector(out, Y_.rows()) = Y_ * phi_; }

 private:
  Model model_;
  Data data_;
  Eigen::MatrixXd Y_;
  Eigen::VectorXd phi_;
};

/// M, h and all else of one sweep; the result is M a + h, which is not timed.
class Everything : public Single {
 public:
  explicit Everything(const Problem& problem) : Single(problem), terms_(problem.model) {}
  void run(int i) override { all_terms(p.model, data, p.q.col(i), p.v.col(i), terms_, k_effects); }
  void result(int i, double* out) override {
    Vector(out, p.model.nv()) = terms_.mass_matrix() * p.a.col(i) + terms_.bias_forces();
  }

 private:
  AllTerms terms_;
};

SolverSettings settings(const char* method = "automatic") {
  SolverSettings s;
  s.method = method;
  s.joint_effects = k_effects;
  return s;
}
class ConstrainedDynamics : public Runner {
 public:
  ConstrainedDynamics(const Problem& problem, const ConstraintSet& set, const char* method)
      : p_(problem),
        solver_(problem.model, set, settings(method)) {}
  void run(int i) override {
    const Index nq = p_.model.nq(), nv = p_.model.nv();
    solver_.solve({.q = {p_.q.col(i).data(), nq}, .v = {p_.v.col(i).data(), nv}, .tau = {p_.tau.col(i).data(), nv}});
  }
  void result(int, double* out) override {
    const VectorView a = solver_.solution().acceleration;
    Vector(out, a.size()) = a;
  }

 private:
  const Problem& p_;
  Solver solver_;
};

constexpr const char k_automatic[] = "automatic", k_early[] = "pv_early";
template <ConstraintSet Problem::*set, const char* method>
std::unique_ptr<Runner> make_constrained(const Problem& problem, int) {
  return std::make_unique<ConstrainedDynamics>(problem, problem.*set, method);
}

/// The first state with the torques of every other one: by a new solve, or with the factorisation of the last.
template <bool again> class OtherTorques : public Runner {
 public:
  explicit OtherTorques(const Problem& problem) : p_(problem), solver_(problem.model, problem.set, settings()) {
    solve(0);
  }
  void run(int i) override {
    if constexpr (again)
      solver_.resolve({.tau = {p_.tau.col(i).data(), p_.model.nv()}});
    else
      solve(i);
  }
  void result(int, double* out) override {
    const VectorView a = solver_.solution().acceleration;
    Vector(out, a.size()) = a;
  }

 private:
  void solve(int i) {
    const Index nq = p_.model.nq(), nv = p_.model.nv();
    solver_.solve({.q = {p_.q.col(0).data(), nq}, .v = {p_.v.col(0).data(), nv}, .tau = {p_.tau.col(i).data(), nv}});
  }
  const Problem& p_;
  Solver solver_;
};
/// The same, as many torques at a time as the factor takes side by side; a call is one of them.
class TorqueColumns : public Runner {
 public:
  explicit TorqueColumns(const Problem& problem)
      : p_(problem),
        solver_(problem.model, problem.set, settings()),
        tau_(problem.model.nv(), k_columns),
        acceleration_(problem.model.nv(), k_columns),
        beta_(Eigen::MatrixXd::Zero(problem.set.rows(), k_columns)),
        multipliers_(problem.set.rows(), k_columns) {
    const Index nq = p_.model.nq(), nv = p_.model.nv();
    solver_.solve({.q = {p_.q.col(0).data(), nq}, .v = {p_.v.col(0).data(), nv}});
  }
  int states_per_call() const override { return k_columns; }
  void run(int i) override {
    for (int c = 0; c < k_columns; ++c) tau_.col(c) = p_.tau.col((i + c) % p_.tau.cols());
    solver_.solve_columns(tau_, beta_, acceleration_, multipliers_);
  }
  void result(int, double* out) override { Vector(out, acceleration_.rows()) = acceleration_.col(0); }

 private:
  static constexpr int k_columns = 4;
  const Problem& p_;
  Solver solver_;
  Eigen::MatrixXd tau_, acceleration_, beta_, multipliers_;
};

template <class R> std::unique_ptr<Runner> make(const Problem& problem, int) { return std::make_unique<R>(problem); }

std::unique_ptr<Runner> solve_other_torques(const Problem& problem) {
  return std::make_unique<OtherTorques<false>>(problem);
}

std::vector<Task> all_tasks() {
  constexpr double tight = 1e-9, constrained = 1e-6;  // accelerations that rows determine are worse conditioned
  std::vector<Task> table = {
      {"fk", ZWANG_PEER_FK, "single", "double", 1, tight, make<ForwardKinematics>},
      {"rnea", ZWANG_PEER_RNEA, "single", "double", 1, tight, make<VectorTask<run_rnea>>},
      {"aba", ZWANG_PEER_ABA, "single", "double", 1, tight, make<VectorTask<run_aba>>},
      {"crba", ZWANG_PEER_CRBA, "single", "double", 1, tight, make<MassMatrix>},
      {"minverse", ZWANG_PEER_MINVERSE, "single", "double", 1, tight, make<MassMatrixInverse>},
      {"cholesky_solve", ZWANG_PEER_CHOLESKY_SOLVE, "single", "double", 1, tight, make<CholeskySolve>},
      {"jacobian", ZWANG_PEER_JACOBIAN, "single", "double", 1, tight, make<FrameJacobian<false>>},
      {"frame_jacobian", ZWANG_PEER_FRAME_JACOBIAN, "single", "double", 1, tight, make<FrameJacobian<true>>},
      {"coriolis", ZWANG_PEER_CORIOLIS, "single", "double", 1, tight, make_quantity<run_coriolis, 0>},
      {"centroidal", ZWANG_PEER_CENTROIDAL, "single", "double", 1, tight, make_quantity<run_centroidal, 6>},
      {"centroidal_dot", ZWANG_PEER_CENTROIDAL_DOT, "single", "double", 1, tight, make_quantity<run_centroidal_dot, 6>},
      {"regressor", ZWANG_PEER_REGRESSOR, "single", "double", 1, tight, make<Regressor>},
      {"all_terms", ZWANG_PEER_ALL_TERMS, "single", "double", 1, tight, make<Everything>},
      {"constrained", ZWANG_PEER_CONSTRAINED, "single", "double", 1, constrained,
       make_constrained<&Problem::set, k_automatic>},
      {"pv_early", ZWANG_PEER_CONSTRAINED, "single", "double", 1, constrained,
       make_constrained<&Problem::set, k_early>},
      {"resolve", std::nullopt, "single", "double", 1, constrained, make<OtherTorques<true>>, nullptr,
       solve_other_torques},
      {"columns", std::nullopt, "single", "double", 1, constrained, make<TorqueColumns>, nullptr, solve_other_torques},
      {"constrained_loop", ZWANG_PEER_CONSTRAINED_LOOP, "single", "double", 1, constrained,
       make_constrained<&Problem::loops, k_automatic>},
  };
  for (const std::vector<Task>& more : {derivative_tasks(), batch_tasks()})
    for (const Task& t : more) table.push_back(t);
  for (const Task& t : list_tasks(table)) table.push_back(t);
  return table;
}

}  // namespace

const std::vector<Task>& tasks() {
  static const std::vector<Task> table = all_tasks();
  return table;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> out;
  for (const Task& t : tasks())
    if (std::find(out.begin(), out.end(), t.algorithm) == out.end()) out.emplace_back(t.algorithm);
  return out;
}

Index result_size(const Problem& problem, ZwangPeerTask task) {
  const Index nv = problem.model.nv();
  switch (task) {
    case ZWANG_PEER_FK: return 12 * problem.model.bodies();
    case ZWANG_PEER_CRBA:
    case ZWANG_PEER_CORIOLIS:
    case ZWANG_PEER_MINVERSE: return nv * nv;
    case ZWANG_PEER_RNEA_DERIVATIVES:
    case ZWANG_PEER_ABA_DERIVATIVES: return 2 * nv * nv;
    case ZWANG_PEER_CONSTRAINED_DERIVATIVES: return 3 * nv * nv;
    case ZWANG_PEER_SECOND_ORDER: return 4 * nv;
    case ZWANG_PEER_CENTROIDAL:
    case ZWANG_PEER_CENTROIDAL_DOT:
    case ZWANG_PEER_JACOBIAN:
    case ZWANG_PEER_FRAME_JACOBIAN: return 6 * nv;
    default: return nv;
  }
}

}  // namespace zwang::bench
