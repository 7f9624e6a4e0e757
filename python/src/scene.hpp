// SPDX-License-Identifier: BSD-3-Clause
// Scene in Python, and records of contacts by the names of its shapes.
#pragma once
#include <memory>

#include "bind.hpp"
#include "fields.hpp"
#include "zwang/simulation.hpp"

namespace zwang::python {

/// A shape that Python has added, as what it was made from: a Solid does not say that.
struct AddedShape {
  std::string name, link = {};
  Transform<double> pose = Transform<double>::identity();
  ContactLaw law;
  int priority = 0;
  Solid::Kind kind = Solid::Kind::half_space;
  std::vector<double> numbers = {};  ///< that its kind takes, in the order of Solid's functions
  Index columns = 0;                 ///< of a height field
  template <class A> void fields(A& a) {
    a(name), a(link), a(pose), a(law), a(priority), a(kind), a(numbers), a(columns);
  }
};

/// The Python object of the model, the scene, and what was added to the shapes of the model.
struct SceneObject {
  nb::object model;
  Scene scene;
  std::vector<AddedShape> added = {};
};

/// What touched at the states of a motion, and the names that it is shown with.
struct ContactTable {
  std::vector<std::string> shapes, coordinates, rows;  ///< rows: of the set
  std::vector<ContactState> points;                    ///< those of a state after those of the other
  std::vector<long> first;                             ///< [states + 1] in `points`
  template <class A> void fields(A& a) { a(shapes), a(coordinates), a(rows), a(points), a(first); }
  void check(const Pickled& read) const;
  std::vector<long> counts() const;  ///< of each state
  Index states() const { return static_cast<Index>(first.size()) - 1; }
};
template <class A> void fields(A& a, ContactState& x) {
  a(x.what), a(x.a), a(x.b), a(x.coordinate), a(x.feature), a(x.point), a(x.normal), a(x.gap), a(x.force), a(x.slip);
  a(x.kind);
}
std::shared_ptr<const ContactTable> contact_table(const ConstraintSet& set, const Scene* scene,
                                                  const Trajectory& motion);
/// Names of the rows of a set.
std::vector<std::string> contact_rows_of(const ConstraintSet& set);
/// A sequence with a list of records for each state.
nb::object contacts_of(const std::shared_ptr<const ContactTable>& table);
/// What contacts_of() has made.
const ContactTable& contact_table_in(const nb::object& contacts);
/// Records of one state, as an argument.
std::vector<ContactState> contacts_argument(const char* function, nb::handle given, const Scene& scene,
                                            const ConstraintSet& set);

}  // namespace zwang::python
