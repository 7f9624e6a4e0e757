// SPDX-License-Identifier: BSD-3-Clause
// THE list of methods (zwang/factor/methods.hpp) as properties.
#include "factor/method.hpp"

#include <algorithm>

#include "zwang/core/error.hpp"
#include "zwang/factor/methods.hpp"

namespace zwang {

namespace method {
#define ZWANG_DECLARATION(name) extern const Method name;
ZWANG_SOLVE_METHODS(ZWANG_DECLARATION)
#undef ZWANG_DECLARATION
}  // namespace method

MethodList all_methods() {
#define ZWANG_ADDRESS(name) &method::name,
  static constexpr const Method* k_methods[] = {ZWANG_SOLVE_METHODS(ZWANG_ADDRESS)};
#undef ZWANG_ADDRESS
  return {std::begin(k_methods), std::end(k_methods)};
}

const Method& method_of(const std::string& name) {
  for (const Method* m : all_methods())
    if (name == m->name) return *m;
  detail::throw_unknown("method", name, methods());
}

const Method& method_at(Place place) {
  const MethodList all = all_methods();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Method* m) { return m->place == place; });
  return **found;
}

const Method& method_for_loops() {
  const MethodList all = all_methods();
  return **std::find_if(all.begin(), all.end(), [](const Method* m) { return m->can.many_loops; });
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method* m : all_methods()) names.push_back(m->name);
  return names;
}

std::string describe_method(const std::string& name) { return method_of(name).text; }

}  // namespace zwang
