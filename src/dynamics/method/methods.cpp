// SPDX-License-Identifier: BSD-3-Clause
// THE list of methods: one declaration and one entry for each.
#include "dynamics/method/method.hpp"

#include <algorithm>

#include "zwang/core/error.hpp"
#include "zwang/dynamics/solver.hpp"

namespace zwang {

namespace method {
extern const Method automatic, popov_vereshchagin, pv_early, bbo, pv_soft, dense_lu, dense_qr, dense_cod, range_space,
    null_space, test_force, contact_cholesky, constrained_aba, loop_aba, embedding;
}  // namespace method

MethodList all_methods() {
  static constexpr const Method* k_methods[] = {
      &method::automatic,       &method::popov_vereshchagin, &method::pv_early,   &method::bbo,
      &method::pv_soft,         &method::dense_lu,           &method::dense_qr,   &method::dense_cod,
      &method::range_space,     &method::null_space,         &method::test_force, &method::contact_cholesky,
      &method::constrained_aba, &method::loop_aba,           &method::embedding};
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

void check_method(const Method& method, const Model& model, const char* policy) {
  const auto refuse = [&](const std::string& why) {
    throw UnsupportedError(std::string("Solver: method ") + method.name + why);
  };
  if (policy != nullptr && !method.can.other_policies)
    refuse(std::string(" knows the singularity policy truncation, not ") + policy);
  for (const Joint& j : model.joints())
    if (!method.can.mimic && !j.mimic.leader.empty())
      refuse(" has no shared coordinates; joint '" + j.name + "' mimics '" + j.mimic.leader +
             "': popov_vereshchagin does that");
}

std::vector<std::string> methods() {
  std::vector<std::string> names;
  for (const Method* m : all_methods()) names.push_back(m->name);
  return names;
}

std::string describe_method(const std::string& name) { return method_of(name).text; }

}  // namespace zwang
