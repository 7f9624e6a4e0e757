// SPDX-License-Identifier: BSD-3-Clause
// The three faces of a call - writing, returning a value, returning a status - give the same numbers; frames go by id
// and by name. What one face refuses, the status of the other says.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "algorithm/cases.hpp"
#include "zwang/algorithm/dynamics.hpp"

namespace zwang::test::faces {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Arguments {
  const Model& m;
  Data& d;
  Vector q, v, a;
  FrameIn f, from;
  Externals external;
};
struct Call {
  const char* name;
  bool takes_v, takes_a, takes_frame;
  Index rows, columns;
  std::function<Matrix(const Arguments&)> throwing;
  std::function<Status(const Arguments&, Eigen::Ref<Matrix>)> trying;
  bool rebuilt = true;  ///< whether a result of a wrong size can be handed over
};

inline Matrix of(const Vec3<double>& x) { return x.eigen(); }
inline Matrix of(const Motion<double>& x) { return x.eigen(); }
inline Matrix of(const Force<double>& x) { return x.eigen(); }
inline Matrix of(const Inertia<double>& x) { return x.eigen(); }
inline Matrix of(const Transform<double>& x) { return x.matrix(); }
/// Gives what a twin wrote into a struct.
template <class T, class F> Status into(Eigen::Ref<Matrix> out, const F& twin) {
  T result{};
  const Status s = twin(result);
  if (s == Status::ok) out = of(result);
  return s;
}
template <class F> Status number(Eigen::Ref<Matrix> out, const F& twin) { return twin(out(0, 0)); }
inline VectorOut column(Eigen::Ref<Matrix> out) { return out.col(0); }

inline constexpr auto k_seen = Reference::local_world_aligned;
inline constexpr auto k_own = Reference::local;
inline constexpr JointEffects k_effects{false, true, false, true};
using A = const Arguments&;
using Out = Eigen::Ref<Matrix>;
/// All calls of a file, for a model.
using Calls = std::function<std::vector<Call>(const Model&)>;

/// A frame that a joint carries, or an empty id.
inline FrameId moving_frame(const Model& m) {
  for (Index k = static_cast<Index>(m.frames().size()) - 1; k >= 0; --k)
    if (m.frames()[static_cast<std::size_t>(k)].body.value > 0) return FrameId(k);
  return {};
}

/// The last joint that moves something; of a model with coordinates.
inline JointId moving_joint(const Model& m) {
  Index k = static_cast<Index>(m.joints().size()) - 1;
  const auto rests = [&](const Joint& j) { return j.lumped || j.body.value == 0 || j.v.size == 0; };
  while (rests(m.joints()[static_cast<std::size_t>(k)])) --k;
  return JointId(k);
}

inline void expect_equal_faces(const Calls& all_calls) {
  int with_frames = 0;
  for (int seed = 0; seed < effort(60); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed), 1 + seed % 9);
    const Model& m = c.model;
    const FrameId frame = moving_frame(m);
    if (m.nv() == 0 || !frame) continue;
    const RandomState x = random_state(m, static_cast<std::uint64_t>(seed) + 5);
    const std::string& name = m.frame(frame).name;
    SCOPED_TRACE(c.name + ", frame " + name);
    Data data(m), other(m);
    Arguments by_id{m, data, x.q, x.v, x.a, frame, FrameId(0), {}};
    by_id.external.push_back(external_wrench(m, frame, {1, -2, 3, 0.4, 0.5, -0.6}, Reference::world));
    Arguments by_name{m, other, x.q, x.v, x.a, name, m.frames()[0].name, by_id.external};
    for (const Call& call : all_calls(m)) {
      SCOPED_TRACE(call.name);
      Matrix expected;
      Status status = Status::ok;
      try {
        expected = call.throwing(by_id);
      } catch (const UnsupportedError&) { status = Status::invalid_input; } catch (const SingularMassError&) {
        status = Status::singular_mass;
      }
      Matrix out = Matrix::Constant(call.rows, call.columns, 3);
      ASSERT_EQ(call.trying(by_name, out), status);
      if (status != Status::ok) continue;
      ASSERT_EQ(out.rows(), expected.rows());
      ASSERT_EQ(out.cols(), expected.cols());
      EXPECT_EQ(out, expected);
      with_frames += call.takes_frame;
    }
  }
  EXPECT_GT(with_frames, 0);
}

inline void expect_equal_refusals(const Calls& all_calls) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int seed = 0; seed < effort(40); ++seed) {
    const Case c = random_case(static_cast<std::uint64_t>(seed) + 900, 2 + seed % 6);
    const Model& m = c.model;
    const FrameId frame = moving_frame(m);
    if (m.nv() == 0 || !frame) continue;
    SCOPED_TRACE(c.name);
    const RandomState x = random_state(m, 3);
    const Case strange = random_case(static_cast<std::uint64_t>(seed) + 901, 3);
    Data data(m), foreign(strange.model);
    const Arguments good{m, data, x.q, x.v, x.a, frame, FrameId(0), {}};
    for (const Call& call : all_calls(m)) {
      SCOPED_TRACE(call.name);
      const Matrix before = Matrix::Constant(call.rows, call.columns, 3);
      const auto refused = [&](const Arguments& bad, Status expected, const char* what) {
        SCOPED_TRACE(what);
        Matrix out = before;
        EXPECT_EQ(call.trying(bad, out), expected);
        EXPECT_EQ(out, before) << "a refused call left its result alone";
        EXPECT_THROW(call.throwing(bad), std::invalid_argument);
      };
      const auto changed = [&](auto&& change) {
        Arguments bad = good;
        change(bad);
        return bad;
      };
      refused(changed([&](Arguments& y) { y.q(y.q.size() - 1) = nan; }), Status::non_finite_input, "q of NaN");
      refused(changed([&](Arguments& y) { y.q.resize(m.nq() + 1), y.q.setZero(); }), Status::invalid_input,
              "q too long");
      if (call.takes_v) {
        refused(changed([&](Arguments& y) { y.v(0) = std::numeric_limits<double>::infinity(); }),
                Status::non_finite_input, "v of infinity");
        refused(changed([&](Arguments& y) { y.v.resize(m.nv() - 1), y.v.setZero(); }), Status::invalid_input,
                "v short");
      }
      if (call.takes_a) {
        refused(changed([&](Arguments& y) { y.a(0) = nan; }), Status::non_finite_input, "a of NaN");
        refused(changed([&](Arguments& y) { y.a.resize(0); }), Status::invalid_input, "no a");
      }
      if (call.takes_frame) {
        refused(changed([&](Arguments& y) { y.f = "no such frame"; }), Status::invalid_input, "an unknown name");
        refused(changed([&](Arguments& y) { y.f = std::string_view(); }), Status::invalid_input, "an empty name");
        refused(changed([&](Arguments& y) { y.f = FrameId(); }), Status::invalid_input, "an empty id");
        refused(changed([&](Arguments& y) { y.f = FrameId(1 << 30); }), Status::invalid_input, "an id too large");
      }
      if (!foreign.made_for(m)) {
        const Arguments bad{m, foreign, x.q, x.v, x.a, frame, FrameId(0), {}};
        Matrix out = before;
        EXPECT_EQ(call.trying(bad, out), Status::invalid_input);
        EXPECT_ANY_THROW(call.throwing(bad));
      }
      if (call.rebuilt) {
        Matrix out = Matrix::Constant(call.rows + 1, call.columns, 3);
        EXPECT_EQ(call.trying(good, out), Status::invalid_input) << "a result too long";
      }
    }
  }
}

}  // namespace zwang::test::faces
