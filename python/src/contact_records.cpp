// SPDX-License-Identifier: BSD-3-Clause
// ContactState and ContactStates: what touches at the states of a motion, made where it is asked for.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "record.hpp"
#include "scene.hpp"
#include "words.hpp"

namespace zwang::python {
namespace {

/// The members of the tuple, in its order.
constexpr const char* k_members[] = {"what",   "name_a", "name_b", "joint", "kind",   "point",
                                     "normal", "gap",    "force",  "slip",  "feature"};
constexpr const char* k_types[] = {"str",   "str | None", "str | None", "str | None", "str", "Array",
                                   "Array", "float",      "Array",      "Array",      "int"};

nb::object name_in(const std::vector<std::string>& names, Index k) {
  return k >= 0 ? nb::object(text_of(names[static_cast<std::size_t>(k)])) : nb::none();
}

/// Of a contact of the set: the constraint; of another row: the row.
std::string name_in_set(ContactState::What what, const std::string& row) {
  return what == ContactState::What::contact ? row.substr(0, row.rfind(':')) : row;
}

nb::object record_of(const ContactTable& t, const ContactState& x) {
  static PyObject* slot;
  const bool of_set = x.is_of_set();
  const nb::object b = of_set ? nb::object(text_of(name_in_set(x.what, t.rows[static_cast<std::size_t>(x.coordinate)])))
                              : name_in(t.shapes, x.b);
  return kept(slot, "zwang._zwang", "ContactState")(name_of(x.what), name_in(t.shapes, x.a), b,
                                                    of_set ? nb::none() : name_in(t.coordinates, x.coordinate),
                                                    name_of(x.kind), new_array(x.point), new_array(x.normal), x.gap,
                                                    new_array(x.force), new_array(x.slip), x.feature);
}

/// What Trajectory.contacts is.
struct ContactLists {
  std::shared_ptr<const ContactTable> table;
  template <class A> void fields(A& a) { a(table); }
  void check(const Pickled& read) const {
    if (table == nullptr) read.refuse("it has no states");
    table->check(read);
  }
  nb::list at(long k) const {
    const auto states = static_cast<long>(table->states());
    if (k < -states || k >= states)
      throw nb::index_error(
          ("state " + std::to_string(k) + " of a motion with " + std::to_string(states) + " states").c_str());
    const auto state = static_cast<std::size_t>(k < 0 ? k + states : k);
    nb::list out;
    for (long i = table->first[state]; i < table->first[state + 1]; ++i)
      out.append(record_of(*table, table->points[static_cast<std::size_t>(i)]));
    return out;
  }
};

class ContactReader {
 public:
  ContactReader(const char* function, const Scene& scene, const ConstraintSet& set)
      : function_(function),
        coordinates_(scene.model().coordinate_names()),
        rows_(contact_rows_of(set)) {
    for (const SceneShape& x : scene.shapes()) shapes_.push_back(x.name);
  }
  ContactState read(nb::handle given) const {
    if (!nb::hasattr(given, "feature") || !nb::hasattr(given, "name_a"))
      throw_type(function_, "contacts", given, "the list of ContactState of one state, as Trajectory.contacts[-1] is");
    ContactState x;
    x.what = value_of<ContactState::What>("contact", text(given, "what"));
    x.kind = value_of<ContactState::Kind>("kind of contact", text(given, "kind"));
    if (x.what == ContactState::What::point) {
      x.a = place(given, "name_a", "shape", shapes_);
      x.b = place(given, "name_b", "shape", shapes_);
    } else if (x.is_of_set()) {
      std::vector<std::string> names;
      for (const std::string& row : rows_) names.push_back(name_in_set(x.what, row));
      x.coordinate = place(given, "name_b", "row", names);
    } else {
      x.coordinate = place(given, "joint", "coordinate", coordinates_);
    }
    if (!nb::try_cast(nb::object(given.attr("feature")), x.feature) ||
        !nb::try_cast(nb::object(given.attr("gap")), x.gap))
      throw_type(function_, "contacts", given, "records with numbers as gap and feature");
    x.point = three(given, "point"), x.normal = three(given, "normal");
    x.force = three(given, "force"), x.slip = three(given, "slip");
    return x;
  }

