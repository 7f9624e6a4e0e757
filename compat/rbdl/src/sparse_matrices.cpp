// SPDX-License-Identifier: BSD-3-Clause
// R. Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5: factors of a matrix with the zeros of a tree.
// Coordinates count from 1, and before[i] is the coordinate before i on its path to the base, 0 for none.
#include <rbdl/Model.h>

#include "robot.hpp"

namespace RigidBodyDynamics {
namespace Math {

namespace {

const std::vector<unsigned int>& paths(const char* function, const Model& model, const MatrixNd& L, long size) {
  detail::check_shape(function, L, model.qdot_size, model.qdot_size);
  detail::check_size(function, "the size of x", size, model.qdot_size);
  return model.lambda_q;
}

}  // namespace

void SparseFactorizeLTL(Model& model, MatrixNd& H) {
  const std::vector<unsigned int>& before = paths("SparseFactorizeLTL", model, H, model.qdot_size);
  const auto h = [&](unsigned int i, unsigned int j) -> double& { return H(i - 1, j - 1); };
  for (unsigned int k = model.qdot_size; k > 0; --k) {
    h(k, k) = std::sqrt(h(k, k));
    for (unsigned int i = before[k]; i != 0; i = before[i]) h(k, i) /= h(k, k);
    for (unsigned int i = before[k]; i != 0; i = before[i])
      for (unsigned int j = i; j != 0; j = before[j]) h(i, j) -= h(k, i) * h(k, j);
  }
  for (long k = 1; k < H.cols(); ++k) H.col(k).head(k).setZero();
}

void SparseMultiplyHx(Model& model, MatrixNd& H, VectorNd& x) {
  paths("SparseMultiplyHx", model, H, x.size());
  x = VectorNd(H.selfadjointView<Eigen::Lower>() * x);
}

void SparseMultiplyLx(Model& model, MatrixNd& L, VectorNd& x) {
  const std::vector<unsigned int>& before = paths("SparseMultiplyLx", model, L, x.size());
  for (unsigned int i = model.qdot_size; i > 0; --i) {
    x[i - 1] *= L(i - 1, i - 1);
    for (unsigned int j = before[i]; j != 0; j = before[j]) x[i - 1] += L(i - 1, j - 1) * x[j - 1];
  }
}

void SparseMultiplyLTx(Model& model, MatrixNd& L, VectorNd& x) {
  const std::vector<unsigned int>& before = paths("SparseMultiplyLTx", model, L, x.size());
  for (unsigned int i = 1; i <= model.qdot_size; ++i) {
    for (unsigned int j = before[i]; j != 0; j = before[j]) x[j - 1] += L(i - 1, j - 1) * x[i - 1];
    x[i - 1] *= L(i - 1, i - 1);
  }
}

void SparseSolveLx(Model& model, MatrixNd& L, VectorNd& x) {
  const std::vector<unsigned int>& before = paths("SparseSolveLx", model, L, x.size());
  for (unsigned int i = 1; i <= model.qdot_size; ++i) {
    for (unsigned int j = before[i]; j != 0; j = before[j]) x[i - 1] -= L(i - 1, j - 1) * x[j - 1];
    x[i - 1] /= L(i - 1, i - 1);
  }
}

void SparseSolveLTx(Model& model, MatrixNd& L, VectorNd& x) {
  const std::vector<unsigned int>& before = paths("SparseSolveLTx", model, L, x.size());
  for (unsigned int i = model.qdot_size; i > 0; --i) {
    x[i - 1] /= L(i - 1, i - 1);
    for (unsigned int j = before[i]; j != 0; j = before[j]) x[j - 1] -= L(i - 1, j - 1) * x[i - 1];
  }
}

}  // namespace Math
}  // namespace RigidBodyDynamics
