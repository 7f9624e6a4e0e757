// SPDX-License-Identifier: BSD-3-Clause
// The tasks of derivatives: one state a call, and gradients of all states in one.
#include "tasks.hpp"
#include "zwang/algorithm/derivatives.hpp"
#include "zwang/algorithm/second_derivatives.hpp"
#include "zwang/batch/batch_derivatives.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang::bench {
namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;

/// Derivatives by q and v, a matrix after the other; those by a or tau are computed, too.
template <bool forward> class FirstDerivatives : public Runner {
 public:
  explicit FirstDerivatives(const Problem& problem)
      : p_(problem),
        data_(p_.model),
        factor_(p_.model),
        by_q_(p_.model.nv(), p_.model.nv()),
        by_v_(by_q_),
        last_(by_q_) {}
  void run(int i) override {
    if constexpr (forward)
      forward_dynamics_derivatives(p_.model, data_, factor_, p_.q.col(i), p_.v.col(i), p_.tau.col(i), by_q_, by_v_,
                                   last_, {}, k_effects);
    else
      inverse_dynamics_derivatives(p_.model, data_, p_.q.col(i), p_.v.col(i), p_.a.col(i), by_q_, by_v_, last_, {},
                                   k_effects);
  }
  void result(int, double* out) override {
    Vector(out, by_q_.size()) = by_q_.reshaped();
    Vector(out + by_q_.size(), by_v_.size()) = by_v_.reshaped();
  }

 private:
  const Problem& p_;
  Data data_;
  TreeCholesky factor_;
  Eigen::MatrixXd by_q_, by_v_, last_;
};

/// All second derivatives of inverse dynamics. The result is their products with directions, which are not timed.
class SecondOrder : public Runner {
 public:
  explicit SecondOrder(const Problem& problem) : p_(problem), data_(p_.model), out_(p_.model) {}
  void run(int i) override {
    inverse_dynamics_second_derivatives(p_.model, data_, p_.q.col(i), p_.v.col(i), p_.a.col(i), out_);
  }
  void result(int i, double* out) override {
    const Eigen::VectorXd v = p_.v.col(i), a = p_.a.col(i);
    const auto product = [&](const TensorView& H, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      for (Index t = 0; t < H.size; ++t)
        *out++ = x.dot(Eigen::Map<const Rows>(H.data + t * H.size * H.size, H.size, H.size) * y);
    };
    product(out_.qq(), v, v);
    product(out_.qv(), v, a);
    product(out_.vv(), a, a);
    product(out_.qa(), v, a);
  }

 private:
  const Problem& p_;
  Data data_;
  SecondDerivatives out_;
};

/// A solver with the contacts held.
class Held : public Runner {
 public:
  explicit Held(const Problem& problem) : p_(problem), solver_(problem.model, problem.set, settings()) {}
  static SolverSettings settings() {
    SolverSettings s;
    s.joint_effects = k_effects;
    return s;
  }

 protected:
  void solve(int i) {
    const Index nq = p_.model.nq(), nv = p_.model.nv();
    solver_.solve({.q = {p_.q.col(i).data(), nq}, .v = {p_.v.col(i).data(), nv}, .tau = {p_.tau.col(i).data(), nv}});
  }
  const Problem& p_;
  Solver solver_;
};

/// The solve alone.
class Solve : public Held {
 public:
  using Held::Held;
  void run(int i) override { solve(i); }
  void result(int, double* out) override { Vector(out, p_.model.nv()) = solver_.solution().acceleration; }
};

/// The solve and all its derivatives; the result is those of the acceleration by q, v and tau.
class ConstrainedDerivatives : public Held {
 public:
  using Held::Held;
  void run(int i) override {
    solve(i);
    derivatives_ = &solver_.derivatives();
  }
  void result(int, double* out) override {
    for (const JacobianView* by :
         {&derivatives_->acceleration.q, &derivatives_->acceleration.v, &derivatives_->acceleration.tau}) {
      Vector(out, by->size()) = by->reshaped();
      out += by->size();
    }
  }

 private:
  const SolutionDerivatives* derivatives_ = nullptr;
};

