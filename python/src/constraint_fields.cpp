// SPDX-License-Identifier: BSD-3-Clause
#include "constraint_fields.hpp"

namespace zwang::python {

nb::object matrix(const std::vector<double>& x, std::size_t width) {
  return new_array(x).attr("reshape")(x.size() / width, width);
}

// --- signature and help ---------------------------------------------------------------------------------------------

std::string signature_of(const std::string& function, const std::vector<ConstraintArgument>& arguments) {
  std::string text = "def " + function + "(self";
  bool by_position = true;
  for (const ConstraintArgument& a : arguments) {
    if (by_position && !a.by_position) text += ", *";
    by_position = a.by_position;
    text += ", " + a.name + ": " + a.type + (a.value.empty() ? "" : " = " + a.value);
  }
  return text + ") -> Constraint";
}

std::string help_of(std::string head, const std::vector<ConstraintArgument>& arguments) {
  constexpr std::size_t k_columns = 110;
  std::string text = head + (head.find("\n\n") == std::string::npos ? "\n" : "");
  for (const ConstraintArgument& a : arguments) {
    std::string line, all = a.name + ": " + a.says + (a.says.ends_with('.') ? "" : ".");
    for (std::size_t begin = 0; begin < all.size();) {
      const std::size_t end = std::min(all.find(' ', begin), all.size());
      if (line.size() + end - begin > k_columns) {
        text += '\n' + line;
        line = "   ";
      }
      line += (begin > 0 ? " " : "") + all.substr(begin, end - begin);
      begin = end + 1;
    }
    text += '\n' + line;
  }
  return text +
         "\nRaises ValueError for unknown frames and words (with the nearest), wrong sizes, and names that are taken.";
}

// --- reading --------------------------------------------------------------------------------------------------------

GivenArguments::GivenArguments(const char* f, const Model& m, const std::vector<ConstraintArgument>& arguments,
                               const nb::args& positions, const nb::kwargs& names)
    : function(f),
      model(m),
      values_(arguments.size()) {
  if (positions.size() > arguments.size()) throw nb::next_overload();
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (!arguments[k].by_position) throw nb::next_overload();
    values_[arguments[k].place] = positions[k];
  }
  for (const auto [key, value] : names) {
    const auto name = plain<std::string>(key);
    const auto is_this = [&](const ConstraintArgument& a) { return a.name == name; };
    const auto found = std::find_if(arguments.begin(), arguments.end(), is_this);
    if (found == arguments.end() || values_[found->place].is_valid()) throw nb::next_overload();
    values_[found->place] = value;
  }
  for (const ConstraintArgument& a : arguments)
    if (a.value.empty() && !values_[a.place].is_valid()) throw nb::next_overload();
}

bool is_words(const char* function, nb::handle given, std::string& words) {
  if (PyUnicode_Check(given.ptr())) {
    words = text_argument(function, "rows", given);
    return true;
  }
  if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr())) return false;
  bool all = nb::len(given) > 0;
  for (nb::handle word : given) {
    all = all && PyUnicode_Check(word.ptr());
    if (all) words += text_argument(function, "rows", word) + ' ';
  }
  return all;
}
std::vector<double> rows_of_numbers(const char* function, nb::handle given, Index width) {
  const Input matrix(function, "rows", given, width);
  std::vector<double> entries;
  for (Index k = 0; k < (matrix.states() < 0 ? 1 : matrix.states()); ++k)
    entries.insert(entries.end(), matrix.at(k), matrix.at(k) + width);
  return entries;
}
RowSelection rows_argument(const char* function, nb::handle given) {
  std::string words;
  return is_words(function, given, words) ? rows(words) : rows(rows_of_numbers(function, given, 6));
}

namespace {

/// A letter, or three numbers.
Vec3<double> axis_of(const char* function, nb::handle given) {
  if (!PyUnicode_Check(given.ptr())) return vec3(function, "axis", given);
  const std::string word = text_argument(function, "axis", given);
  if (word != "x" && word != "y" && word != "z") detail::throw_unknown("axis", word, {"x", "y", "z"});
  return {word == "x" ? 1.0 : 0.0, word == "y" ? 1.0 : 0.0, word == "z" ? 1.0 : 0.0};
}
/// {"joint": "hinge", "axis": "z"}
RowSelection rows_of_joint(const char* function, nb::handle given) {
  Vec3<double> axis{0, 0, 1}, second{0, 0, 0};
  std::string joint;
  for (auto [key, value] : nb::borrow<nb::dict>(given)) {
    const std::string name = text_argument(function, "rows", key);
    if (name == "joint")
      joint = text_argument(function, "rows['joint']", value);
    else if (name == "axis")
      axis = axis_of("joint_rows", value);
    else if (name == "second_axis")
      second = axis_of("joint_rows", value);
    else
      detail::throw_unknown("key of rows", name, {"joint", "axis", "second_axis"});
  }
  return joint_rows(joint, axis, second);
}

}  // namespace

void ArgumentOf::read(std::vector<std::string>& x) const {
  if (key.type == nullptr)
    x = plain<std::vector<std::string>>(given);
  else if (PyUnicode_Check(given.ptr()))
    x = {nb::cast<std::string>(given)};
  else if (!given.is_none())
    x = nb::cast<std::vector<std::string>>(given);
}
void ArgumentOf::read(std::vector<double>& x) const {
  if (key.form != KeyForm::posture) {
    x = numbers(call.function, name, given);
  } else if (!given.is_none()) {
    const Input q = one_configuration(call.function, name, given, call.model);
    x.assign(q.at(0), q.at(0) + call.model.nq());
  }
}
void ArgumentOf::read(Vec3<double>& x) const {
  if (given.is_none()) return;
  x = key.form == KeyForm::axis ? axis_of(call.function, given) : vec3(call.function, name, given);
  if (key.form == KeyForm::axis && dot(x, x) == 0)
    throw std::invalid_argument(std::string(call.function) +
                                ": the axis has no direction; without an axis (None) a ball rolls");
}
void ArgumentOf::read(Transform<double>& x) const { x = pose(call.function, name, given); }
void ArgumentOf::read(RowSelection& x) const {
  const bool of_joint = key.form == KeyForm::joint_rows && PyDict_Check(given.ptr());
  x = of_joint ? rows_of_joint(call.function, given) : rows_argument(call.function, given);
}

}  // namespace zwang::python
