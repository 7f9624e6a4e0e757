// SPDX-License-Identifier: BSD-3-Clause
// NearestVelocity: minimise 1/2 |v - v0|^2_W subject to J v = target_velocity, by MassWeightedRows: W^T
// z = target - J v0, v = v0 + T z, once more for what rounding has left. Dependent rows that agree change nothing;
// rows that contradict each other are met in least squares, in their own units. A row with a sense requires J v on
// its side of the target where its position is closed or violated, or where it has none; where it is open it does
// not act. SidedRows finds those that hold.
#pragma once
#include "question/assembly/closest_point.hpp"

namespace zwang {

class NearestVelocity {
 public:
  NearestVelocity(const Model& model, RowsAt& rows, const Metric& metric, const AssemblySettings& settings);
  void make_room_for_sides();  ///< once, for rows with a sense
  /// RowsAt has been evaluated. Fills the numbers of the report; `open`: residual of positions.
  void find(const double* v0, double open, AssemblyReport& report);
  const double* v() const { return v_.data(); }
  bool counts(Index i) const { return ranked_.counts(i); }
  bool acts(Index i) const { return acts_[i] != 0; }
  bool is_unmet(Index i) const { return residual_[i] > settings_.tolerance; }

 private:
  double measure(const double* v0);
  double rest(Index i) const;
  bool is_open(Index i) const;
  void choose();
  bool choose_violated();
  void factor(double open);
  void approach(const double* v0);
  RowsAt& rows_;
  const Metric& metric_;
  const AssemblySettings& settings_;
  Index n_, nv_;
  MassWeightedRows ranked_;
  Buffer<double> v_, d_, x_, right_, bound_, open_, residual_;
  Buffer<signed char> side_;  ///< 1: at least, -1: at most, 0: equal, 2: open
  Buffer<unsigned char> acts_;
  std::unique_ptr<SidedRows> sides_;
};

}  // namespace zwang
