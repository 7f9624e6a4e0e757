// SPDX-License-Identifier: BSD-3-Clause
// Texts of diagnostics and exceptions.
#include "zwang/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "zwang/core/eigen_shape.hpp"
#include "zwang/core/findings.hpp"

namespace zwang {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Optimal string alignment distance (insert, delete, replace, swap of neighbours); `limit + 1` where it is larger than
/// limit. A difference in case alone costs nothing here.
int edit_distance(const std::string& a, const std::string& b, int limit) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > limit) return limit + 1;
  std::vector<int> before(m + 1), last(m + 1), row(m + 1);
  for (int j = 0; j <= m; ++j) last[j] = j;
  for (int i = 1; i <= n; ++i) {
    row[0] = i;
    int smallest = i;
    for (int j = 1; j <= m; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > limit) return limit + 1;
    before.swap(last);
    last.swap(row);
  }
  return last[m];
}

constexpr std::size_t k_longest_name = 256;

bool same_text(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}
/// Whether `whole` begins or ends with `part`, followed or preceded by no letter or digit: left_sole of left_sole_link.
bool has_part(std::string_view whole, std::string_view part) {
  if (part.empty() || whole.size() <= part.size()) return false;
  const auto is_letter = [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<unsigned char>(c) >= 128;
  };
  const std::size_t rest = whole.size() - part.size();
  return (same_text(whole.substr(0, part.size()), part) && !is_letter(whole[part.size()])) ||
         (same_text(whole.substr(rest), part) && !is_letter(whole[rest - 1]));
}
/// The names that `name` is a part of, shortest first; where there are none,
/// those that are a part of it, longest first.
std::vector<std::string> names_by_part(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t k_short = 2;  // one letter is a part of too much
  std::vector<std::string> longer, shorter;
  const auto add = [](std::vector<std::string>& to, const std::string& x) {
    if (std::find(to.begin(), to.end(), x) == to.end()) to.push_back(x);
  };
  for (const std::string& candidate : known) {
    if (candidate.size() > k_longest_name || candidate.size() < k_short || name.size() < k_short) continue;
    if (has_part(candidate, name)) add(longer, candidate);
    if (has_part(name, candidate)) add(shorter, candidate);
  }
  const auto size = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  std::stable_sort(longer.begin(), longer.end(), size);
  std::stable_sort(shorter.rbegin(), shorter.rend(), size);
  return longer.empty() ? shorter : longer;
}

/// The names that may be meant, the most likely first: one that differs by a letter, those that share a part,
/// one with more errors.
std::vector<std::string> likely_names(const std::string& name, const std::vector<std::string>& known) {
  if (name.empty() || name.size() > k_longest_name) return {};
  // One error in three letters still counts as a typing error; more is another word.
  int best = std::max(1, static_cast<int>(name.size()) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : known) {
    if (candidate.empty() || candidate.size() > k_longest_name || candidate == name) continue;
    const int distance = edit_distance(name, candidate, best - 1);
    if (distance >= best) continue;
    best = distance;
    nearest = &candidate;
    if (best == 0) break;
  }
  if (nearest != nullptr && best <= 1) return {*nearest};
  std::vector<std::string> by_part = names_by_part(name, known);
  if (by_part.empty() && nearest != nullptr) by_part.push_back(*nearest);
  return by_part;
}

std::string summary(const Diagnostics& found) {
  const Diagnostic* first = nullptr;
  long errors = 0;
  for (const Diagnostic& d : found) {
    if (d.severity != Severity::error) continue;
    if (!first) first = &d;
    ++errors;
  }
  if (!first) return "E_MODEL: the model was refused";
  std::string text = first->text();
  if (errors > 1) text += " [and " + std::to_string(errors - 1) + (errors > 2 ? " more errors]" : " more error]");
  return text;
}

/// The first error comes first, so that code() names it; the rest keeps its order.
Diagnostics errors_first(Diagnostics found) {
  std::stable_partition(found.begin(), found.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  if (found.empty() || found.front().severity != Severity::error) {
    Diagnostic refusal;
    refusal.code = "E_MODEL";
    refusal.hint = "the model was refused";
    found.insert(found.begin(), refusal);
  }
  return found;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string out = code;
  if (!file.empty() || line > 0) {
    out += ' ' + (file.empty() ? std::string("<text>") : file);
    if (line > 0) out += ':' + std::to_string(line) + ':' + std::to_string(column);
  }
  if (!path.empty()) out += ' ' + path;
  std::string rest;
  if (!found.empty()) rest += "found " + found;
  if (!expected.empty()) rest += (rest.empty() ? "expected " : ", expected ") + expected;
  if (!hint.empty()) rest += rest.empty() ? hint : " (" + hint + ')';
  if (!rest.empty()) out += ": " + rest;
  return out;
}

ModelError::ModelError(Diagnostics found)
    : std::invalid_argument(summary(found)),
      diagnostics_(errors_first(std::move(found))) {}

SingularMassError::SingularMassError(const std::string& joint)
    : std::domain_error("E_SINGULAR: the mass matrix is singular in the direction of joint " + detail::quoted(joint) +
                        "; give what it carries mass and inertia, or give the joint rotor inertia") {}

std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> likely = likely_names(name, known);
  return likely.empty() ? std::string() : likely.front();
}

