// SPDX-License-Identifier: BSD-3-Clause
// What batch/evaluate.hpp and the calls that it collects work on: an Evaluator, and one evaluation.
#pragma once
#include <algorithm>
#include <optional>

#include "zwang/algorithm/algorithm_row.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"
#include "zwang/core/copy_matrix.hpp"

namespace zwang {

/// For one thread. The first run of an algorithm may allocate.
class Evaluator {
 public:
  explicit Evaluator(const Model& model) : model_(model) {}

  /// `in`: the vectors that the row takes, nq or nv numbers each; `out`: the results that it gives, matrices row after
  /// row; none of them may overlap. Makes the same checks as the function of that name and throws the same exceptions.
  /// Gravity is that of `data`.
  void run(const Algorithm& algorithm, Data& data, std::span<const double* const> in, std::span<double* const> out,
           const AlgorithmOptions& options = {}, ExternalsIn external = {});
  void run(const Algorithm& algorithm, Data& data, std::initializer_list<const double*> in,
           std::initializer_list<double*> out, const AlgorithmOptions& options = {}, ExternalsIn external = {}) {
    run(algorithm, data, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()), options, external);
  }

  // For the calls below.
  const Model& model() const { return model_; }
  TreeCholesky& factor();
  /// Room for a matrix, column by column.
  Eigen::Map<Eigen::MatrixXd> matrix(Index rows, Index columns, int which = 0);

 private:
  Model model_;
  std::optional<TreeCholesky> factor_;
  std::vector<double> room_[3];
};

namespace one_state {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

/// One evaluation: the arguments of a row, and memory for its results.
struct State {
  Evaluator& own;
  const Model& model;
  Data& data;
  std::span<const double* const> in;
  std::span<double* const> out;
  const AlgorithmOptions& options;
  ExternalsIn external;

  Index nq() const { return model.nq(); }
  Index nv() const { return model.nv(); }
  ConstMap q(std::size_t i = 0) const { return {in[i], nq()}; }  ///< argument i, a configuration
  ConstMap v(std::size_t i = 1) const { return {in[i], nv()}; }  ///< argument i, a tangent
  Eigen::Map<Eigen::VectorXd> result(Index size, std::size_t i = 0) const { return {out[i], size}; }

  void put(double x) const { *out[0] = x; }
  void put(VectorView x) const { std::copy_n(x.data(), x.size(), out[0]); }
  void put(const Vec3<double>& x, Index i = 0) const {
    for (int k = 0; k < 3; ++k) out[i][k] = x[k];
  }
  void put(const Matrix& x, Index i = 0) const {
    const Index rows = static_cast<Index>(x.rows()), columns = static_cast<Index>(x.cols());
    copy_matrix(Strided<const double>{x.data(), 1, rows}, Strided<double>{out[i], columns, 1}, rows, columns);
  }
  /// The 4 x 4 matrix.
  void put(const Transform<double>& X, Index place = 0) const {
    double* to = out[0] + 16 * place;
    for (Index r = 0; r < 4; ++r)
      for (Index c = 0; c < 4; ++c) *to++ = r == 3 ? (c == 3 ? 1.0 : 0.0) : c == 3 ? X.p[r] : X.R(r, c);
  }
  /// Columns [linear; angular] in the axes of the options.
  void put_seen(Matrix x) const {
    if (options.axes) {
      const Mat3<double> R = frame_pose(model, data, options.axes).R;
      for (Index c = 0; c < x.cols(); ++c)
        for (Index part = 0; part < 6; part += 3) {
          const Vec3<double> y = transpose_times(R, Vec3<double>{x(part, c), x(part + 1, c), x(part + 2, c)});
          for (int k = 0; k < 3; ++k) x(part + k, c) = y[k];
        }
    }
    put(x);
  }
  void put_seen(const Motion<double>& m) const {
    double six[6] = {m.v.x, m.v.y, m.v.z, m.w.x, m.w.y, m.w.z};
    put_seen(Matrix(six, 6, 1));
  }
  void put(const Force<double>& f) const {
    for (int k = 0; k < 6; ++k) out[0][k] = f[k];
  }
  /// The 6 x 6 matrix.
  void put(const Inertia<double>& I) const {
    for (int k = 0; k < 6; ++k) {
      Motion<double> e = Motion<double>::zero();
      e[k] = 1;
      const Force<double> f = I * e;
      for (int r = 0; r < 6; ++r) out[0][6 * r + k] = f[r];
    }
  }
  Matrix jacobian() const { return own.matrix(6, nv()); }
  Matrix square(int which) const { return own.matrix(nv(), nv(), which); }
  Index parameters() const { return 10 * static_cast<Index>(model.links().size()); }
};

}  // namespace one_state
}  // namespace zwang
