// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of a step of Integrator::contact. Matrices have 3 nv columns: by q, by v, by tau.
//
//   with contact   d v_1 = d v + h (A_q d q + A_v d v + A_tau d tau) + A_tau Q d q + A_tau J^T d lambda,
//                  A the derivatives of q''(q, v, tau + J^T lambda / h), by ContactTerms and ContactResponse;
//                  then q' = q (+) h v_1 and v' in axes that have turned, by dual numbers
//   taken apart    M d - J^T l = 0, J d + gap = 0 of each pass: M d d = (Q - d(M d)/dq) d q + J^T d l, likewise
//   free           the page of the classical step by dual numbers, with A at each stage
#include "zwang/simulation/contact_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "core/borrowed.hpp"
#include "manifold/instances.hpp"
#include "simulation/check_settings.hpp"
#include "simulation/contact_derivatives_impl.hpp"
#include "zwang/core/dual.hpp"
#include "zwang/question/derivatives.hpp"

namespace zwang {

using derivatives::add_product;
using derivatives::Numbers;
using derivatives::place;

namespace {

const SimulationSettings& checked(const ConstraintSet& set, const SimulationSettings& s) {
  if (s.integrator != Integrator::contact)
    throw std::invalid_argument("ContactDerivatives: integrator '" + std::string(name_of(s.integrator)) +
                                "', expected 'contact'");
  const auto& all = set.constraints();
  const bool kept = std::any_of(all.begin(), all.end(), [](const Constraint& x) { return !x.is_sided(); });
  if (kept && s.keep != Keep::stabilisation)
    throw UnsupportedError(
        "ContactDerivatives: the set has rows, and projections after a step are not differentiated; give keep "
        "'stabilisation', and the rows a time_constant");
  return checked_settings(s);
}

}  // namespace

const ContactStepDerivatives& ContactDerivatives::Impl::fail(Status status, std::string why) {
  out.status = status;
  out.reason = std::move(why);
  std::fill(by_q.begin(), by_q.end(), 0.0);
  std::fill(by_v.begin(), by_v.end(), 0.0);
  publish();
  return out;
}

const ContactStepDerivatives& ContactDerivatives::Impl::begin(const SimulationInput& input) {
  make();
  begin_motion(input);
  from.time = input.time;
  std::copy_n(input.q.data(), model.nq(), from.q.data());
  std::fill_n(from.v.data(), nv, 0.0);
  if (input.v.size() > 0) std::copy_n(input.v.data(), nv, from.v.data());
  to.copy(from);
  is_there = true;
  clear();
  report = {};
  if (!stepper->start(from, motion.settings.dt, report)) return fail(motion.status, motion.reason);
  if (!std::equal(from.q.begin(), from.q.end(), to.q.begin()))
    return fail(Status::not_differentiable,
                "shapes or limits overlap at the state, and a motion would not begin there; give a q where none do");
  return go();
}

const ContactStepDerivatives& ContactDerivatives::Impl::go() {
  const double h = motion.settings.dt;
  clear();
  motion.forget();
  if (!stepper->step(h, from, to)) return fail(motion.status, motion.reason);
  if (!differentiate()) return fail(motion.status, motion.reason);
  publish();
  stepper->accept(report);
  return out;
}

bool ContactDerivatives::Impl::differentiate() {
  const double h = motion.settings.dt;
  out.is_free = record.is_free;
  if (record.halved > 0) return refuse("a step that was halved; shorter steps");
  if (!are_of_scene(record.rows)) return false;
  for (const ContactRecord::Apart& pass : record.apart)
    if (!are_of_scene(pass.rows)) return false;
  if (record.impacts > 0)
    return refuse("an impact with restitution, of '" + record.names->name(record.struck) +
                  "', is within the step: its instant is not differentiated");
  if (!(record.is_free ? free_flight(h) : with_contact(h))) return false;
  for (const ContactRecord::Apart& pass : record.apart)
    if (!take_apart(pass)) return false;
  out.is_unique = out.borders.empty();
  for (const Numbers* x : {&by_q, &by_v})
    if (!std::all_of(x->begin(), x->end(), [](double d) { return std::isfinite(d); }))
      return motion.fail(Status::overflow, "derivatives leave the range of double");
  return true;
}

/// Rows of the set with a sense are not differentiated where they may act.
bool ContactDerivatives::Impl::are_of_scene(const std::vector<ContactRow>& rows) {
  for (const ContactRow& x : rows)
    if (x.is_of_user())
      return refuse("a row of the set with a sense, '" + record.names->name(x) + "', may act in the step");
  return true;
}

/// A at a state with torques; `a` the acceleration.
bool ContactDerivatives::Impl::solve(const double* q, const double* v, const double* torque) {
  motion.forget();
  const Movement::WithoutSided without(motion);
  const Solution& s = motion.solver.solve({.q = {q, model.nq()},
                                           .v = {v, nv},
                                           .tau = {torque, nv},
                                           .external = &motion.external(),
                                           .prescribed = &motion.prescribed()});
  if (s.report.status != Status::ok) return motion.fail(s.report.status, s.report.explain());
  a.assign(s.acceleration.data(), s.acceleration.data() + nv);
  const SolutionDerivatives& d = motion.solver.derivatives();
  if (d.status != Status::ok) return motion.fail(d.status, "the rows of the set: " + std::string(d.reason));
  const auto take = [&](const JacobianView& m, Numbers& rows) {
    rows.resize(place(nv * nv));
    for (Index i = 0; i < nv; ++i)
      for (Index k = 0; k < nv; ++k) rows[place(i * nv + k)] = m(i, k);
  };
  take(d.acceleration.q, A_q), take(d.acceleration.v, A_v), take(d.acceleration.tau, A_tau);
  return true;
}

/// S of the rows with what they owe to gaps [rows x columns]; gaps that count as 0 only if `touching`.
Numbers ContactDerivatives::Impl::varied_rows(double h, bool touching) const {
  Numbers S(place(terms.rows() * columns), 0.0);
  for (Index r = 0; r < terms.rows(); ++r)
    for (Index k = 0; k < nv; ++k) S[place(r * columns + k)] = terms.S(r)[k];
  Index cone = 0;
  for (const ContactRow& x : record.rows) {
    const double k = x.law.stiffness;
    const bool counts = x.gap > ContactRow::k_touch || (touching && x.gap >= -ContactRow::k_touch);
    const double weight = x.gives_way() ? k / (h * k + x.law.damping) : counts ? 1 / h : 0;
    if (x.kind != ContactRow::Kind::friction)
      for (Index i = 0; i < nv; ++i) S[place(x.normal_row() * columns + i)] += weight * terms.gap(cone)[i];
    ++cone;
  }
  return S;
}

bool ContactDerivatives::Impl::with_contact(double h) {
  const double* const q = from.q.data();
  const double* const impulses = record.impulses.data();
  if (!terms.evaluate(q, record.rows, *record.names, impulses, record.v.data())) return refuse(terms.why);
  out.geometry_error = std::fmax(out.geometry_error, terms.error);
  Numbers torque(motion.tau(), motion.tau() + nv);
  for (Index r = 0; r < terms.rows(); ++r)
    for (Index k = 0; k < nv; ++k) torque[place(k)] += terms.J(r)[k] * impulses[r] / h;
  motion.solver.data().damping_step = stepper->implicit(h);
  if (!solve(q, from.v.data(), torque.data())) return false;
  // D: of v_1
  Numbers& D = by_v;
  std::fill(D.begin(), D.end(), 0.0);
  Numbers AQ(place(nv * nv), 0.0);
  add_product(nv, nv, nv, A_tau.data(), terms.Q(), AQ.data());
  std::vector<Dual<double>> u(place(nv)), free(place(nv));
  for (Index k = 0; k < nv; ++k) {
    for (Index i = 0; i < nv; ++i) u[place(i)] = Dual<double>(from.v[i], i == k ? 1 : 0), free[place(i)] = u[place(i)];
    axes.free(h, u.data(), free.data(), motion.prescribed().empty());
    for (Index i = 0; i < nv; ++i) {
      const std::size_t at = place(i * nv + k);
      D[place(i * columns + k)] = h * A_q[at] + AQ[at];
      D[place(i * columns + nv + k)] = free[place(i)].d + h * A_v[at];
      D[place(i * columns + 2 * nv + k)] = h * A_tau[at];
    }
  }
  const ContactResponse::Answer answer{.rows = record.rows,
                                       .J = terms.J(0),
                                       .B = A_tau.data(),
                                       .impulses = impulses,
                                       .sigma = record.sigma.data(),
                                       .h = h,
                                       .speed = speed_of(q, record.v.data()),
                                       .frictionless = false};
  response.classify(answer, *record.names, out.borders);
  // Corners of one face of which some touch and others close: then gaps of all count.
  const Numbers before = D;
  bool good = false;
  for (const bool touching : {false, true}) {
    if (good) break;
    D = before;
    good = response.respond(answer, varied_rows(h, touching), columns, D);
  }
  if (!good) return refuse("rows of contacts depend on each other, and contradict each other where q varies");
  for (const ContactRow& x : record.rows)
    if (response.depends() >= x.first && response.depends() < x.first + x.size())
      out.borders.push_back({ContactBorder::What::depends, record.names->name(x)});
  // q', v'
  const Tree<double>& tree = model.tree<double>();
  const double* const reached = record.apart.empty() ? to.q.data() : record.apart.front().from.data();
  const std::vector<Dual<double>> start(q, q + model.nq()), end(reached, reached + model.nq());
  std::vector<Dual<double>> x(start), moved(start), turn(place(nv)), move(place(nv));
  for (Index c = 0; c < columns; ++c) {
    for (Index i = 0; i < nv; ++i) {
      turn[place(i)] = Dual<double>(0, c == i ? 1 : 0);
      u[place(i)] = Dual<double>(record.v[place(i)], D[place(i * columns + c)]);
      move[place(i)] = u[place(i)] * h;
    }
    page::integrate<Dual<double>>(tree, start.data(), turn.data(), x.data());
    axes.straighten(move.data());
    page::integrate<Dual<double>>(tree, x.data(), move.data(), moved.data());
    page::difference<Dual<double>>(tree, end.data(), moved.data(), turn.data());
    axes.turn(h, u.data());
    for (Index i = 0; i < nv; ++i)
      by_q[place(i * columns + c)] = turn[place(i)].d, by_v[place(i * columns + c)] = u[place(i)].d;
  }
  // For turn_by() of what follows: v' before anything was taken apart.
  for (Index i = 0; i < nv; ++i) v_now[place(i)] = u[place(i)].v;
  return true;
}

void ContactDerivatives::Impl::publish() {
  const auto take = [&](const Numbers& rows, Index first, std::size_t k, Eigen::Map<const Eigen::MatrixXd>& view) {
    double* const to_here = results.data() + k * place(nv * nv);
    for (Index c = 0; c < nv; ++c)
      for (Index i = 0; i < nv; ++i) to_here[c * nv + i] = rows[place(i * columns + first + c)];
    new (&view) Eigen::Map<const Eigen::MatrixXd>(to_here, nv, nv);
  };
  take(by_q, 0, 0, out.q_by.q), take(by_q, nv, 1, out.q_by.v), take(by_q, 2 * nv, 2, out.q_by.tau);
  take(by_v, 0, 3, out.v_by.q), take(by_v, nv, 4, out.v_by.v), take(by_v, 2 * nv, 5, out.v_by.tau);
  new (&out.q) VectorView(to.q.data(), model.nq());
  new (&out.v) VectorView(to.v.data(), nv);
}

namespace {

template <class Impl> Impl& there(const Owned<Impl>& impl) {
  if (impl == nullptr) throw std::logic_error("ContactDerivatives: this object was moved from");
  return *impl;
}

}  // namespace

ContactDerivatives::ContactDerivatives(const Model& model, const ConstraintSet& constraints,
                                       const SimulationSettings& settings, const Scene& scene)
    : impl_(make_owned<Impl>(model, constraints, checked(constraints, settings), scene)) {}
ContactDerivatives::ContactDerivatives(ContactDerivatives&&) noexcept = default;
ContactDerivatives& ContactDerivatives::operator=(ContactDerivatives&&) noexcept = default;
ContactDerivatives::~ContactDerivatives() = default;

const ContactStepDerivatives& ContactDerivatives::step(const SimulationInput& input) {
  return there(impl_).begin(input);
}

const ContactStepDerivatives& ContactDerivatives::next(ConstVector tau) {
  Impl& x = there(impl_);
  if (!x.is_there || x.out.status != Status::ok)
    throw std::logic_error("ContactDerivatives::next: there is no step from which to go on");
  x.from.copy(x.to);
  const Numbers same = x.tau;  // which begin_motion() writes
  SimulationInput input{.q = {x.from.q.data(), x.model.nq()},
                        .v = {x.from.v.data(), x.nv},
                        .tau = tau.size() > 0 ? tau : ConstVector(same),
                        .external = &x.motion.external(),
                        .prescribed = &x.motion.prescribed(),
                        .time = x.from.time};
  x.begin_motion(input);
  return x.go();
}

const ContactStepDerivatives& ContactDerivatives::last() const { return there(impl_).out; }

StepGradient ContactDerivatives::vjp(ConstVector q, ConstVector v) {
  Impl& x = there(impl_);
  x.check("vjp", {{"q", q}, {"v", v}});
  StepGradient g;
  VectorView* const views[] = {&g.q, &g.v, &g.tau};
  for (Index c = 0; c < x.columns; ++c) {
    double sum = 0;
    for (Index i = 0; i < x.nv; ++i)
      sum += (q.size() > 0 ? q.data()[i] * x.by_q[place(i * x.columns + c)] : 0) +
             (v.size() > 0 ? v.data()[i] * x.by_v[place(i * x.columns + c)] : 0);
    x.products[place(c)] = sum;
  }
  for (Index k = 0; k < 3; ++k) new (views[k]) VectorView(x.products.data() + k * x.nv, x.nv);
  return g;
}

StepVariation ContactDerivatives::jvp(ConstVector q, ConstVector v, ConstVector tau) {
  Impl& x = there(impl_);
  x.check("jvp", {{"q", q}, {"v", v}, {"tau", tau}});
  const auto times = [&](const Numbers& m, Index i) {
    double sum = 0;
    Index first = 0;
    for (const ConstVector* d : {&q, &v, &tau}) {
      for (Index k = 0; k < d->size(); ++k) sum += m[place(i * x.columns + first + k)] * d->data()[k];
      first += x.nv;
    }
    return sum;
  };
  for (Index i = 0; i < x.nv; ++i) {
    x.products[place(i)] = times(x.by_q, i);
    x.products[place(x.nv + i)] = times(x.by_v, i);
  }
  StepVariation out;
  new (&out.q) VectorView(x.products.data(), x.nv);
  new (&out.v) VectorView(x.products.data() + x.nv, x.nv);
  return out;
}

const Model& ContactDerivatives::model() const { return there(impl_).model; }
const SimulationSettings& ContactDerivatives::settings() const { return there(impl_).motion.settings; }

}  // namespace zwang
