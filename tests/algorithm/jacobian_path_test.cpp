// SPDX-License-Identifier: BSD-3-Clause
// The Jacobian of a frame along its path must be that of the readable page: for every joint, frame and reference, in
// matrices with and without gaps between their columns.
#include <gtest/gtest.h>

#include "algorithm/cases.hpp"
#include "algorithm/page/jacobian_path.hpp"
#include "zwang/generic.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::test {
namespace {

constexpr Reference k_references[] = {Reference::local, Reference::world, Reference::local_world_aligned};

Eigen::MatrixXd readable(Data& data, const Eigen::VectorXd& q, const Frame& frame, Reference reference) {
  Eigen::MatrixXd J(6, data.tree().nv);
  page::enter_path(data, q.data(), frame.body.value);
  page::jacobian(data, frame.body.value, frame.in_body, reference,
                 page::MatrixView<double>{J.data(), 6, data.tree().nv, 1, 6});
  return J;
}
/// Levers may be long: a rounding of the largest entry.
double tolerance(const Eigen::MatrixXd& J) { return 1e-13 * (1 + (J.size() > 0 ? J.cwiseAbs().maxCoeff() : 0)); }

TEST(JacobianPath, IsTheReadablePage) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(40)); ++seed) {
    const Case c = random_case(seed);
    const Index nv = c.model.nv();
    const Eigen::VectorXd q = zwang::random(c.model, seed);
    Data data(c.model), other(c.model);
    for (const Frame& frame : c.model.frames())
      for (const Reference reference : k_references) {
        const Eigen::MatrixXd want = readable(other, q, frame, reference);
        const std::string what = c.name + " " + frame.name;
        Eigen::MatrixXd J(6, nv);
        jacobian(c.model, data, q, c.model.find_frame(frame.name), reference, J);
        EXPECT_TRUE(J.isApprox(want, 1e-13) || (J - want).norm() <= tolerance(want)) << what;
        if (data.tree().mimic) continue;  // not for this page
        for (const Index stride : {6, 7, 9}) {
          Eigen::MatrixXd gaps = Eigen::MatrixXd::Constant(stride, nv, 7);
          const double sum =
              page::path_jacobian(data, q.data(), frame.body.value, frame.in_body, reference, gaps.data(), stride);
          EXPECT_TRUE(std::isfinite(sum)) << what;
          EXPECT_LE((gaps.topRows(6) - want).norm(), tolerance(want)) << what;
          EXPECT_TRUE((gaps.bottomRows(stride - 6).array() == 7).all()) << what;  // what is between columns stays
        }
      }
  }
}

}  // namespace
}  // namespace zwang::test