 private:
  std::string text(nb::handle given, const char* member) const {
    return text_argument(function_, "contacts", nb::object(given.attr(member)));
  }
  Vec3<double> three(nb::handle given, const char* member) const {
    return vec3(function_, "contacts", nb::object(given.attr(member)));
  }
  Index place(nb::handle given, const char* member, const char* kind, const std::vector<std::string>& known) const {
    const std::string name = text(given, member);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      detail::throw_unknown((std::string(function_) + ": contacts: " + kind).c_str(), name, known);
    return static_cast<Index>(found - known.begin());
  }
  const char* function_;
  std::vector<std::string> shapes_, coordinates_, rows_;
};

}  // namespace

void ContactTable::check(const Pickled& read) const {
  const auto within = [](Index k, const std::vector<std::string>& names) {
    return k >= -1 && k < static_cast<Index>(names.size());
  };
  bool good = !first.empty() && first.front() == 0 && first.back() == static_cast<long>(points.size()) &&
              std::is_sorted(first.begin(), first.end());
  for (const ContactState& x : points)
    good = good && within(x.a, shapes) && within(x.b, shapes) &&
           within(x.coordinate, x.is_of_set() ? rows : coordinates) && !(x.is_of_set() && x.coordinate < 0);
  if (!good) read.refuse("its contacts do not fit its states and names");
}

std::vector<long> ContactTable::counts() const {
  std::vector<long> out;
  for (std::size_t k = 1; k < first.size(); ++k) out.push_back(first[k] - first[k - 1]);
  return out;
}

std::vector<std::string> contact_rows_of(const ConstraintSet& set) {
  std::vector<std::string> names;
  for (const Constraint& x : set.constraints())
    names.insert(names.end(), x.row_names.value().begin(), x.row_names.value().end());
  return names;
}

std::shared_ptr<const ContactTable> contact_table(const ConstraintSet& set, const Scene* scene,
                                                  const Trajectory& motion) {
  ContactTable t;
  t.first.assign(motion.time.size() + 1, 0);
  if (scene != nullptr) {
    for (const SceneShape& x : scene->shapes()) t.shapes.push_back(x.name);
    t.coordinates = set.model().coordinate_names();
    t.rows = contact_rows_of(set);
    t.points = motion.contacts;
    for (std::size_t k = 0; k < motion.contact_count.size(); ++k) t.first[k + 1] = t.first[k] + motion.contact_count[k];
  }
  return std::make_shared<const ContactTable>(std::move(t));
}

nb::object contacts_of(const std::shared_ptr<const ContactTable>& table) { return nb::cast(ContactLists{table}); }

const ContactTable& contact_table_in(const nb::object& contacts) {
  return *nb::cast<const ContactLists&>(contacts).table;
}

std::vector<ContactState> contacts_argument(const char* function, nb::handle given, const Scene& scene,
                                            const ConstraintSet& set) {
  std::vector<ContactState> out;
  if (PySequence_Check(given.ptr()) == 0 || PyUnicode_Check(given.ptr()))
    throw_type(function, "contacts", given, "the list of ContactState of one state, as Trajectory.contacts[-1] is");
  const ContactReader reader(function, scene, set);
  for (const nb::handle one : nb::borrow<nb::sequence>(given)) out.push_back(reader.read(one));
  return out;
}

void bind_contact_records(nb::module_& m) {
  named_tuples<ContactTotals>(m);
  nb::dict annotations;
  for (std::size_t k = 0; k < std::size(k_members); ++k) annotations[k_members[k]] = k_types[k];
  define_named_tuple(
      m,
      {"ContactState",
       "A point where two shapes touch, a limit that a joint is close to (what: lower, upper), or the "
       "dry friction of a joint (friction), a contact of the set with friction (contact) or another of its rows "
       "with a sense (row), whose name is name_b. kind: open, stick, slip. point [m] and normal (from a to b) "
       "in the world, gap [m, rad] at the start of the step, force on b, world, the mean of the step "
       "[N]; of a joint force[0] on its coordinate, of a row its multiplier. slip: tangential velocity of b beside a "
       "[m/s]. "
       "feature: the same as long as the same features touch."},
      annotations);
  using L = ContactLists;
  ClassOf<L>(m, "ContactStates",
             "What touches at the states of a motion: a sequence with a list of ContactState for each state, which is "
             "made where\nit is asked for.")
      .def(
          "__len__", [](const L& x) { return x.table->states(); }, nb::sig("def __len__(self) -> int"))
      .def(ZWANG_SIGNATURE("def __getitem__(self, state: int, /) -> list[ContactState]"), &L::at)
      .def(
          "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
          nb::sig("def __iter__(self) -> Iterator[list[ContactState]]"))
      .get("count", "NDArray[numpy.int64]", "(states,) how many there are at each state",
           [](const L& x) { return array_of(x.table->counts(), "int64", [](long n) { return n; }); })
      .def(
          "__repr__",
          [](const L& x) {
            return "ContactStates: " + std::to_string(x.table->points.size()) + " contacts in " +
                   std::to_string(x.table->states()) + " states";
          },
          nb::sig("def __repr__(self) -> str"));
  kept_by_fields<L>();
}

}  // namespace zwang::python
