// SPDX-License-Identifier: BSD-3-Clause
// Second derivatives of dynamics, exact to rounding, for every joint.
//
//   H[t, x, y] = L_y (d tau_t / d x)      y is differentiated last; for q along q (+) d at d = 0, d a body increment
//
// Increments of different joints commute. Those of one joint on a group do not, where x and y are both
// coordinates of it: H[t, x, y] - H[t, y, x] = sum_d c_yx^d d tau_t / d q_d. What Newton steps want, the Hessian
// of tau(q (+) d) in d, is the symmetric part.
//
// External wrenches are constant in the axes in which they are given, and so is what links' own scales of gravity add.
// Dampers, rotors and springs are linear: they have no part in second derivatives of inverse dynamics, but for springs
// of spherical joints.
//
// The functions throw what the functions that they differentiate throw, std::invalid_argument where a result was made
// for another model, and ArithmeticOverflowError.
#pragma once
#include <string_view>
#include <vector>

#include "zwang/algorithm/derivatives.hpp"

namespace zwang {

/// nv x nv x nv numbers: (t, x, y) at (t nv + x) nv + y.
struct TensorView {
  const double* data;
  Index size;  ///< nv
  double operator()(Index t, Index x, Index y) const { return data[(t * size + x) * size + y]; }
};

/// Four tensors by name. Allocated once for a model, 4 nv^3 numbers; std::invalid_argument where nv is over 1000.
class SecondOrderTensors {
 public:
  Index nv() const { return nv_; }
  /// One of the four; std::invalid_argument names them.
  TensorView dense(std::string_view name) const;
  /// (H[t, x, y] + H[t, y, x]) / 2 of "qq" or "vv", laid out as the tensor;
  /// of "qq" the Hessian along q (+) d. Allocates.
  std::vector<double> symmetric(std::string_view name) const;
  /// sum_t w_t H[t, :, :], nv x nv.
  void contract(std::string_view name, VectorIn w, MatrixOut out) const;

 protected:
  SecondOrderTensors(const Model& model, const char* last);
  TensorView view(int k) const { return {tensor_[k].data(), nv_}; }
  void check(const Model& model, const char* function) const;
  Model model_;
  Index nv_;
  const char* last_;  ///< name of the fourth
  Buffer<double> tensor_[4];
};

/// Of tau by q, v and a; entries whose coordinates do not lie on one path are 0.
class SecondDerivatives : public SecondOrderTensors {
 public:
  explicit SecondDerivatives(const Model& model);
  TensorView qq() const { return view(0); }
  TensorView qv() const { return view(1); }  ///< x in q, y in v
  TensorView vv() const { return view(2); }
  TensorView qa() const { return view(3); }  ///< x in q, y in a: d M_ty / d q_x

 private:
  friend class ForwardSecondDerivatives;
  friend void inverse_dynamics_second_derivatives(const Model&, Data&, VectorIn, VectorIn, VectorIn, SecondDerivatives&,
                                                  ExternalsIn, const JointEffects&);
  friend VectorView forward_dynamics_second_derivatives(const Model&, Data&, TreeCholesky&, VectorIn, VectorIn,
                                                        VectorIn, class ForwardSecondDerivatives&, ExternalsIn,
                                                        const JointEffects&);
  /// Returns true if all entries are known to be finite.
  bool compute(Data& data, const double* q, const double* v, const double* a, ExternalsIn external,
               const JointEffects& effects);
  Buffer<double> path_, gains_, aligned_;
  Buffer<Index> columns_;
};

/// Of a by q, v and tau; those by v tau and tau tau are 0.
class ForwardSecondDerivatives : public SecondOrderTensors {
 public:
  explicit ForwardSecondDerivatives(const Model& model);
  TensorView qq() const { return view(0); }
  TensorView qv() const { return view(1); }
  TensorView vv() const { return view(2); }
  TensorView qtau() const { return view(3); }  ///< x in q, y in tau: the derivative of the inverse of the mass matrix
  const SecondDerivatives& inverse() const { return inverse_; }  ///< of inverse dynamics at these accelerations

 private:
  friend VectorView forward_dynamics_second_derivatives(const Model&, Data&, TreeCholesky&, VectorIn, VectorIn,
                                                        VectorIn, ForwardSecondDerivatives&, ExternalsIn,
                                                        const JointEffects&);
  SecondDerivatives inverse_;
  Buffer<double> by_[3];    ///< first derivatives by q, v, tau
  Buffer<double> rows_[3];  ///< the same by rows
  Buffer<double> work_;
};

/// Of inverse_dynamics() at (q, v, a). Singh, Russell & Wensing 2023, extended to every joint. Cost O(n d^2). Allocates
/// nothing. Leaves positions, velocities and accelerations of the bodies in Data.
void inverse_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                         SecondDerivatives& out, ExternalsIn external = {},
                                         const JointEffects& effects = {});

/// Of forward_dynamics() at (q, v, tau): -M^-1 (H_xy + M_x a_y + M_y a_x) with first derivatives
/// a_x, a_y and M_x = dM/dx. Returns the accelerations. Cost O(n^4) by products with M^-1.
/// Allocates nothing. Throws SingularMassError.
VectorView forward_dynamics_second_derivatives(const Model& model, Data& data, TreeCholesky& factor, VectorIn q,
                                               VectorIn v, VectorIn tau, ForwardSecondDerivatives& out,
                                               ExternalsIn external = {}, const JointEffects& effects = {});

// Forms that return the result.
inline SecondDerivatives inverse_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q, VectorIn v,
                                                             VectorIn a, ExternalsIn external = {}) {
  SecondDerivatives out(model);
  inverse_dynamics_second_derivatives(model, data, q, v, a, out, external);
  return out;
}
inline ForwardSecondDerivatives forward_dynamics_second_derivatives(const Model& model, Data& data, VectorIn q,
                                                                    VectorIn v, VectorIn tau, ExternalsIn external = {},
                                                                    const JointEffects& effects = {}) {
  ForwardSecondDerivatives out(model);
  TreeCholesky factor(model);
  forward_dynamics_second_derivatives(model, data, factor, q, v, tau, out, external, effects);
  return out;
}

}  // namespace zwang