namespace detail {

void throw_size(const char* function, const char* argument, long got, long expected) {
  throw std::invalid_argument("E_SIZE " + std::string(function) + ": argument '" + argument + "' has " +
                              std::to_string(got) + " entries, expected " + std::to_string(expected));
}

void throw_not_finite(const char* function, const char* argument, long entry, double value) {
  throw std::invalid_argument("E_NUMBER " + std::string(function) + ": argument '" + argument + "' has " +
                              number_text(value) + " in entry " + std::to_string(entry) + ", expected a finite number");
}

void check_vector(const char* type, long rows, long columns, long N) {
  if ((rows == N && columns == 1) || (rows == 1 && columns == N)) return;
  throw std::invalid_argument("E_SIZE " + std::string(type) + ": from a matrix of " + std::to_string(rows) + " x " +
                              std::to_string(columns) + " numbers, expected a vector of " + std::to_string(N));
}
void check_matrix(const char* type, long rows, long columns, long R, long C) {
  if (rows == R && columns == C) return;
  throw std::invalid_argument("E_SIZE " + std::string(type) + ": from a matrix of " + std::to_string(rows) + " x " +
                              std::to_string(columns) + " numbers, expected " + std::to_string(R) + " x " +
                              std::to_string(C));
}
void check_rigid(const double* m) {
  double error = std::abs(m[12]) + std::abs(m[13]) + std::abs(m[14]) + std::abs(m[15] - 1);
  double volume = 0;
  for (int i = 0; i < 3; ++i) {
    const double *a = m + 4 * i, *b = m + 4 * ((i + 1) % 3), *c = m + 4 * ((i + 2) % 3);
    error = std::max(error, std::abs(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - 1));
    error = std::max(error, std::abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
    if (i == 0)
      volume =
          a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  if (error <= 1e-6 && volume > 0 && std::isfinite(m[3] + m[7] + m[11])) return;
  throw std::invalid_argument(
      "E_POSE Transform: the 4 x 4 matrix is no pose: its upper left 3 x 3 numbers must be a rotation, its last row 0 "
      "0 "
      "0 1");
}

void throw_overflow(const char* function) {
  throw ArithmeticOverflowError(
      "E_OVERFLOW " + std::string(function) +
      ": the arguments are finite, the result is beyond the range of double; check the units");
}

void throw_mismatch(const char* function) {
  throw WorkspaceMismatch("E_WORKSPACE_MISMATCH " + std::string(function) +
                          ": the workspace was made for another model; make one from this model");
}

void throw_unknown(const char* kind, const std::string& name, const std::vector<std::string>& known) {
  const std::string_view whole = kind;  // "constraint 'a': coordinate" says whose it would be
  const std::size_t colon = whole.rfind(": ");
  const bool owned = colon != std::string_view::npos;
  std::string text = "E_NAME: " + std::string(owned ? whole.substr(0, colon + 2) : "") + "there is no " +
                     std::string(owned ? whole.substr(colon + 2) : whole) + " named " + quoted(name);
  const std::vector<std::string> likely = likely_names(name, known);
  constexpr std::size_t k_said = 4;
  if (!likely.empty()) {
    text += "; did you mean ";
    const std::size_t said = std::min(likely.size(), k_said);
    for (std::size_t k = 0; k < said; ++k) text += (k == 0 ? "" : k + 1 == said ? " or " : ", ") + quoted(likely[k]);
    text += '?';
  } else if (!known.empty() && known.size() <= 40) {
    text += "; known are";
    for (std::size_t k = 0; k < known.size(); ++k)  // a joint of one coordinate gives it its name
      if (std::find(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(k), known[k]) ==
          known.begin() + static_cast<std::ptrdiff_t>(k))
        text += ' ' + quoted(known[k]);
  }
  throw std::invalid_argument(text);
}

}  // namespace detail
}  // namespace zwang
