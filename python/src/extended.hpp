// SPDX-License-Identifier: BSD-3-Clause
// Functions of the list of algorithms that take one word more in Python.
#pragma once
#include <deque>
#include <string>

#include "bind.hpp"

namespace zwang::python {

/// Replaces the function `name` by one that also takes the argument `word`, None unless given, which `more` describes:
/// then it returns call(value, positional arguments, the other words).
template <class F>
void take(nb::module_& m, const char* name, const char* word, const char* type, const char* more, F&& call) {
  const nb::object plain = m.attr(name);
  const nb::object texts = nb::object(plain.attr("__nb_signature__"))[0];
  static std::deque<std::string> kept;
  std::string& signature = kept.emplace_back(nb::cast<std::string>(texts[0]));
  std::string& help = kept.emplace_back(nb::cast<std::string>(texts[1]));
  signature.insert(signature.find("*, ") + 3, std::string(word).append(": ").append(type).append(" | None = None, "));
  help.append("\n\n").append(word).append(": ").append(more);
  nb::delattr(m, name);  // or the new function becomes an overload of the old one
  m.attr(name) = nb::cpp_function(
      [plain, word, call](const nb::args& given, const nb::kwargs& words) -> nb::object {
        if (words.size() == 0) return plain(*given);
        nb::dict left;
        nb::object value = nb::none();
        for (const auto& [key, entry] : words)
          if (nb::cast<std::string>(key) == word)
            value = nb::borrow(entry);
          else
            left[key] = entry;
        return value.is_none() ? plain(*given, **left) : call(value, given, left);
      },
      nb::name(name), nb::scope(m), nb::sig(signature.c_str()), help.c_str());
}
/// `v`: velocities, for the rate beside the inertia.
inline void take_velocity(nb::module_& m, const char* name, const char* of_rate) {
  take(m, name, "v", "Vector", "velocities; then the result is the pair of the inertia and its rate.",
       [inertia = nb::object(m.attr(name)), rate = nb::object(m.attr(of_rate))](
           const nb::object& v, const nb::args& given, nb::dict& words) {
         if (words.contains("out"))
           throw std::invalid_argument("composite_inertia: 'out' is one array, and with 'v' there are two results");
         const nb::object I = inertia(*given, **words);
         nb::list with_v;
         for (nb::handle x : given) {
           with_v.append(x);
           if (nb::len(with_v) == 2) with_v.append(v);
         }
         if (nb::len(with_v) < 3) words["v"] = v;
         return nb::object(nb::make_tuple(I, rate(*nb::tuple(with_v), **words)));
       });
}

}  // namespace zwang::python
