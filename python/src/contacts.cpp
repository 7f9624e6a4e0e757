// SPDX-License-Identifier: BSD-3-Clause
// solve_contacts: contact with friction from plain matrices.
#include "zwang/contact/contact_solver.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "matrices.hpp"
#include "record.hpp"
#include "settings.hpp"
#include "watch.hpp"
#include "words.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "solve_contacts";

struct ContactSolutionObject {
  nb::object impulses, row_velocities, velocity;
  ContactReport report;
};
/// The fields of the report as those of the solution.
template <class V> struct OfReport {
  V& v;
  void record(const char*, const char*) {}
  template <class M> void operator()(const char* name, M ContactReport::*member, const char* says, Field field = {}) {
    v.computed(
        name, [member](const ContactSolutionObject& x) { return x.report.*member; }, says, field);
  }
};
template <class V> void fields(V& v, Type<ContactSolutionObject>) {
  using T = ContactSolutionObject;
  v.record("ContactSolution", "What solve_contacts returns. Cones by their place in the list.");
  v("impulses", &T::impulses, "lambda (m,) [N s, N m s]");
  v("row_velocities", &T::row_velocities, "sigma (m,) [m/s, rad/s]");
  v("velocity", &T::velocity, "(n,), in the axes of y; of a problem that is given by G: G^1/2 lambda in some axes");
  v("report", &T::report, "", {.attribute = false});
  OfReport<V> report{v};
  fields(report, Type<ContactReport>());
}

/// A coefficient of friction, or a kind and its number: ("unilateral", 0), ("friction", bound).
ContactCone cone_of(nb::handle given) {
  ContactCone cone;
  if (nb::try_cast(given, cone.mu)) return cone;
  const auto wrong = [&] { throw_type(k_function, "cones", given, "numbers, or pairs of a word and a number"); };
  if ((!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) || nb::len(given) != 2) wrong();
  const nb::object word = given[nb::int_(0)], number = given[nb::int_(1)];
  double x = 0;
  if (!nb::try_cast(number, x)) wrong();
  cone.kind = value_of<ContactCone::Kind>("kind", text_argument(k_function, "cones", word));
  (cone.kind == ContactCone::Kind::friction ? cone.bound : cone.mu) = x;
  return cone;
}

/// A vector that may be left out.
Eigen::VectorXd vector_of(const char* name, nb::handle given) {
  if (given.is_none()) return {};
  const Matrices x(k_function, name, given, 1);
  if (x.states() >= 0) detail::throw_size(k_function, name, x.states(), 1);
  return x.vector(0);
}
Eigen::MatrixXd matrix_of(const char* name, nb::handle given) {
  const Matrices x(k_function, name, given, 2);
  if (x.states() >= 0) detail::throw_size(k_function, name, x.states(), 1);
  return x.at(0);
}

ContactSolutionObject solve(nb::handle cones_, nb::handle W_, nb::handle y_, nb::handle offset_, nb::handle compliance_,
                            nb::handle G_, nb::handle g_, nb::handle warm_, const ContactSettings& settings) {
  std::vector<ContactCone> cones;
  for (const nb::handle one : cones_) cones.push_back(cone_of(one));
  const bool by_matrix = !G_.is_none() || !g_.is_none();
  if (by_matrix && (!W_.is_none() || !y_.is_none() || !offset_.is_none() || !compliance_.is_none()))
    throw std::invalid_argument(std::string(k_function) + ": give W and y, or G and g, not both");
  const Eigen::VectorXd warm = vector_of("warm", warm_);
  Watch watch;
  ContactSettings watched = settings;
  watched.stop = {&Watch::asks, &watch};
  ContactSolver solver(watched);
  ContactReport report;
  if (by_matrix) {
    const Eigen::MatrixXd G = matrix_of("G", G_);
    const Eigen::VectorXd g = vector_of("g", g_);
    const nb::gil_scoped_release release;
    report = solver.solve(cones, ContactMatrixInput{.G = G, .g = g, .warm = warm});
  } else {
    const Eigen::MatrixXd W = matrix_of("W", W_);
    const Eigen::VectorXd y = vector_of("y", y_), offset = vector_of("offset", offset_),
                          compliance = vector_of("compliance", compliance_);
    const nb::gil_scoped_release release;
    report = solver.solve(cones, {.W = W, .y = y, .offset = offset, .compliance = compliance, .warm = warm});
  }
  watch.finish();
  const auto array = [](const Eigen::Map<const Eigen::VectorXd>& x) {
    return new_array(x.data(), static_cast<Index>(x.size()));
  };
  return {array(solver.impulses()), array(solver.row_velocities()), array(solver.velocity()), std::move(report)};
}

}  // namespace

void bind_contacts(nb::module_& m) {
  result_class<ContactSolutionObject>(m).def(
      "explain", [](const ContactSolutionObject& x) { return text_of(x.report.explain()); },
      nb::sig("def explain(self) -> str"), "All that is known of the answer, in a sentence.");
  def_with<ContactSettings>(
      m,
      ZWANG_SIGNATURE(
          "def solve_contacts(cones: Sequence[float | tuple[str, float]], W: ArrayLike | None = None, y: "
          "ArrayLike | None = None, *, offset: ArrayLike | None = None, compliance: ArrayLike | None = None, "
          "G: ArrayLike | None = None, g: ArrayLike | None = None, warm: ArrayLike | None = None, {accept "
          "target iterations effort}) -> ContactSolution"),
      &solve,
      "Impulses of contacts with Coulomb's friction, of limits and dry friction: Signorini's law and Coulomb's, "
      "exactly.\n\n"
      "    v = y + W lambda,   sigma = W^T v + offset + compliance lambda\n\n"
      "cones: a coefficient of friction for each contact, which has three rows t1, t2, n; or (\"unilateral\", 0), one "
      "row\n"
      "    0 <= lambda, sigma >= 0; or (\"friction\", bound), one row |lambda| <= bound.\n"
      "W (n, m), y (n,): rows and velocities in a square root of the mass matrix, W = L^-1 J^T, y = L^T v, M = L L^T.\n"
      "offset (m,): of a gap, the gap over the time step. G (m, m), g (m,): the same by its matrix, in place of W and "
      "y.\n"
      "warm (m,): impulses of a similar problem. Raises ValueError naming argument, got and expected.");
}

}  // namespace zwang::python
