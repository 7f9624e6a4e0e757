// SPDX-License-Identifier: BSD-3-Clause
// What a solve on the matrices needs: allocated when a solver is made with such a method, or when it first gets one.
#pragma once
#include <memory>

#include "zwang/core/buffer.hpp"
#include "zwang/dynamics/dense/contact_cholesky.hpp"
#include "zwang/dynamics/dense/kkt_cod.hpp"
#include "zwang/dynamics/dense/kkt_lu.hpp"
#include "zwang/dynamics/dense/kkt_pivoted_qr.hpp"
#include "zwang/dynamics/dense/null_space.hpp"
#include "zwang/dynamics/dense/range_space.hpp"
#include "zwang/dynamics/dense/test_forces.hpp"

namespace zwang {

enum class MatrixMethod { none, lu, qr, cod, range_space, null_space, test_force, contact_cholesky };

struct Matrices {
  Matrices(Index nv, Index rows);
  /// The workspace of a method, made when it is first used.
  template <class Workspace> struct Place {
    std::unique_ptr<Workspace> place;
    void solve(Index nv, Index rows, const dense::KktProblem& p, dense::KktAnswer& a) {
      if (place == nullptr) place = std::make_unique<Workspace>(nv, rows);
      place->solve(p, a);
    }
  };
  void solve(MatrixMethod which, Index nv, Index rows, const dense::KktProblem& p, dense::KktAnswer& a) {
    switch (which) {
      case MatrixMethod::lu: return lu.solve(nv, rows, p, a);
      case MatrixMethod::qr: return qr.solve(nv, rows, p, a);
      case MatrixMethod::cod: return cod.solve(nv, rows, p, a);
      case MatrixMethod::range_space: return range_space.solve(nv, rows, p, a);
      case MatrixMethod::null_space: return null_space.solve(nv, rows, p, a);
      case MatrixMethod::test_force: return test_force.solve(nv, rows, p, a);
      case MatrixMethod::contact_cholesky: return contact_cholesky.solve(nv, rows, p, a);
      case MatrixMethod::none: break;
    }
  }
  Buffer<double> M, J, reach, factor, caused, Lambda, bound, tau, free, b, R, lambda, row_bound;
  Place<dense::KktLuWorkspace> lu;
  Place<dense::KktPivotedQrWorkspace> qr;
  Place<dense::KktCodWorkspace> cod;
  Place<dense::RangeSpaceWorkspace> range_space;
  Place<dense::NullSpaceWorkspace> null_space;
  Place<dense::TestForcesWorkspace> test_force;
  Place<dense::ContactCholeskyWorkspace> contact_cholesky;
};

}  // namespace zwang