/// How a gradient is found: by one product with the factor, by all inputs or by all but the numbers of the robot; or,
/// as the reference, by all derivatives.
enum class Gradient { by_all, by_state, by_matrices };
/// The solve and the gradient of a weighted sum of accelerations. The result is the gradient by q, v and tau.
template <Gradient how> class GradientOfSolution : public Held {
 public:
  explicit GradientOfSolution(const Problem& problem) : Held(problem), out_(3 * problem.model.nv()) {}
  void run(int i) override {
    solve(i);
    const Index nv = p_.model.nv();
    if constexpr (how == Gradient::by_matrices) {
      const SolutionJacobian& d = solver_.derivatives().acceleration;
      const auto w = p_.a.col(i);
      out_ << d.q.transpose() * w, d.v.transpose() * w, d.tau.transpose() * w;
    } else {
      constexpr bool all = how == Gradient::by_all;
      gradient_ = &solver_.vjp({.acceleration = {p_.a.col(i).data(), nv}}, {all, all});
    }
  }
  void result(int, double* out) override {
    if constexpr (how != Gradient::by_matrices) out_ << gradient_->q, gradient_->v, gradient_->tau;
    Vector(out, out_.size()) = out_;
  }

 private:
  Eigen::VectorXd out_;
  const InputGradient* gradient_ = nullptr;
};

/// The same of all states in one call: their gradients by q, v and tau.
class GradientOfStates : public Runner {
 public:
  GradientOfStates(const Problem& problem, int threads)
      : batch_(problem.model, problem.set, Held::settings(), BatchOptions{.threads = threads}),
        q_(problem.q.transpose()),
        v_(problem.v.transpose()),
        tau_(problem.tau.transpose()),
        weight_(problem.a.transpose()) {
    for (StateRows<double>* by : {&by_q_, &by_v_, &by_tau_}) by->resize(q_.rows(), problem.model.nv());
    batch_.reserve(q_.rows());
  }
  void run(int) override {
    batch_.vjp({.q = q_, .v = v_, .tau = tau_}, {.acceleration = weight_}, {.q = by_q_, .v = by_v_, .tau = by_tau_});
  }
  int states_per_call() const override { return static_cast<int>(q_.rows()); }
  void result(int state, double* out) override {
    for (const StateRows<double>* by : {&by_q_, &by_v_, &by_tau_}) {
      Vector(out, by->cols()) = by->row(state);
      out += by->cols();
    }
  }

 private:
  BatchDerivatives batch_;
  StateRows<double> q_, v_, tau_, weight_, by_q_, by_v_, by_tau_;
};

template <class R> std::unique_ptr<Runner> make(const Problem& problem, int) { return std::make_unique<R>(problem); }
std::unique_ptr<Runner> gradient_by_all_derivatives(const Problem& problem) {
  return std::make_unique<GradientOfSolution<Gradient::by_matrices>>(problem);
}

}  // namespace

std::vector<Task> derivative_tasks() {
  const auto solve = [](const Problem& p) { return std::make_unique<Solve>(p); };
  constexpr double tight = 1e-9, solved = 1e-6;  // what is behind a solve is worse conditioned
  std::vector<Task> out = {
      {"rnea_derivatives", ZWANG_PEER_RNEA_DERIVATIVES, "single", "double", 1, tight, make<FirstDerivatives<false>>},
      {"aba_derivatives", ZWANG_PEER_ABA_DERIVATIVES, "single", "double", 1, solved, make<FirstDerivatives<true>>},
      {"second_order", ZWANG_PEER_SECOND_ORDER, "single", "double", 1, tight, make<SecondOrder>},
      {"constrained_derivatives", ZWANG_PEER_CONSTRAINED_DERIVATIVES, "single", "double", 1, solved,
       make<ConstrainedDerivatives>},
  };
  const auto gradient = [&](const char* name, const char* mode, int threads, auto make) {
    out.push_back({name, std::nullopt, mode, "double", threads, solved, make, nullptr, gradient_by_all_derivatives,
                   [](const Problem& p) { return 3 * p.model.nv(); }});
  };
  gradient("vjp", "single", 1, make<GradientOfSolution<Gradient::by_all>>);
  gradient("vjp_of_state", "single", 1, make<GradientOfSolution<Gradient::by_state>>);
  for (std::size_t k = 3; k < out.size(); ++k) out[k].solve = solve;
  for (const int threads : {1, 2})
    gradient("vjp_of_state", "batch", threads,
             [](const Problem& p, int n) { return std::make_unique<GradientOfStates>(p, n); });
  return out;
}

}  // namespace zwang::bench
