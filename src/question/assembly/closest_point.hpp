// SPDX-License-Identifier: BSD-3-Clause
// ClosestPoint: the configuration nearest to q0 at which rows hold and joints are within their limits.
//
//   minimise f = 1/2 |q (-) q0|^2_W   subject to   phi(q) = 0,   or on one side of it,   lower <= q <= upper
//   approach   Levenberg-Marquardt on psi = 1/2 |phi / size|^2 with mu = beta |phi| |A| (Yamashita & Fukushima 2001:
//              fast also where J loses rank at the solution). A coordinate that would leave its limits goes to the
//              limit, and the others are solved for again.
//   restart    where it stalls: from random steps from q0, of growing length
//   slide      along the rows: Newton on the reduced gradient Z^T grad f, with the curvature of the rows by differences
//              of J^T lambda (Nocedal & Wright 2006, sec. 18.3), then approach again; f falls in every step
//   settle     where rows do not meet: Newton on psi until its gradient vanishes, which is the certificate
// Of rows with a sense those act that an active set chooses in each linear problem (SidedRows); psi counts violations.
// On the way along the rows those that f pulls against are kept closed, as if they had no sense.
// Steps are q (+) d on the groups of the joints. Allocates nothing after construction.
#pragma once
#include <algorithm>
#include <memory>

#include "question/assembly/linear_steps.hpp"
#include "question/assembly/rows_at.hpp"
#include "question/assembly/sided_rows.hpp"
#include "zwang/question/assembly.hpp"

namespace zwang {

/// Coordinates that may not move, or only between limits.
struct AssemblyCoordinates {
  AssemblyCoordinates(const Model& model, const AssemblySettings& settings);
  Index count = 0;
  Buffer<Index> free;    ///< [count] coordinates of v
  Buffer<Index> kept_q;  ///< [kept] numbers of q that are fixed
  Index kept = 0;
  Buffer<Index> q_of;           ///< [count] the number of q with this rate, -1: none, it has no limits
  Buffer<double> lower, upper;  ///< [count], infinite where there are none
  Index loose = 0;              ///< limits of other free numbers of q: not searched for, only checked
  Buffer<Index> loose_q;
};

/// A configuration, and the rows there.
struct AssemblyPoint : ScaledRows {
  AssemblyPoint(Index rows, Index coordinates, Index nq)
      : ScaledRows(rows, coordinates),
        q(nq),
        size(rows),
        rounding(rows) {}
  Buffer<double> q;
  Buffer<double> size, rounding;  ///< of the rows, in their own units
  double psi = 0;
  bool finite = false;
  static void copy(const AssemblyPoint& from, AssemblyPoint& to);  ///< allocates nothing
};

/// Scratch of ClosestPoint: lengths [n], increments [nv], matrices.
struct AssemblyNumbers {
  AssemblyNumbers(Index n, Index nv, Index nq);
  Buffer<double> turn_;                                 ///< [n] how far a coordinate turns its body
  Buffer<double> x_, z_, reduced_, probe_;              ///< [n]
  Buffer<double> d_, g_, base_, weighed_, difference_;  ///< [nv]
  Buffer<double> by_q_;                                 ///< [nv x nv]
  Buffer<double> H_, C_;                                ///< [n x n]
  Buffer<double> start_;                                ///< [nq]
};

class ClosestPoint : private AssemblyNumbers {
 public:
  ClosestPoint(const Model& model, RowsAt& rows, Metric& metric, const AssemblyCoordinates& coordinates,
               const AssemblySettings& settings);

  /// Room for rows with a sense, once.
  void make_room_for_sides();
  /// Fills the numbers of the report; its names are the caller's.
  void find(const double* q0, AssemblyReport& report);
  const double* q() const { return at_.q.data(); }
  Index rows() const { return m_; }
  Index row(Index i) const { return list_[i]; }  ///< in RowsAt
  bool is_unmet(Index i) const { return residual_of(at_, i) > tolerance_; }
  bool counts(Index i) const { return steps_.ranked().counts(i); }
  bool has_side(Index i) const { return sides_.side[i] != 0; }
  /// A row with a sense that holds as an equality, or is violated.
  bool is_closed(Index i) const { return sides_.side[i] * at_.phi[i] * scale_[i] <= margin(at_, i); }
  /// Of the rows here and at another point, after find(): the product of the cosines of the angles between what they
  /// span, with the sign of det(A A_before^T) over the rows that count. Below 0 the rows have turned over on the way.
  double alignment(const AssemblyPoint& before) { return steps_.alignment(before, at_); }
  const AssemblyPoint& point() const { return at_; }
  bool is_at_limit(Index j) const { return limit_side(at_, j) != 0; }

 private:
  using Point = AssemblyPoint;
  bool measure(Point& p);
  void list_rows();
  double margin(const Point& p, Index i) const { return tolerance_ * p.size[i] + std::max(p.rounding[i], 0.0); }
  double choose_along(const double* g);
  double room_along(const double* x, double part) const;
  void keep_none();
  double residual_of(const Point& p, Index i) const;
  double residual(const Point& p) const;
  bool holds(const Point& p) const { return residual(p) <= tolerance_; }
  int limit_side(const Point& p, Index j) const;
  void clamp(double* q) const;
  void move(const double* q, const double* d, const HeldCoordinates& held, double* out);
  bool hold_leaving(const Point& p, const double* d, HeldCoordinates& held);
  void damped_step(Point& p, const HeldCoordinates* also_held, double beta);
  double shorten(const double* d, double most) const;
  bool approach(Point& p, const HeldCoordinates* also_held, int steps, int* count);
  bool start_again(const double* start, int attempt);
  double distance_gradient(const double* q, double* g);
  void lagrangian_gradient(const double* q, double* g);
  bool slide_by(const double* x, double slope);
  void slide(AssemblyReport& report);
  void solve_reduced(const double* reduced, bool curved, double* z);
  void settle(AssemblyReport& report);
  double project_gradient(const Point& p, double* g, HeldCoordinates& held);
  void curvature_of_psi(const Point& p, const double* g);
  bool newton(Index n, const double* g, double* z, double least);
  void publish(AssemblyReport& report);

  const Model& model_;
  RowsAt& rows_;
  Metric& metric_;
  const AssemblyCoordinates& on_;
  const AssemblySettings& settings_;
  LinearSteps steps_;
  Index n_, m_ = 0, nv_;
  double tolerance_ = 0, f_ = 0, reach_ = 1;
  struct Done {
    int iterations = 0, evaluations = 0;
  };
  Done done_;
  const double* q0_ = nullptr;
  Buffer<Index> list_;    ///< [m] rows with a position
  Buffer<double> scale_;  ///< [m] of the rows, during one call
  struct Sides {          ///< of rows with a sense
    explicit Sides(Index rows) : side(rows), kept(rows) {}
    bool any = false;
    Buffer<signed char> side;           ///< [m] as in ScaledRows
    Buffer<unsigned char> kept;         ///< [m] they are kept closed
    std::unique_ptr<SidedRows> chosen;  ///< made when there are some
  };
  Sides sides_;
  Point at_, trial_, best_, other_, safe_;
  HeldCoordinates held_, leaving_;
};

}  // namespace zwang
