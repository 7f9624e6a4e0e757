// SPDX-License-Identifier: BSD-3-Clause
// Every page on every scalar: the same program, distinct numbers in each lane, held against the library's public
// calls in double, and derivatives against central differences of those.
#pragma once
#include <map>
#include <vector>

#include "algorithm/cases.hpp"
#include "core/scalars.hpp"
#include "zwang/constraint/constraint_set.hpp"
#include "zwang/generic.hpp"

namespace zwang::test {

template <class S> using Outputs = std::map<std::string, std::vector<S>>;

/// One robot for all scalars: a tree, a frame, and rows on two frames.
struct ScalarCase {
  explicit ScalarCase(std::uint64_t seed);
  Case c;
  ConstraintSet set;
  std::string frame;
  double condition;  ///< of M, at the worst
};
/// Seeds of trees with every joint type and mimics whose M is conditioned better than 1e4.
std::vector<std::uint64_t> scalar_seeds(int count);

/// One state of doubles, and a direction in which it moves.
struct Moving {
  RandomState x;
  Eigen::VectorXd dq, dv, da, dtau;
};
Moving random_moving(const Model& m, std::uint64_t seed);
Moving moved(const Model& m, const Moving& s, double h);  ///< by h along its direction

/// The public calls, effects of joints off except rotors.
Outputs<double> double_outputs(const ScalarCase& c, const RandomState& x);

/// The pages on S.
template <class S> Outputs<S> page_outputs(const ScalarCase& c, const std::vector<S>& q, const std::vector<S>& v,
                                           const std::vector<S>& a, const std::vector<S>& tau) {
  using T = Uniform<S>;
  const Model& m = c.c.model;
  BasicData<S> d(m);
  const Tree<T>& t = d.tree();
  const std::size_t nv = static_cast<std::size_t>(m.nv());
  Outputs<S> out;
  const auto put = [&](const char* name, const auto& six) {
    for (int k = 0; k < 6; ++k) out[name].push_back(six[k]);
  };
  const auto put3 = [&](const char* name, const Vec3<S>& x) { out[name] = {x.x, x.y, x.z}; };
  const Frame& f = m.frame(c.frame);
  const Transform<T> in_body{{{T(f.in_body.R.r0.x), T(f.in_body.R.r0.y), T(f.in_body.R.r0.z)},
                              {T(f.in_body.R.r1.x), T(f.in_body.R.r1.y), T(f.in_body.R.r1.z)},
                              {T(f.in_body.R.r2.x), T(f.in_body.R.r2.y), T(f.in_body.R.r2.z)}},
                             {T(f.in_body.p.x), T(f.in_body.p.y), T(f.in_body.p.z)}};
  const Index body = f.body.value;

  page::kinematics(d, q.data(), v.data(), a.data());
  put3("frame position", page::frame_about_centre(d, body, in_body).p + d.position.centre[t.body[body].root]);
  put("frame velocity", page::point_of_view(d, body, in_body, Reference::local).see(d.velocity.twist[body]));
  put("frame acceleration",
      page::point_of_view(d, body, in_body, Reference::local).see(page::body_acceleration(d, body)));
  const page::CentreOfMass<S> com = page::centre_of_mass(d);
  put3("centre of mass", com.position);
  put3("its velocity", com.velocity);
  put3("its acceleration", com.acceleration);
  out["kinetic energy"] = {page::kinetic_energy(d, t.mimic ? d.v_spanning.data() : v.data())};
  out["potential energy"] = {page::potential_energy(d)};
  std::vector<S> J(6 * nv);
  const page::MatrixView<S> view{J.data(), 6, m.nv(), 1, 6};
  page::jacobian(d, body, in_body, Reference::local, view);
  out["J"] = J;
  const SweepInput<S> in{t.mimic ? d.q_spanning.data() : q.data(), d.sin.data(), d.cos.data()};
  page::jacobian_dot(d, in, t.mimic ? d.v_spanning.data() : v.data(), body, in_body, Reference::local_world_aligned,
                     view);
  out["Jdot"] = J;
  std::vector<S> J3(3 * nv);
  page::centre_of_mass_jacobian(d, page::MatrixView<S>{J3.data(), 3, m.nv(), 1, 3});
  out["J of centre"] = J3;

  std::vector<S> y(nv), M(nv * nv), inverse(nv * nv);
  page::inverse_dynamics(d, q.data(), v.data(), a.data(), y.data());
  out["tau"] = y;
  page::mass_matrix(d, q.data(), M.data(), m.nv());
  out["M"] = M;
  const page::TreeFactor<S> factor = page::tree_factor(t, M.data(), m.nv());
  page::ltl_factor(factor, [](Index, const S&) {});
  y = tau;
  page::ltl_solve(factor, y.data());
  out["M^-1 tau"] = y;
  Buffer<S> scratch(m.nv() * inverse_lanes<S>);
  page::mass_matrix_inverse(factor, inverse.data(), m.nv(), scratch.data());
  out["M^-1"] = inverse;
  EXPECT_TRUE(page::forward_dynamics(d, q.data(), v.data(), tau.data(), y.data()));
  out["a"] = y;

  // The constrained sweep with the root that every scalar has.
  std::vector<const Constraint*> by_body;  // as the sweep meets them
  for (const Constraint& k : c.set.constraints()) by_body.push_back(&k);
  std::sort(by_body.begin(), by_body.end(), [](const Constraint* one, const Constraint* two) {
    return one->rows_on_body->body < two->rows_on_body->body;
  });
  std::vector<std::vector<S>> beta;
  std::vector<page::ActiveRows<S>> rows;
  for (const Constraint* k : by_body) beta.emplace_back(k->beta.begin(), k->beta.end());
  for (std::size_t k = 0; k < beta.size(); ++k)
    rows.push_back({&by_body[k]->rows_on_body.value(), beta[k].data(), by_body[k]->acceleration});
  const page::RowRoom room = page::SweepStage<S>::anywhere(t, c.set.rows(), static_cast<Index>(rows.size()));
  page::RowNumbers<S> numbers(room);
  page::SweepStage<S> stage(t, room);
  const std::size_t n = static_cast<std::size_t>(c.set.rows());
  std::vector<S> Lambda(n * n), lambda(n), bound(n);
  const auto root = [&](page::SweepStage<S>& r) {
    page::gather_rows(r, Lambda.data(), r.root.count, lambda.data());
    for (Index i = 0; i < r.root.count; ++i)
      bound[static_cast<std::size_t>(i)] = page::lane<S>(r.strand.bound.data(), r.root.slot[i]);
    page::solve_by_selection(r.root.count, Lambda.data(), r.root.count, bound.data(), 64 * epsilon_of<S>,
                             lambda.data());
    page::scatter_rows(r, lambda.data());
  };
  EXPECT_TRUE(page::hybrid_dynamics(d, numbers, stage, rows.data(), rows.data() + rows.size(), root, q.data(), v.data(),
                                    tau.data(), y.data()));
  out["constrained a"] = y;
  std::size_t first = 0;
  for (const Constraint* k : by_body) {
    out["lambda of " + k->name] = {lambda.begin() + static_cast<std::ptrdiff_t>(first),
                                   lambda.begin() + static_cast<std::ptrdiff_t>(first) + k->size()};
    first += static_cast<std::size_t>(k->size());
  }
  return out;
}

/// Values and derivatives of every lane: `k` roundings of S for what a sweep gives, k / 20 times the condition of M for
/// what divides by M.
template <class S> void expect_scalar_like_double(std::uint64_t seed, double k) {
  const ScalarCase c(seed);
  const Model& m = c.c.model;
  SCOPED_TRACE(c.c.name);
  constexpr int lanes = lanes_of<S>;
  std::vector<Moving> states;
  for (int lane = 0; lane < lanes; ++lane)
    states.push_back(random_moving(m, 100 * seed + static_cast<std::uint64_t>(lane)));

  const auto load = [&](auto value, auto direction, Index size) {
    std::vector<S> x(static_cast<std::size_t>(size), S(Uniform<S>(0)));
    for (int lane = 0; lane < lanes; ++lane)
      for (Index i = 0; i < size; ++i)
        Lanes<S>::set(x[static_cast<std::size_t>(i)], lane, value(states[static_cast<std::size_t>(lane)])(i),
                      direction(states[static_cast<std::size_t>(lane)])(i));
    return x;
  };
  const auto zero_q = [&](const Moving& s) { return Eigen::VectorXd::Zero(s.x.q.size()); };
  const auto zero_v = [&](const Moving& s) { return Eigen::VectorXd::Zero(s.x.v.size()); };
  std::vector<S> q = load([](const Moving& s) { return s.x.q; }, zero_q, m.nq());
  if constexpr (Lanes<S>::differentiates) {  // q (+) dq with an infinitesimal dq
    const std::vector<S> dq = load(
        zero_v, [](const Moving& s) { return s.dq; }, m.nv());
    page::integrate(m.tree<Uniform<S>>(), q.data(), dq.data(), q.data());
  }
  const std::vector<S> v = load([](const Moving& s) { return s.x.v; }, [](const Moving& s) { return s.dv; }, m.nv());
  const std::vector<S> a = load([](const Moving& s) { return s.x.a; }, [](const Moving& s) { return s.da; }, m.nv());
  const std::vector<S> tau =
      load([](const Moving& s) { return s.x.tau; }, [](const Moving& s) { return s.dtau; }, m.nv());
  const Outputs<S> got = page_outputs(c, q, v, a, tau);

  const double eps = std::max(static_cast<double>(rounding<S>), k_eps);  // doubles are what it is compared with
  for (int lane = 0; lane < lanes; ++lane) {
    SCOPED_TRACE("lane " + std::to_string(lane));
    const Moving& s = states[static_cast<std::size_t>(lane)];
    const double h = 1e-3;  // fourth order: truncation 1e-12 of fifth derivatives, rounding 1e-13 of the values
    std::vector<Outputs<double>> at;
    for (const double step : {0.0, h, -h, 2 * h, -2 * h}) {
      if (step != 0 && !Lanes<S>::differentiates) continue;
      at.push_back(double_outputs(c, moved(m, s, step).x));
    }
    ASSERT_EQ(at[0].size(), got.size());
    for (const auto& [name, expected] : at[0]) {
      const std::vector<S>& y = got.at(name);
      ASSERT_EQ(y.size(), expected.size()) << name;
      const bool solves = name == "a" || name.find("M^-1") == 0 || name == "constrained a" || name.find("lambda") == 0;
      double scale = 1;
      for (const double x : expected) scale = std::max(scale, std::fabs(x));
      const double tolerance = k * eps * scale * (solves ? c.condition / 20 : 1);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(Lanes<S>::value(y[i], lane)), expected[i], tolerance) << name << " entry " << i;
        if constexpr (Lanes<S>::differentiates) {
          const double slope =
              (8 * (at[1].at(name)[i] - at[2].at(name)[i]) - (at[3].at(name)[i] - at[4].at(name)[i])) / (12 * h);
          EXPECT_NEAR(static_cast<double>(Lanes<S>::derivative(y[i], lane)), slope,
                      1e-8 * (scale + std::fabs(slope)) * (solves ? std::sqrt(c.condition) : 1))
              << "derivative of " << name << " entry " << i;
        }
      }
    }
  }
}

}  // namespace zwang::test
