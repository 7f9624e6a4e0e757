// SPDX-License-Identifier: BSD-3-Clause
// RowVariations: how the rows of a solved problem, and the wrenches of their multipliers, vary with the bodies.
//
//   a row varies by          d rho = sum over its bodies  K.alpha + P.nu + N.xi   (xi, nu, alpha): page/variations.hpp
//   a wrench on body b by    dF = xi_b x* F + what `turning`, `pairs` and `axes` say
// rho: the residual with stabilisation, at fixed accelerations of the bodies. Rows on coordinates stand apart: they and
// their forces vary with the coordinates. World axes about the branches' centres; alpha as variations.hpp has it, with
// -g in the acceleration, which N makes up for.
//
//   rows of one body     rows/page/varying_body_rows.hpp
//   between two frames   page/pose_variations.hpp
//   between two points   a row along axes of the world on each of the two bodies
//   centre of mass       u = [d / m; 0] of every body:  K = I u,  P = B^T u,  N = -u x* (I a + v x* I v)
//   R of rows of one body, in its axes: 0;  aligned: [0; v_p x d + w x e];  in those of a body c: that, less on c;
//   world: v x* K;  between two frames: page/pose_variations.hpp;  of the centre of mass: -u x* I v
#pragma once
#include <vector>

#include "constraint/page/pose_variations.hpp"
#include "constraint/page/row_part.hpp"
#include "rows/problem.hpp"
#include "zwang/algorithm/page/turning.hpp"
#include "zwang/constraint/page/relations.hpp"

namespace zwang {

/// How the wrench of a constraint on one body turns with it: dF = xi x* F - W xi.
template <class S> struct BasicOwnWrench {
  Index row;  ///< first of the constraint
  Index body;
  page::Turning<S> W;
};
/// The wrench F on body b and -F on body a of a relation between two frames, about the pair's point:
/// dF = D (xi_b - xi_a) + xi_a x* F.
template <class S> struct BasicPairWrench {
  Index row, a, b;
  Vec3<S> to_a, to_b;  ///< from the pair's point to the centres of their branches
  Force<S> F, D[6];
  Force<S> turned_by(const Motion<S>& x) const {
    Force<S> sum = Force<S>::zero();
    for (int c = 0; c < 6; ++c) sum += D[c] * x[c];
    return sum;
  }
};
/// A wrench on body b whose axes are those of another body: dF += W xi_axes.
template <class S> struct BasicAxesWrench {
  Index row, b, axes;
  page::Turning<S> W;
};
/// d rho of a row by coordinate v.
template <class S> struct BasicCoordinateRow {
  Index row, v;
  S by_a, by_q, by_v;
  S turned;  ///< d J_v / d q_v
};
/// d (J^T lambda) at coordinate v by q_v.
template <class S> struct BasicCoordinateForce {
  Index row, v;
  S by_q;
};
/// A row on the centre of mass, and the gains of its stabilisation.
struct CentreOfMassRow {
  Index row;
  Vec3<double> direction;
  double stiffness, damping;
};

template <class S> class BasicRowVariations {
 public:
  explicit BasicRowVariations(const Problem& problem);

  /// Of the attached rows at the state and the body accelerations of `data`, which belong to q, v, `acceleration` [nv].
  /// Null, or why the rows cannot be differentiated.
  const char* evaluate(const Problem& problem, const BasicData<S>& data, const S* q, const S* v, const S* acceleration,
                       const S* lambda);

  /// `R` of the parts at the velocities of the bodies in `data`, whatever they are of; evaluate() has been.
  void evaluate_rates(const Problem& problem, const BasicData<S>& data);

  std::vector<BasicRowPart<S>> parts;
  std::vector<BasicOwnWrench<S>> turning;
  std::vector<BasicPairWrench<S>> pairs;
  std::vector<BasicAxesWrench<S>> axes;
  std::vector<BasicCoordinateRow<S>> coordinates;
  std::vector<BasicCoordinateForce<S>> forces;
  std::vector<CentreOfMassRow> centre_of_mass;

 private:
  struct Rows;  ///< of one constraint
  void rows_on_body(const BasicData<S>& data, const Rows& rows, const S* lambda);
  template <class Geometry>
  void pose_rows(const BasicData<S>& data, const Rows& rows, const page::PoseRows<Geometry>& page, const S* lambda);
  void point_pair_rows(const BasicData<S>& data, const Rows& rows, const page::PointPairRows& page, const S* lambda);
  void coupling_rows(const Rows& rows, const page::CouplingRows& page, const S* q, const S* v, const S* acceleration,
                     const S* lambda);
  void joint_rows(const BasicData<S>& data, const Rows& rows, const page::JointRows& page, const S* lambda);
  void centre_of_mass_rows(const BasicData<S>& data, const Rows& rows, const page::CentreOfMassRows& page,
                           const S* lambda);
  template <class Each> const char* for_each(const Problem& problem, Each&& each);
  BasicRowPart<S>& add(Index row, Index body) {
    const Force<S> none = Force<S>::zero();
    return parts.emplace_back(BasicRowPart<S>{row, body, none, none, none, none});
  }

  Buffer<Force<S>> K_, P_, N_;  ///< [rows of one relation]
  Buffer<S> lambda_;            ///< [rows of one constraint] 0 for released ones
};

using RowPart = BasicRowPart<double>;
using OwnWrench = BasicOwnWrench<double>;
using PairWrench = BasicPairWrench<double>;
using AxesWrench = BasicAxesWrench<double>;
using CoordinateRow = BasicCoordinateRow<double>;
using CoordinateForce = BasicCoordinateForce<double>;
using RowVariations = BasicRowVariations<double>;

}  // namespace zwang
