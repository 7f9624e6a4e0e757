// SPDX-License-Identifier: BSD-3-Clause
// RowVariations: how the rows of a solved problem, and the wrenches of their multipliers, vary with the bodies.
//
//   a row varies by          d rho = sum over its bodies  K.alpha + P.nu + N.xi        (xi, nu, alpha): page/variations.hpp
//   a wrench on body b by    dF = xi_b x* F + what `turning`, `pairs` and `axes` say
// rho: the residual with stabilisation, at fixed accelerations of the bodies. Rows on coordinates stand apart: they and
// their forces vary with the coordinates. World axes about the branches' centres; alpha as variations.hpp has it, with
// -g in the acceleration, which N makes up for.
//
//   rows of one body, d, e: directions; p: the point; v_p, a_p: its velocity and acceleration; K = [d; p x d + e]
//     classical  P = [0; 2 v_p x d + w x e]     spatial  P = v x* K
//     axes of the body   N = 0                  aligned  N = [0; a_p x d + w' x e]
//     axes of a body c   N as aligned on b, minus that on c
//     world              N = a x* K (p: the origin), classical: + v x* [d x w; v x d]
//   between two frames   page/pose_variations.hpp
//   centre of mass       u = [d / m; 0] of every body:  K = I u,  P = B^T u,  N = -u x* (I a + v x* I v)
//   R: 0; [0; v_p x d + w x e]; that, less on c; v x* K; page/pose_variations.hpp; -u x* I v
#pragma once
#include <vector>

#include "dynamics/problem/problem.hpp"
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/constraint/page/pose_variations.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {

/// A row on one of its bodies.
struct RowPart {
  Index row, body;
  Force<double> K, P, N;
  Force<double> R;  ///< after evaluate_rates(): d (K . v) = K . nu + R . xi at fixed joint velocities
};
/// How the wrench of a constraint on one body turns with it: dF = xi x* F - W xi.
struct OwnWrench {
  Index row;  ///< first of the constraint
  Index body;
  page::Turning<double> W;
};
/// The wrench F on body b and -F on body a of a relation between two frames, about the pair's point:
/// dF = D (xi_b - xi_a) + xi_a x* F.
struct PairWrench {
  Index row, a, b;
  Vec3<double> to_a, to_b;  ///< from the pair's point to the centres of their branches
  Force<double> F, D[6];
  Force<double> turned_by(const Motion<double>& x) const {
    Force<double> sum = Force<double>::zero();
    for (int c = 0; c < 6; ++c) sum += D[c] * x[c];
    return sum;
  }
};
/// A wrench on body b whose axes are those of another body: dF += W xi_axes.
struct AxesWrench {
  Index row, b, axes;
  page::Turning<double> W;
};
/// d rho of a row by coordinate v.
struct CoordinateRow {
  Index row, v;
  double by_q, by_v;
  double turned;  ///< d J_v / d q_v
};
/// d (J^T lambda) at coordinate v by q_v.
struct CoordinateForce {
  Index row, v;
  double by_q;
};
/// A row on the centre of mass, and the gains of its stabilisation.
struct CentreOfMassRow {
  Index row;
  Vec3<double> direction;
  double stiffness, damping;
};

class RowVariations {
 public:
  explicit RowVariations(const Problem& problem);

  /// Of the attached rows at the state and the body accelerations of `problem.data`, which belong to `acceleration` [nv].
  /// Null, or why the rows cannot be differentiated.
  const char* evaluate(Problem& problem, const double* acceleration, const double* lambda);

  /// R of the parts at the velocities of the bodies in `data`, whatever they are of; evaluate() has been.
  void evaluate_rates(const Problem& problem);

  std::vector<RowPart> parts;
  std::vector<OwnWrench> turning;
  std::vector<PairWrench> pairs;
  std::vector<AxesWrench> axes;
  std::vector<CoordinateRow> coordinates;
  std::vector<CoordinateForce> forces;
  std::vector<CentreOfMassRow> centre_of_mass;

 private:
  struct Rows;  ///< of one constraint
  void rows_on_body(const Problem& problem, const Rows& rows, const double* lambda);
  template <class Geometry>
  void pose_rows(const Problem& problem, const Rows& rows, const page::PoseRows<Geometry>& page, const double* lambda);
  void coupling_rows(const Problem& problem, const Rows& rows, const page::CouplingRows& page,
                     const double* acceleration, const double* lambda);
  void centre_of_mass_rows(const Problem& problem, const Rows& rows, const page::CentreOfMassRows& page,
                           const double* lambda);
  template <class Each> const char* for_each(const Problem& problem, Each&& each);
  RowPart& add(Index row, Index body) {
    const Force<double> none = Force<double>::zero();
    return parts.emplace_back(RowPart{row, body, none, none, none, none});
  }

  Buffer<Force<double>> P_, N_;  ///< [rows of one relation]
};

}  // namespace zwang
