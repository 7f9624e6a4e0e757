// SPDX-License-Identifier: BSD-3-Clause
// SecondOrder: how the gradient of a scalar of the solution varies along a direction of the inputs, the product of the
// scalar's Hessian with it.
//
//   u = (q'', lambda), L = y . r1 + z . r2, s = g . u + g_t . (motor torque):
//   adjoint    L_u = s_u           gradient   s_x - L_x           (linearised.hpp)
//   along d    L_u(y', z') = (s_u - L_u)'                         u' from the product from the right
//              gradient' = (s_x - L_x)' - L_x(y', z')
// (...)': along (d, u') with y, z held. L is linear in u and in (y, z). So the second derivative is that of the page of
// the product from the left (inverse_dynamics_products.hpp), over dual numbers at (q (+) e d_q, v + e d_v, u + e u'),
// and a product from the left whose weights are (s_u - L_u)'. No equation is solved over dual numbers. Increments of q
// on the right, d last: component x of the result is L_d L_x s.
#pragma once
#include "question/derivatives/linearised.hpp"

namespace zwang {

class SecondOrder final : public Question {
 public:
  explicit SecondOrder(SolverParts& parts);
  const GradientVariation& operator()(const InputVariation& along, const SolutionGradient& of);

 private:
  using S = Dual<double>;
  const char* refusal(const SolutionGradient& of) const;
  const char* state(const InputVariation& along, const SolutionVariation& u, const InputGradient& adjoint);
  void vary_residuals();
  void vary_driver_torque(const double* weight);
  void make_room();
  const GradientVariation& refuse(Status status, std::string_view why);

  Problem& problem_;
  const Solution& solution_;
  const SolverSettings& settings_;
  Linearised linearised_;  ///< its own: the results of vjp() and jvp() stay
  BasicData<S> data_;
  BasicRowVariations<S> rows_;
  Buffer<S> q_;                                     ///< [nq]
  Buffer<S> v_, acceleration_, y_, weight_, step_;  ///< [nv]
  Buffer<S> lambda_, z_;                            ///< [m], rows of the sweep
  Buffer<S> by_q_, by_v_, by_a_;                    ///< [nv] L_x, L_u
  Buffer<S> by_lambda_;                             ///< [m]
  Buffer<double> turned_, weight_a_;                ///< [nv] (s_x)' by q; weights of the second product
  Buffer<double> weight_l_;                         ///< [rows of the set]
  GradientVariation out_;
  ResultMemory of_out_;
};

}  // namespace zwang
