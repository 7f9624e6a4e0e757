// SPDX-License-Identifier: BSD-3-Clause
// A serial chain of a model, as the kernels of inverse kinematics read it, with its table of configurations.
#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "core/chain_kernels.hpp"
#include "zwang/algorithm/reference.hpp"
#include "zwang/core/buffer.hpp"

namespace zwang {

/// Where the coordinate of a joint of the chain stands in the model's vectors.
struct ChainJoint {
  Index q = 0, v = 0;
  double offset = 0;    ///< of a mimicking joint, taken into the placement before it
  bool circle = false;  ///< q holds cosine and sine of the angle
};

/// Which limits of position a search keeps: none, or those of the model, drawn in by a margin.
struct LimitsKept {
  bool kept = true;
  double margin = 0;
  /// A range narrower than twice the margin is left its middle. NaN: unknown, as no limit.
  void read(double low, double high, double& lower, double& upper) const {
    if (!kept) return;
    constexpr double k_infinity = std::numeric_limits<double>::infinity();
    const bool below = low > -k_infinity, above = high < k_infinity;
    const double room = below && above ? std::min(margin, (high - low) / 2) : margin;
    if (below) lower = low + room;
    if (above) upper = high - room;
    if (lower > upper) lower = upper;  // by rounding, at the middle
  }
};

class ChainOfModel {
 public:
  /// Throws what SerialInverseKinematics throws.
  /// With `repeated`, several joints may have one coordinate: their values are read,
  /// but the chain alone is not to be solved for.
  ChainOfModel(const Model& model, const Frame& base, const Frame& tip, const LimitsKept& limits,
               bool repeated = false);
  ChainOfModel(const ChainOfModel&) = delete;
  ChainOfModel& operator=(const ChainOfModel&) = delete;

  const SerialChain& chain() const { return chain_; }
  const std::vector<ChainJoint>& joints() const { return joints_; }
  const std::vector<Index>& coordinates() const { return coordinates_; }
  static double value_of(const ChainJoint& j, const double* q);
  static void set_value(const ChainJoint& j, double x, double* q);
  void read(const double* q, double* x) const;        ///< q [nq] -> x [k_most_joints]
  void write(const double* x, double* q) const;       ///< the joints of the chain alone
  void read_rates(const double* v, double* x) const;  ///< v [nv]
  void write_rates(const double* x, double* v) const;

 private:
  void add_joint(const Model& model, Index body, bool upwards, bool repeated);
  void close(const Model& model, const LimitsKept& limits);
  void draw_table(const Model& model);

  SerialChain chain_;
  Transform<double> pending_;  ///< since the last joint
  std::vector<ChainJoint> joints_;
  std::vector<Index> coordinates_;
  std::vector<Transform<double>> placements_;
  Buffer<float> key_;
  Buffer<double> azimuth_, start_;
};

}  // namespace zwang
