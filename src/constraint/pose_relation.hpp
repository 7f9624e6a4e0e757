// SPDX-License-Identifier: BSD-3-Clause
// PoseRelation: a Relation of two frames from its geometry alone (pose_rows.hpp).
#pragma once
#include "constraint/pose_rows.hpp"
#include "core/kernel_table.hpp"
#include "zwang/constraint/relation.hpp"

namespace zwang {

/// Whose wrench is shown to users: that on b about b's origin, or that on a about a's. Both in a's axes.
enum class Given { on_b, on_a };

/// `Geometry::errors` basic errors; `matrix` is rows x errors.
template <class Geometry> class PoseRelation final : public Relation {
 public:
  PoseRelation(RelationRows::Kind kind, const Geometry& geometry, const BodyFrame& a, const BodyFrame& b,
               std::vector<double> matrix, Given given = Given::on_b)
      : Relation(static_cast<Index>(matrix.size()) / Geometry::errors, {a.body, b.body}),
        matrix_(std::move(matrix)),
        given_(given),
        x_{geometry, a, b, matrix_.data(), rows(), bodies().data(), static_cast<Index>(bodies().size())},
        for_lanes_{kind, &x_} {}
  PoseRelation(const PoseRelation&) = delete;
  PoseRelation& operator=(const PoseRelation&) = delete;

  void evaluate(const Data& data, const double*, const double*, const RowValues& out) const override {
    const FramePair<double> pair = frame_pair(data, x_.a, x_.b);
    const Transform<double> seen{pair.A.R, given_ == Given::on_b ? pair.B.p : pair.A.p};
    evaluate_rows(x_, pair, out.phi, out.gamma, out.K, [&](Index r, const Force<double>& row) {
      const Force<double> given = inverse_times(seen, given_ == Given::on_b ? row : -row);
      for (int k = 0; k < 6; ++k) out.as_given[6 * r + k] = given[k];
    });
  }
  const RelationRows* rows_for_lanes() const override { return &for_lanes_; }

 private:
  std::vector<double> matrix_;
  Given given_;
  PoseRows<Geometry> x_;
  RelationRows for_lanes_;
};

}  // namespace zwang
