// SPDX-License-Identifier: BSD-3-Clause
// AllTerms: the matrices and vectors of the equation of motion at one state, from one sweep.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang {

/// Results of all_terms, in memory of its own, allocated once for a model.
/// Matrices are views, valid as long as this lives.
class AllTerms {
 public:
  using MatrixView = Eigen::Map<const Eigen::MatrixXd>;
  explicit AllTerms(const Model& model);

  MatrixView mass_matrix() const { return {block(0), nv_, nv_}; }      ///< M, as the call of that name gives it
  MatrixView coriolis_matrix() const { return {block(1), nv_, nv_}; }  ///< C
  MatrixView columns() const { return {block(2), 6, nv_}; }            ///< S of all joints, world axes about its origin
  MatrixView centroidal_map() const { return {block(3), 6, nv_}; }     ///< A
  VectorView gravity_forces() const { return {block(4), nv_}; }        ///< g
  VectorView bias_forces() const { return {block(5), nv_}; }           ///< h = C v + g + effects of joints
  Vec3<double> centre_of_mass{0, 0, 0}, centre_of_mass_velocity{0, 0, 0};  ///< [m, m/s]
  double kinetic_energy = 0, potential_energy = 0;                         ///< [J]

 private:
  friend void all_terms(const Model&, Data&, VectorIn, VectorIn, AllTerms&, const JointEffects&);
  const double* block(int k) const { return numbers_.data() + first_[k]; }
  double* block(int k) { return numbers_.data() + first_[k]; }
  Index nv_ = 0, first_[6] = {};
  Buffer<double> numbers_;
};

/// M, C, g, h, the columns S of all joints, the centroidal map A, the centre of mass and the energies: each as the call
/// of its name gives it. The Jacobian of a frame at the world's origin is S where support(model, frame) moves it,
/// else 0. Also fills the position and velocity stages of Data. Cost O(n d), writing O(n^2); allocates nothing. Throws
/// as these calls do, and std::invalid_argument where `out` was made for a model of another size.
void all_terms(const Model& model, Data& data, VectorIn q, VectorIn v, AllTerms& out, const JointEffects& effects = {});

/// The same, returned; allocated in every call.
inline AllTerms all_terms(const Model& model, Data& data, VectorIn q, VectorIn v, const JointEffects& effects = {}) {
  AllTerms out(model);
  all_terms(model, data, q, v, out, effects);
  return out;
}

}  // namespace zwang
