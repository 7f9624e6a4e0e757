// SPDX-License-Identifier: BSD-3-Clause
// The configuration space: integrate, difference, interpolate, distance, normalize, and the Jacobians of the first two.
#include "zwang/manifold/manifold.hpp"

#include "bind.hpp"
#include "call.hpp"

namespace zwang::python {
namespace {

using Matrix = Eigen::Map<Eigen::MatrixXd>;
using Vector = Eigen::Map<Eigen::VectorXd>;

#define ZWANG_MANIFOLD_DOC                                                                                          \
  "\n\nIncrements are in body axes for floating, spherical and planar joints. Every vector may have a leading\n"    \
  "dimension (N, ...). out: a float64 array that receives the result. Raises ValueError naming argument, got and\n" \
  "expected, also for quaternions that are not of unit length."

void bind_moves(nb::module_& m) {
  m.def(
      "integrate",
      [](const Robot& robot, nb::handle q_, nb::handle dq_, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("integrate", robot, Precision::any);
        const Index nq = robot.model.nq();
        const Input &q = call.configuration(q_), &dq = call.tangent("dq", dq_);
        const Output& out = call.output(out_, {nq});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              Vector x(w.numbers(nq), nq);
              integrate(robot.model, vector(q, k), vector(dq, k), x);
              out.put(k, x.data());
            },
            [&](auto& x) { x.batch.integrate(x(q), x(dq), x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("dq").none(), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def integrate(model: Model, q: Vector, dq: Vector, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "q (+) dq: where the velocity v leads in the time h, with dq = h v; shape (nq,)." ZWANG_MANIFOLD_DOC
          ZWANG_BATCH_DOC);
  m.def(
      "difference",
      [](const Robot& robot, nb::handle q0_, nb::handle q1_, nb::handle out_, nb::handle status, nb::handle progress) {
        Call call("difference", robot, Precision::any);
        const Index nv = robot.model.nv();
        const Input &q0 = call.configuration(q0_, "q0"), &q1 = call.configuration(q1_, "q1");
        const Output& out = call.output(out_, {nv});
        call.report_to(status, progress);
        call.run(
            [&](Workspace& w, Index k) {
              Vector x(w.numbers(nv), nv);
              difference(robot.model, vector(q0, k), vector(q1, k), x);
              out.put(k, x.data());
            },
            [&](auto& x) { x.batch.difference(x(q0), x(q1), x(out)); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q0").none(), nb::arg("q1").none(), nb::kw_only(), ZWANG_BATCH_ARGUMENTS,
      nb::sig("def difference(model: Model, q0: Vector, q1: Vector, *, " ZWANG_BATCH_SIGNATURE ") -> Array"),
      "dq with q0 (+) dq = q1, by the shortest rotation; shape (nv,)." ZWANG_MANIFOLD_DOC ZWANG_BATCH_DOC);
  m.def(
      "interpolate",
      [](const Robot& robot, nb::handle q0_, nb::handle q1_, double t, nb::handle out_) {
        Call call("interpolate", robot);
        const Index nq = robot.model.nq();
        const Input &q0 = call.configuration(q0_, "q0"), &q1 = call.configuration(q1_, "q1");
        const Output& out = call.output(out_, {nq});
        call.run([&](Workspace& w, Index k) {
          Vector x(w.numbers(nq), nq);
          interpolate(robot.model, vector(q0, k), vector(q1, k), t, x);
          out.put(k, x.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q0").none(), nb::arg("q1").none(), nb::arg("t"), nb::kw_only(),
      nb::arg("out") = nb::none(),
      nb::sig("def interpolate(model: Model, q0: Vector, q1: Vector, t: float, *, out: Array | None = None) -> Array"),
      "q0 (+) t (q1 (-) q0): q0 at t = 0, q1 at t = 1, beyond them for other t; shape (nq,)." ZWANG_MANIFOLD_DOC);
}

void bind_distances(nb::module_& m) {
  m.def(
      "distance",
      [](const Robot& robot, nb::handle q0_, nb::handle q1_, nb::handle out_) {
        Call call("distance", robot);
        const Input &q0 = call.configuration(q0_, "q0"), &q1 = call.configuration(q1_, "q1");
        const Output& out = call.output(out_, {});
        call.run([&](Workspace&, Index k) { out.put(k, distance(robot.model, vector(q0, k), vector(q1, k))); });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q0").none(), nb::arg("q1").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def distance(model: Model, q0: Vector, q1: Vector, *, out: Array | None = None) -> float | Array"),
      "The length of difference(q0, q1): angles [rad] and lengths [m] weigh alike. A float, or shape "
      "(N,)." ZWANG_MANIFOLD_DOC);
  m.def(
      "squared_distances",
      [](const Robot& robot, nb::handle q0_, nb::handle q1_, nb::handle out_) {
        Call call("squared_distances", robot);
        const Index n = static_cast<Index>(robot.model.joints().size());
        const Input &q0 = call.configuration(q0_, "q0"), &q1 = call.configuration(q1_, "q1");
        const Output& out = call.output(out_, {n});
        call.run([&](Workspace& w, Index k) {
          Vector x(w.numbers(n), n);
          squared_distances(robot.model, vector(q0, k), vector(q1, k), x);
          out.put(k, x.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q0").none(), nb::arg("q1").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def squared_distances(model: Model, q0: Vector, q1: Vector, *, out: Array | None = None) -> Array"),
      "The squared length of the difference per joint, in the order of model.joints; 0 for fixed and mimicking "
      "joints." ZWANG_MANIFOLD_DOC);
}

/// Both Jacobians of integrate or of difference: C++'s two results become a tuple.
template <class F> nb::object two_matrices(Call& call, const Robot& robot, nb::handle out_, F&& fill) {
  const Index nv = robot.model.nv();
  nb::object first = nb::none(), second = nb::none();
  if (!out_.is_none()) {
    if (!PyTuple_Check(out_.ptr()) || nb::len(out_) != 2)
      throw std::invalid_argument("E_OUT: argument 'out' has type " + type_text(out_) +
                                  ", expected a tuple of two arrays");
    first = nb::borrow(out_[0]), second = nb::borrow(out_[1]);
  }
  const Output &a = call.output(first, {nv, nv}, "out[0]"), &b = call.output(second, {nv, nv}, "out[1]");
  call.run([&](Workspace& w, Index k) {
    double* const numbers = w.numbers(2 * nv * nv);
    Matrix A(numbers, nv, nv), B(numbers + nv * nv, nv, nv);
    fill(k, A, B);
    a.put_matrix(k, A.data());
    b.put_matrix(k, B.data());
  });
  return nb::make_tuple(a.array, b.array);
}

void bind_jacobians(nb::module_& m) {
  m.def(
      "integrate_jacobians",
      [](const Robot& robot, nb::handle q_, nb::handle dq_, nb::handle out_) {
        Call call("integrate_jacobians", robot);
        const Input &q = call.configuration(q_), &dq = call.tangent("dq", dq_);
        return two_matrices(call, robot, out_, [&](Index k, Matrix& A, Matrix& B) {
          integrate_jacobians(robot.model, vector(q, k), vector(dq, k), A, B);
        });
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("dq").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def integrate_jacobians(model: Model, q: Vector, dq: Vector, *, "
              "out: tuple[Array, Array] | None = None) -> tuple[Array, Array]"),
      "d(q (+) dq)/dq and d(q (+) dq)/d(dq), each (nv, nv): increments at the result by increments at the "
      "arguments." ZWANG_MANIFOLD_DOC);
  m.def(
      "difference_jacobians",
      [](const Robot& robot, nb::handle q0_, nb::handle q1_, nb::handle out_) {
        Call call("difference_jacobians", robot);
        const Input &q0 = call.configuration(q0_, "q0"), &q1 = call.configuration(q1_, "q1");
        return two_matrices(call, robot, out_, [&](Index k, Matrix& A, Matrix& B) {
          difference_jacobians(robot.model, vector(q0, k), vector(q1, k), A, B);
        });
      },
      nb::arg("model"), nb::arg("q0").none(), nb::arg("q1").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def difference_jacobians(model: Model, q0: Vector, q1: Vector, *, "
              "out: tuple[Array, Array] | None = None) -> tuple[Array, Array]"),
      "d(q1 (-) q0)/dq0 and d(q1 (-) q0)/dq1, each (nv, nv)." ZWANG_MANIFOLD_DOC);
  m.def(
      "transport",
      [](const Robot& robot, nb::handle q_, nb::handle dq_, nb::handle u_, nb::handle out_) {
        Call call("transport", robot);
        const Index nv = robot.model.nv();
        const Input &q = call.configuration(q_), &dq = call.tangent("dq", dq_), &u = call.tangent("u", u_);
        const Output& out = call.output(out_, {nv});
        call.run([&](Workspace& w, Index k) {
          Vector x(w.numbers(nv), nv);
          transport(robot.model, vector(q, k), vector(dq, k), vector(u, k), x);
          out.put(k, x.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("dq").none(), nb::arg("u").none(), nb::kw_only(),
      nb::arg("out") = nb::none(),
      nb::sig("def transport(model: Model, q: Vector, dq: Vector, u: Vector, *, out: Array | None = None) -> Array"),
      "d(q (+) dq)/dq u without the matrix: the increment u at q as an increment at q (+) dq; shape "
      "(nv,)." ZWANG_MANIFOLD_DOC);
}

void bind_configurations(nb::module_& m) {
  m.def(
      "normalize",
      [](const Robot& robot, nb::handle q_, nb::handle out_) {
        Call call("normalize", robot);
        const Index nq = robot.model.nq();
        const Input& q = call.configuration(q_);
        const Output& out = call.output(out_, {nq});
        call.run([&](Workspace& w, Index k) {
          Vector x(w.numbers(nq), nq);
          x = vector(q, k);
          normalize(robot.model, x);
          out.put(k, x.data());
        });
        return call.result(out, out_);
      },
      nb::arg("model"), nb::arg("q").none(), nb::kw_only(), nb::arg("out") = nb::none(),
      nb::sig("def normalize(model: Model, q: Vector, *, out: Array | None = None) -> Array"),
      "q with every quaternion brought to unit length; shape (nq,) or (N, nq).\n\n"
      "Raises ValueError, naming the joint, where one has no direction.");
  m.def(
      "is_normalized",
      [](const Robot& robot, nb::handle q_, double tolerance) {
        const Input q("is_normalized", "q", q_, robot.model.nq(), VectorKind::configuration, &robot.model);
        bool good = true;
        for (Index k = 0; k < (q.states() < 0 ? 1 : q.states()); ++k)
          good = good && is_normalized(robot.model, vector(q, k), tolerance);
        return good;
      },
      nb::arg("model"), nb::arg("q").none(), nb::arg("tolerance") = k_unit_tolerance,
      nb::sig("def is_normalized(model: Model, q: Vector, tolerance: float = 1e-6) -> bool"),
      "Are all entries finite, and all quaternions of unit length within the tolerance? Of N states: of all of them.");
  m.def(
      "neutral", [](const nb::object& model) { return model.attr("neutral")(); }, nb::arg("model"),
      nb::sig("def neutral(model: Model) -> Array"),
      "model.neutral(): no translation, no rotation, every angle 0; (nq,).");
  m.def(
      "random", [](const nb::object& model, std::uint64_t seed) { return model.attr("random")(seed); },
      nb::arg("model"), nb::arg("seed") = 0, nb::sig("def random(model: Model, seed: int = 0) -> Array"),
      "model.random(seed): a configuration within limits; (nq,).");
}

}  // namespace

void bind_manifold(nb::module_& m) {
  bind_moves(m);
  bind_distances(m);
  bind_jacobians(m);
  bind_configurations(m);
}

}  // namespace zwang::python
