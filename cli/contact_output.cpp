// SPDX-License-Identifier: BSD-3-Clause
#include "contact_output.hpp"

#include <fmt/format.h>

#include "npz.hpp"
#include "numbers.hpp"
#include "tables.hpp"
#include "written_file.hpp"

namespace zwang::cli {
namespace {

using What = ContactState::What;

/// The names of shapes, coordinates and rows, which contacts have by their numbers.
class Names {
 public:
  explicit Names(const Problem& p) : p_(p) {
    for (const Constraint& x : p.constraints.constraints())
      rows_.insert(rows_.end(), x.row_names.value().begin(), x.row_names.value().end());
  }
  /// Of a point two shapes, of a limit and of friction nothing and the coordinate, of the user's rows nothing and the
  /// row, or the constraint of a contact with friction.
  std::string a(const ContactState& x) const { return x.what == What::point ? shape(x.a) : ""; }
  std::string b(const ContactState& x) const {
    if (x.what == What::point) return shape(x.b);
    const auto k = static_cast<std::size_t>(x.coordinate);
    if (!x.is_of_set()) return p_.model.coordinate_names()[k];
    return x.what == What::contact ? rows_[k].substr(0, rows_[k].rfind(':')) : rows_[k];
  }
  std::string both(const ContactState& x) const {
    if (x.what == What::point) return a(x) + " on " + b(x);
    return x.is_of_set() ? b(x) : fmt::format("{} of {}", name_of(x.what), b(x));
  }

 private:
  std::string shape(Index k) const { return p_.scene->shapes()[static_cast<std::size_t>(k)].name; }
  const Problem& p_;
  std::vector<std::string> rows_;
};

/// What acts between shapes, at limits and rows in the step that led to the last state.
std::vector<ContactState> last_contacts(const Trajectory& t) {
  if (t.contact_count.empty()) return {};
  return {t.contacts.end() - t.contact_count.back(), t.contacts.end()};
}
/// f(state, contact) of all.
template <class F> void for_each(const Trajectory& t, F&& f) {
  auto at = t.contacts.begin();
  for (std::size_t k = 0; k < t.contact_count.size(); ++k)
    for (long i = 0; i < t.contact_count[k]; ++i) f(k, *at++);
}

/// The fields of the totals by their list.
struct WriteTotals {
  const ContactTotals& totals;
  Document& out;
  void record(const char*, const char*) {}
  template <class X> void operator()(const char* key, X ContactTotals::*member, const char*) {
    if constexpr (std::is_same_v<X, double>)
      out[key] = number_json(totals.*member);
    else
      out[key] = totals.*member;
  }
};

Document record(const Names& names, const ContactState& x) {
  const auto three = [](const Vec3<double>& a) {
    return Document::array({number_json(a.x), number_json(a.y), number_json(a.z)});
  };
  Document c = {{"name", names.both(x)}, {"kind", name_of(x.kind)}, {"gap", number_json(x.gap)}};
  c["force"] = three(x.force);
  if (!x.has_place()) return c;
  c["point"] = three(x.point);
  c["normal"] = three(x.normal);
  c["slip"] = three(x.slip);
  return c;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

Document contact_json(const Problem& p, const Trajectory& t) {
  const Names names(p);
  Document out = Document::object();
  WriteTotals writer{t.report.contact, out};
  fields(writer, Type<ContactTotals>());
  out["last"] = Document::array();
  for (const ContactState& x : last_contacts(t)) out["last"].push_back(record(names, x));
  return out;
}

std::string contact_table(const Problem& p, const Trajectory& t) {
  const Names names(p);
  const ContactTotals& c = t.report.contact;
  std::string out;
  for (const ContactState& x : last_contacts(t)) {
    if (x.kind == ContactState::Kind::open) continue;
    out += x.has_place()
               ? fmt::format("{}: force {:.6g} {:.6g} {:.6g} N at {:.4g} {:.4g} {:.4g}, {}\n", names.both(x), x.force.x,
                             x.force.y, x.force.z, x.point.x, x.point.y, x.point.z, name_of(x.kind))
               : fmt::format("{}: {:.6g} N m or N\n", names.both(x), x.force.x);
  }
  return out + fmt::format("contact: {} without touch, {} with; residual at most {:.1e}; {}; overlap at most {:.1e}\n",
                           counted(c.free_steps, "step"), c.warm_steps + c.cold_steps, c.residual,
                           counted(c.impacts, "bounce"), c.penetration);
}

Document contacts_json(const Problem& p, const Trajectory& t) {
  const Names names(p);
  Document out = Document::array();
  for (std::size_t k = 0; k < t.time.size(); ++k) out.push_back(Document::array());
  for_each(t, [&](std::size_t k, const ContactState& x) {
    Document one = record(names, x);
    one["what"] = name_of(x.what);
    one["a"] = names.a(x);
    one["b"] = names.b(x);
    out[k].push_back(std::move(one));
  });
  return out;
}

void add_contacts(const Problem& p, const Trajectory& t, NpzArchive& file) {
  const Names names(p);
  std::vector<double> state, gap, point, normal, force, slip;
  std::vector<std::string> what, kind, a, b;
  const auto three = [](std::vector<double>& to, const Vec3<double>& x) { to.insert(to.end(), {x.x, x.y, x.z}); };
  for_each(t, [&](std::size_t k, const ContactState& x) {
    state.push_back(static_cast<double>(k)), gap.push_back(x.gap);
    three(point, x.point), three(normal, x.normal), three(force, x.force), three(slip, x.slip);
    what.push_back(name_of(x.what)), kind.push_back(name_of(x.kind)), a.push_back(names.a(x)), b.push_back(names.b(x));
  });
  const std::size_t n = state.size();
  file.add("contact_state", state, {n});
  file.add("contact_what", what);
  file.add("contact_kind", kind);
  file.add("contact_a", a);
  file.add("contact_b", b);
  file.add("contact_gap", gap, {n});
  file.add("contact_point", point, {n, 3});
  file.add("contact_normal", normal, {n, 3});
  file.add("contact_force", force, {n, 3});
  file.add("contact_slip", slip, {n, 3});
}

void write_contacts(const std::string& path, const Problem& p, const Trajectory& t) {
  const Names names(p);
  std::string out = "time,what,a,b,kind,gap";
  for (const char* vector : {"point", "normal", "force", "slip"})
    for (const char* axis : {"x", "y", "z"}) out += fmt::format(",{}.{}", vector, axis);
  out += '\n';
  for_each(t, [&](std::size_t k, const ContactState& x) {
    fmt::format_to(std::back_inserter(out), "{:.17g},{},{},{},{},{:.17g}", t.time[k], name_of(x.what),
                   csv_cell(names.a(x)), csv_cell(names.b(x)), name_of(x.kind), x.gap);
    for (const Vec3<double>* v : {&x.point, &x.normal, &x.force, &x.slip})
      fmt::format_to(std::back_inserter(out), ",{:.17g},{:.17g},{:.17g}", v->x, v->y, v->z);
    out += '\n';
  });
  write_whole(path, out);
}

}  // namespace zwang::cli
