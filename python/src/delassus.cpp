// SPDX-License-Identifier: BSD-3-Clause
// Delassus: G = J M^-1 J^T of a set at a configuration.
#include "zwang/factor/delassus.hpp"

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"

namespace zwang::python {
namespace {

struct DelassusObject {
  DelassusObject(const Robot& model, const SetObject& set) : shared(set.shared), core(model.model, set.shared->set) {}
  SetPointer shared;
  Delassus core;

  /// Without the GIL, the set locked.
  template <class F> void run(F&& f) {
    const nb::gil_scoped_release release;
    const std::lock_guard<SetMutex> lock(shared->mutex);
    f(core);
  }
  Index rows() const { return core.rows(); }
};

using Object = DelassusObject&;

/// Names in `held`: joints, all their coordinates, or coordinates.
Prescribed held_coordinates(const Model& model, const std::vector<std::string>& held) {
  Prescribed list;
  for (const std::string& name : held) {
    const JointId joint = model.find_joint(name);
    const Index size = joint.value >= 0 ? model.joints()[static_cast<std::size_t>(joint.value)].v.size : 1;
    prescribe(model, list, name, std::vector<double>(static_cast<std::size_t>(size)));
  }
  return list;
}

std::vector<std::string> words_of(nb::handle held) {
  std::vector<std::string> words;
  if (held.is_none()) return words;
  if (nb::isinstance<nb::str>(held)) return {nb::cast<std::string>(held)};
  std::string word;
  for (const nb::handle x : held) {
    if (!nb::try_cast(x, word))
      throw std::invalid_argument("E_DTYPE Delassus.compute: argument 'held' holds " + type_text(x) +
                                  ", expected names of joints or coordinates");
    words.push_back(word);
  }
  return words;
}

void compute(Object self, nb::handle q_, const JointEffects* effects, nb::handle held) {
  const Model& model = self.shared->robot.model;
  const Input q = one_configuration("Delassus.compute", "q", q_, model);
  const Prescribed list = held_coordinates(model, words_of(held));
  const JointEffects given = effects != nullptr ? *effects : JointEffects();
  self.run([&](Delassus& d) { d.compute(vector(q, 0), given, &list); });
}

/// In place; also computes the rows if q is given.
void make(DelassusObject* place, const Robot& model, const SetObject& set, nb::handle q) {
  if (set.shared->robot.model.id() != model.model.id())
    throw WorkspaceMismatch("Delassus: the constraint set was made for another model ('" +
                            set.shared->robot.model.name() + "')");
  {
    const std::lock_guard<SetMutex> lock(set.shared->mutex);
    new (place) DelassusObject(model, set);
  }
  if (q.is_none()) return;
  try {
    compute(*place, q, nullptr, nb::none());
  } catch (...) {
    place->~DelassusObject();
    throw;
  }
}

template <class F> nb::object matrix(Object self, const char* function, nb::handle out_, F&& fill) {
  const Index m = self.rows();
  const Output out(function, "out", out_, -1, {m, m});
  Eigen::MatrixXd X(m, m);
  self.run([&](Delassus& d) { fill(d, X); });
  out.put_matrix(0, X.data());
  return out.array;
}

/// mu as one number or one per row.
Eigen::VectorXd mu_of(Object self, const char* function, nb::handle given) {
  double one = 0;
  if (nb::try_cast(given, one)) return Eigen::VectorXd::Constant(self.rows(), one);
  const Input mu(function, "mu", given, self.rows());
  if (mu.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE ") + function + ": argument 'mu' has two dimensions, expected one");
  return vector(mu, 0);
}

/// out := f(x), for a vector or for every row of x.
template <class F>
nb::object vectors(Object self, const char* function, const char* name, nb::handle x_, nb::handle out_, F&& f) {
  const Index m = self.rows();
  const Input x(function, name, x_, m);
  const Output out(function, "out", out_, x.states(), {m});
  const Index n = x.states() < 0 ? 1 : x.states();
  Eigen::MatrixXd all(m, n);  // out is written when no row is refused any more
  Eigen::VectorXd y(m);
  for (Index k = 0; k < n; ++k) {
    self.run([&](Delassus& d) { f(d, vector(x, k), y); });
    all.col(k) = y;
  }
  for (Index k = 0; k < n; ++k) out.put(k, all.data() + static_cast<std::ptrdiff_t>(k) * m);
  return out.array;
}

}  // namespace

void bind_delassus(nb::module_& m) {
  ClassOf<DelassusObject> c(
      m, "Delassus",
      "G = J M^-1 J^T + R of a set's active rows at a configuration, in the order of the set; R: the compliances of "
      "soft\n"
      "rows on the diagonal. compute(q) first; it reads the set as it is then. Cost O(n + rows^2) for the matrix, "
      "O(n + rows) for\n"
      "apply, and for solve where no row acts between bodies.");
  not_kept<DelassusObject>(
      "it has the memory of its last factor; pickle its ConstraintSet, and make a Delassus of that");
  c.def(
      ZWANG_SIGNATURE("def __init__(self, model: Model, constraints: ConstraintSet, q: Vector | None = None) -> None"),
      &make);
  c.def(ZWANG_SIGNATURE("def compute(self, q: Vector, *, joint_effects: JointEffects | None = None, "
                        "held: Sequence[str] | None = None) -> None"),
        &compute,
        "The rows and the articulated factor at q. held: joints or coordinates whose accelerations are prescribed. "
        "Raises\n"
        "SingularMassError where a coordinate moves no inertia; ValueError naming argument, got and expected.");
  c.def(
      ZWANG_SIGNATURE("def matrix(self, method: str = \"automatic\", *, out: Array | None = None) -> Array"),
      [](Object self, const std::string& method, nb::handle out) {
        const DelassusMethod which = delassus_method_of(method);
        return matrix(self, "Delassus.matrix", out, [&](Delassus& d, Eigen::MatrixXd& X) { d.matrix(X, which); });
      },
      "G, (rows, rows). method: pv_osimr (rank-one propagation), efpa (extended force propagators), dense (on the\n"
      "sparse factor of M), automatic: pv_osimr, and dense where rows lie beyond coordinates that joints share.");
  c.def(
      ZWANG_SIGNATURE("def damped_inverse(self, mu: ArrayLike, *, out: Array | None = None) -> Array"),
      [](Object self, nb::handle mu_, nb::handle out) {
        const Eigen::VectorXd mu = mu_of(self, "Delassus.damped_inverse", mu_);
        return matrix(self, "Delassus.damped_inverse", out,
                      [&](Delassus& d, Eigen::MatrixXd& X) { d.damped_inverse(mu, X); });
      },
      "(G + mu)^-1, (rows, rows). mu > 0: a number, or one per row.");
  c.def(
      ZWANG_SIGNATURE("def apply(self, x: ArrayLike, *, out: Array | None = None) -> Array"),
      [](Object self, nb::handle x, nb::handle out) {
        return vectors(self, "Delassus.apply", "x", x, out,
                       [](Delassus& d, VectorIn a, Eigen::VectorXd& y) { d.apply(a, y); });
      },
      "G x without the matrix: x (rows,), or (N, rows).");
  c.def(
      ZWANG_SIGNATURE("def solve(self, b: ArrayLike, mu: ArrayLike, *, out: Array | None = None) -> Array"),
      [](Object self, nb::handle b, nb::handle mu_, nb::handle out) {
        const Eigen::VectorXd mu = mu_of(self, "Delassus.solve", mu_);
        return vectors(self, "Delassus.solve", "b", b, out,
                       [&](Delassus& d, VectorIn a, Eigen::VectorXd& y) { d.solve(a, mu, y); });
      },
      "(G + mu)^-1 b by articulated bodies: b (rows,), or (N, rows); mu > 0: a number, or one per row. Where rows act\n"
      "between bodies: by Cholesky of the matrix.");
  c.def_prop_ro(
      "rows", [](Object self) { return self.rows(); }, "active ones at the last compute");
  c.def_prop_ro("model", [](Object self) { return self.shared->robot; });
  c.def_prop_ro("constraints", [](Object self) { return SetObject{self.shared}; });
}

}  // namespace zwang::python
