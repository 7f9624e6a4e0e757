// SPDX-License-Identifier: BSD-3-Clause
// TreeCholesky: M = L^T D L at a configuration.
#include "zwang/algorithm/tree_cholesky.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "fields.hpp"

namespace zwang::python {
namespace {

struct Factor {
  Factor(const Robot& r, nb::handle q, const JointEffects* effects) : robot(r), factor(r.model) { compute(q, effects); }
  void compute(nb::handle q_, const JointEffects* given) {
    const Input q = one_configuration("cholesky", "q", q_, robot.model);
    const Lease lease(robot);
    counted = given != nullptr ? *given : JointEffects();
    factor.compute((*lease).data, vector(q, 0), counted);
    configuration.assign(q.at(0), q.at(0) + q.size());
  }
  /// out := f(x) for every row of x.
  nb::object apply(const char* name, nb::handle x_, nb::handle out_, void (TreeCholesky::*f)(VectorOut) const) const {
    Call call(name, robot);
    const Index nv = robot.model.nv();
    const Input& x = call.tangent("x", x_);
    const Output& out = call.output(out_, {nv});
    call.run([&](Workspace& w, Index k) {
      for (Index i = 0; i < nv; ++i)
        if (!is_finite(x.at(k)[i])) detail::throw_not_finite(name, "x", i, x.at(k)[i]);
      Eigen::Map<Eigen::VectorXd> y(w.numbers(nv), nv);
      y = vector(x, k);
      (factor.*f)(y);
      out.put(k, y.data());
    });
    return call.result(out, out_);
  }
  Robot robot;
  TreeCholesky factor;
  std::vector<double> configuration = {};  ///< of the factor
  JointEffects counted = {};
};

template <signature::Text S> void bind_product(ClassOf<Factor>& c, const char* name, S signature, const char* doc,
                                               void (TreeCholesky::*f)(VectorOut) const) {
  c.def(
      signature, [name, f](const Factor& self, nb::handle x, nb::handle out) { return self.apply(name, x, out, f); },
      doc);
}

}  // namespace

void bind_cholesky(nb::module_& m) {
  ClassOf<Factor> c(
      m, "TreeCholesky",
      "M(q) = L^T D L with the sparsity of the tree (Featherstone 2005): products and solves in O(n depth).\n\n"
      "Vectors x have shape (nv,), or (N, nv) for N of them. compute(q) factors anew in the same memory.");
  c.def(ZWANG_SIGNATURE(
            "def __init__(self, model: Model, q: Vector, *, joint_effects: JointEffects | None = None) -> None"),
        [](Factor* self, const Robot& model, nb::handle q, const JointEffects* effects) {
          new (self) Factor(model, q, effects);
        });
  c.def(ZWANG_SIGNATURE("def compute(self, q: Vector, *, joint_effects: JointEffects | None = None) -> None"),
        &Factor::compute,
        "Factors M at another configuration. Raises SingularMassError where a coordinate moves no inertia.");
  using T = TreeCholesky;
#define ZWANG_PRODUCT_SIGNATURE(NAME) \
  ZWANG_SIGNATURE("def " NAME "(self, x: Vector, *, out: Array | None = None) -> Array")
  bind_product(c, "solve", ZWANG_PRODUCT_SIGNATURE("solve"), "M^-1 x", &T::solve);
  bind_product(c, "multiply", ZWANG_PRODUCT_SIGNATURE("multiply"), "M x", &T::multiply);
  bind_product(c, "solve_lower", ZWANG_PRODUCT_SIGNATURE("solve_lower"), "L^-1 x", &T::solve_lower);
  bind_product(c, "solve_transposed", ZWANG_PRODUCT_SIGNATURE("solve_transposed"), "L^-T x", &T::solve_transposed);
  bind_product(c, "multiply_lower", ZWANG_PRODUCT_SIGNATURE("multiply_lower"), "L x", &T::multiply_lower);
  bind_product(c, "multiply_transposed", ZWANG_PRODUCT_SIGNATURE("multiply_transposed"), "L^T x",
               &T::multiply_transposed);
  c.def(
      "inverse",
      [](const Factor& self) {
        const Index nv = self.robot.model.nv();
        Eigen::MatrixXd X(nv, nv);
        self.factor.inverse(X);
        return new_matrix(nv, nv, [&](Index i, Index j) { return X(i, j); });
      },
      nb::sig("def inverse(self) -> Array"), "M^-1, (nv, nv)");
  c.get("diagonal", "Array", "D, (nv,)", [](const Factor& self) {
    std::vector<double> d(static_cast<std::size_t>(self.robot.model.nv()));
    for (std::size_t k = 0; k < d.size(); ++k) d[k] = self.factor.diagonal(static_cast<Index>(k));
    return new_array(d);
  });
  c.get("lower", "Array", "L, (nv, nv), ones on the diagonal", [](const Factor& self) {
    const Index nv = self.robot.model.nv();
    return new_matrix(nv, nv, [&](Index i, Index j) { return i < j ? 0.0 : i == j ? 1.0 : self.factor.lower(i, j); });
  });
  kept_by<Factor>(
      3, [](const Factor& f) { return nb::make_tuple(f.robot, new_array(f.configuration), f.counted); },
      [](const Pickled& read, const nb::tuple& state) {
        const JointEffects& effects = object_in<JointEffects>(read, state[2]);
        return Factor(object_in<Robot>(read, state[0]), nb::object(state[1]), &effects);
      });
  def(
      m,
      ZWANG_SIGNATURE(
          "def cholesky(model: Model, q: Vector, *, joint_effects: JointEffects | None = None) -> TreeCholesky"),
      [](const Robot& robot, nb::handle q, const JointEffects* effects) { return Factor(robot, q, effects); },
      "M(q) = L^T D L, factored along the tree: solve, multiply, inverse, diagonal, lower.\n\n"
      "Raises SingularMassError naming the joint where a coordinate moves no inertia; ValueError naming argument, got\n"
      "and expected.");
}

}  // namespace zwang::python
