// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include "zwang/rows/settings.hpp"

namespace zwang::python {

const char* kept_text(std::string text) {
  static auto* const all = new std::deque<std::string>();
  return all->emplace_back(std::move(text)).c_str();
}

void define_named_tuple(nb::module_& m, const char* name, const char* fields) {
  m.attr(name) =
      nb::module_::import_("collections").attr("namedtuple")(name, fields, nb::arg("module") = "zwang._zwang");
}

const char* static_word(const std::string& text) {
  static const std::vector<std::string> k_methods = methods();
  for (const std::string& method : k_methods)
    if (method == text) return method.c_str();
  for (const char* policy : words_of(Type<Singularity>()))
    if (policy == text) return policy;
  return nullptr;
}

}  // namespace zwang::python
