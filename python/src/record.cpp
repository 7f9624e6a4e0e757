// SPDX-License-Identifier: BSD-3-Clause
#include "record.hpp"

#include "zwang/rows/settings.hpp"

namespace zwang::python {

const char* kept_text(std::string text) {
  static auto* const all = new std::deque<std::string>();
  return all->emplace_back(std::move(text)).c_str();
}

void define_named_tuple(nb::module_& m, const Head& head, const nb::dict& annotations) {
  const nb::object type = nb::module_::import_("collections")
                              .attr("namedtuple")(head.name, nb::list(annotations), nb::arg("module") = "zwang._zwang");
  type.attr("__doc__") = head.says;
  type.attr("__annotations__") = annotations;
  m.attr(head.name) = type;
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
