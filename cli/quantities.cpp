// SPDX-License-Identifier: BSD-3-Clause
// zwang quantities: any row of the list of algorithms at one state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "numbers.hpp"
#include "tables.hpp"
#include "vectors.hpp"
#include "zwang/batch/evaluate.hpp"

namespace zwang::cli {
namespace {

std::string first_paragraph(const Algorithm& row) {
  const std::string text = row.doc;
  std::string line = text.substr(0, text.find("\n\n"));
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line;
}

// --- the list itself -------------------------------------------------------------------------------------------------

std::string text_of(const Extent& e) {
  const char* const unit = e.per == &Sizes::nq       ? "nq"
                           : e.per == &Sizes::nv     ? "nv"
                           : e.per == &Sizes::joints ? "joints"
                           : e.per == &Sizes::frames ? "frames"
                           : e.per == &Sizes::links  ? "links"
                                                     : "";
  if (*unit == '\0') return std::to_string(e.factor);
  return e.factor == 1 ? unit : std::to_string(e.factor) + ' ' + unit;
}
std::string text_of(const Extents& shape) {
  std::string text;
  for (const Extent& e : shape) text += (text.empty() ? "" : " x ") + text_of(e);
  return text.empty() ? "one number" : text;
}

/// The options of the command that a row reads.
std::vector<std::string> options_of(const Algorithm& row) {
  std::vector<std::string> out;
  for (const Argument& a : row.takes) {
    if (a.what != Takes::gravity) out.push_back(option_of(a));
    if (a.what == Takes::external) out.emplace_back("--in");
  }
  return out;
}
std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
  return out;
}

int show_list(bool json) {
  Document list = Document::array();
  std::vector<std::string> name, takes, gives, doc;
  for (const Algorithm& row : algorithms()) {
    Document results = Document::array();
    std::string shapes;
    for (const Result& r : row.gives) {
      Document shape = Document::array();
      for (const Extent& e : r.shape) shape.push_back(text_of(e));
      results.push_back({{"name", r.name}, {"shape", shape}, {"units", r.units}});
      shapes += (shapes.empty() ? "" : ", ") + text_of(r.shape);
    }
    list.push_back({{"name", row.name},
                    {"alias", row.alias},
                    {"options", options_of(row)},
                    {"results", results},
                    {"page", row.page},
                    {"batch", row.lanes},
                    {"text", first_paragraph(row)}});
    name.push_back(row.name), takes.push_back(joined(options_of(row))), gives.push_back(shapes);
    doc.push_back(first_paragraph(row));
  }
  if (json)
    print_json({{"status", "ok"}, {"quantities", list}});
  else
    print(Table().text("quantity", name).text("result", gives).text("options", takes).text("", doc).str());
  return k_ok;
}

// --- one row ---------------------------------------------------------------------------------------------------------

/// Options that the row does not read are refused; those that it cannot do without are asked for.
void check_options(const Arguments& a, const Algorithm& row) {
  const std::vector<std::string> known = options_of(row);
  const auto check = [&](const std::string& option) {
    if (std::find(known.begin(), known.end(), option) == known.end())
      throw UsageError(option + ": " + row.name + " does not take it; it takes " + joined(known));
  };
  for (const auto& [option, value] : a.quantity_options)
    if (value) check(option);
  if (!a.external.empty()) check("--external");
  if (a.in) check("--in");
  for (const Argument& x : row.takes) {
    const bool needed = x.what == Takes::frame || x.what == Takes::seen_from || x.what == Takes::frames ||
                        x.what == Takes::point || x.what == Takes::number;
    if (needed && !a.quantity_options.at(option_of(x)))
      throw UsageError(std::string(row.name) + " needs " + option_of(x));
  }
}

FrameId frame_of(const Model& model, const std::string& name) {
  model.frame(name);  // throws with the nearest name
  return model.find_frame(name);
}

VectorKind kind_of(const Argument& a) {
  const std::string name = a.name;
  if (a.what == Takes::configuration) return VectorKind::configuration;
  return name == "tau" || name == "b" ? VectorKind::torque
         : name == "a"                ? VectorKind::acceleration
                                      : VectorKind::velocity;
}

/// What else the file says is read where an option may name a configuration of it.
OfFile* wanted(const Arguments& a, OfFile& file) {
  const auto names = [](const auto& option) {
    return option.first.starts_with("--q") && option.second && may_name_configuration(*option.second);
  };
  return std::any_of(a.quantity_options.begin(), a.quantity_options.end(), names) ? &file : nullptr;
}

/// What the user gave for the arguments of a row.
struct State {
  std::vector<Eigen::VectorXd> vectors;
  std::vector<FrameId> frames;
  std::vector<std::string> frame_names;
  AlgorithmOptions options;
  Externals external;

  State(const Model& model, const Arguments& arguments, const Algorithm& row, const OfFile& file) {
    for (const Argument& a : row.takes) {
      if (a.what == Takes::gravity) continue;
      const std::string option = option_of(a);
      if (a.what == Takes::external) {
        add_externals(model, arguments, external);
        continue;
      }
      const std::optional<std::string>& given = arguments.quantity_options.at(option);
      if (is_vector(a) && given && kind_of(a) == VectorKind::configuration)
        vectors.push_back(read_configuration(model, option, *given, file.configurations));
      else if (is_vector(a))
        vectors.push_back(given ? read_vector(model, kind_of(a), option, *given) : default_vector(model, kind_of(a)));
      else if (given)
        set(model, a, option, *given);
    }
    options.frames = frames;
  }
  void set(const Model& model, const Argument& a, const std::string& option, const std::string& text) {
    switch (a.what) {
      case Takes::frame: options.frame = frame_of(model, text); break;
      case Takes::seen_from: options.seen_from = frame_of(model, text); break;
      case Takes::frames:
        for (const std::string_view name : split_at_commas(text)) frame_names.emplace_back(name);
        for (const std::string& name : frame_names) frames.push_back(frame_of(model, name));
        break;
      case Takes::point: {
        const std::vector<double> x = read_numbers(option, text);
        if (x.size() != 3)
          throw UsageError(option + ": got " + std::to_string(x.size()) + " numbers, expected 3: x,y,z");
        options.point = {x[0], x[1], x[2]};
        break;
      }
      case Takes::number: options.number = read_number(option, text); break;
      case Takes::kind:
        if (text != "classical" && text != "spatial")
          throw UsageError(option + ": got '" + printable(text) + "', expected classical or spatial");
        options.kind = text == "spatial" ? AccelerationKind::spatial : AccelerationKind::classical;
        break;
      case Takes::reference:
        if (const FrameId axes = model.find_frame(text); axes && text != "local" && text != "world")
          options.axes = axes;
        else
          options.reference = reference_of(text);
        break;
      case Takes::effects: options.effects = effects_of(option, text); break;
      case Takes::with_gravity: options.with_gravity = true; break;
      default: break;
    }
  }
};

// --- what comes out --------------------------------------------------------------------------------------------------

Document nested(const double*& x, const Extents& shape, const Sizes& sizes, int dimension = 0) {
  if (dimension == shape.count) return number_json(*x++);
  Document out = Document::array();
  for (Index k = shape[dimension].of(sizes); k > 0; --k) out.push_back(nested(x, shape, sizes, dimension + 1));
  return out;
}

/// Names of the rows or columns along one direction of a result; empty ones where it has none.
std::vector<std::string> labels(const Model& model, const Extent& e, const Sizes& sizes) {
  if (e.per == &Sizes::nv && e.factor == 1) return model.coordinate_names();
  if (e.per == &Sizes::joints && e.factor == 1) return model.joint_names();
  if (e.per == nullptr && e.factor == 3) return {"x", "y", "z"};
  if (e.per == nullptr && e.factor == 6)
    return {"linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"};
  std::vector<std::string> out(static_cast<std::size_t>(e.of(sizes)));
  for (std::size_t k = 0; e.per == &Sizes::nq && k < out.size(); ++k) out[k] = fmt::format("q[{}]", k);
  return out;
}
std::string result_table(const Model& model, const Result& r, const Sizes& sizes, const double* x) {
  const std::string units = *r.units == '\0' ? "" : fmt::format(" [{}]", r.units);
  const Extents& shape = r.shape;
  if (shape.count == 0) return fmt::format("{} = {:.9g}{}\n", r.name, *x, units);
  if (shape.count == 1)
    return Table()
        .text("", labels(model, shape[0], sizes))
        .numbers(r.name + units, std::vector<double>(x, x + shape[0].of(sizes)))
        .str();
  const Index rows = shape[shape.count - 2].of(sizes), columns = shape[shape.count - 1].of(sizes);
  const std::vector<std::string> heads = labels(model, shape[shape.count - 1], sizes);
  std::string out = fmt::format("{}{}\n", r.name, units);
  for (Index m = 0; m < numbers_of(shape, sizes) / std::max(rows * columns, 1); ++m, x += rows * columns) {
    Table table;
    table.text("", labels(model, shape[shape.count - 2], sizes));
    for (Index c = 0; c < columns; ++c) {
      std::vector<double> column;
      for (Index k = 0; k < rows; ++k) column.push_back(x[k * columns + c]);
      table.numbers(heads[static_cast<std::size_t>(c)], column);
    }
    out += (m > 0 ? "\n" : "") + table.str();
  }
  return out;
}

/// One row at one state.
struct Computed {
  bool finite = true;
  Document results = Document::object(), units = Document::object();
  std::string text;
};
Computed computed(const Model& model, Data& data, Evaluator& evaluator, const Algorithm& row, const Arguments& a,
                  const OfFile& file) {
  const State state(model, a, row, file);
  const Sizes sizes = sizes_of(model, state.options);
  std::vector<double> numbers(static_cast<std::size_t>(row.room(sizes)));
  std::vector<const double*> in;
  std::vector<double*> out;
  for (const Eigen::VectorXd& x : state.vectors) in.push_back(x.data());
  double* next = numbers.data();
  for (const Result& r : row.gives) {
    out.push_back(next);
    next += numbers_of(r.shape, sizes);
  }
  evaluator.run(row, data, in, out, state.options, state.external);
  Computed c;
  c.finite = std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Result& r = row.gives[static_cast<int>(i)];
    const double* x = out[i];
    c.results[r.name] = nested(x, r.shape, sizes);
    c.units[r.name] = r.units;
    if (!a.json) c.text += (i > 0 ? "\n" : "") + result_table(model, r, sizes, out[i]);
  }
  return c;
}

/// Whether a row needs no more than a state and what is given.
bool has_what_it_needs(const Arguments& a, const Algorithm& row) {
  for (const Argument& x : row.takes) {
    const std::string name = x.name;
    const bool of_a_state = name == "q" || name == "v" || name == "a" || name == "tau";
    const bool needed = x.what == Takes::frame || x.what == Takes::seen_from || x.what == Takes::frames ||
                        x.what == Takes::point || x.what == Takes::number || (is_vector(x) && !of_a_state);
    if (needed && !a.quantity_options.at(option_of(x))) return false;
  }
  return true;
}

/// Every quantity that needs no more than a state and the options that are given.
int run_all(const Arguments& a, Diagnostics& found) {
  OfFile file;
  const Model model = load_robot(a, found, wanted(a, file));
  Data data(model);
  Evaluator evaluator(model);
  Document list = Document::array();
  bool good = true;
  for (const Algorithm& row : algorithms()) {
    if (!has_what_it_needs(a, row)) continue;
    Document entry = {{"quantity", row.name}, {"status", "ok"}};
    const auto failed = [&](const char* status, const char* what) {
      good = false;
      entry["status"] = status;
      entry["reason"] = what;
      if (!a.json) print(fmt::format("{}: {}\n\n", row.name, what));
    };
    try {
      const Computed c = computed(model, data, evaluator, row, a, file);
      entry["results"] = c.results;
      entry["units"] = c.units;
      if (!a.json) print(fmt::format("--- {}\n{}\n", row.name, c.text));
      if (!c.finite) failed("overflow", "the result is too large for a double");
    } catch (const SingularMassError& e) {
      failed("singular_mass", e.what());
    } catch (const ArithmeticOverflowError& e) { failed("overflow", e.what()); } catch (const UnsupportedError& e) {
      failed("unsupported", e.what());
    }
    list.push_back(entry);
  }
  if (a.json)
    print_json({{"status", good ? "ok" : "not_ok"},
                {"names", model.coordinate_names()},
                {"quantities", list},
                {"diagnostics", to_json(found)}});
  return good ? k_ok : k_not_ok;
}

}  // namespace

std::string option_of(const Argument& a) {
  std::string text = std::string("--") + a.name;
  for (char& c : text)
    if (c == '_') c = '-';
  return text;
}

int run_quantities(const Arguments& a, Diagnostics& found) {
  if (a.quantity.empty()) return a.file.empty() ? show_list(a.json) : run_all(a, found);
  const Algorithm& row = algorithm(a.quantity);
  check_options(a, row);
  OfFile file;
  const Model model = load_robot(a, found, wanted(a, file));
  Data data(model);
  Evaluator evaluator(model);
  const Computed c = computed(model, data, evaluator, row, a, file);
  if (a.json) {
    print_json({{"status", c.finite ? "ok" : "overflow"},
                {"quantity", row.name},
                {"names", model.coordinate_names()},
                {"results", c.results},
                {"units", c.units},
                {"diagnostics", to_json(found)}});
  } else {
    print(c.text);
    if (!c.finite) std::fputs("zwang: the result is too large for a double\n", stderr);
  }
  return c.finite ? k_ok : k_not_ok;
}

}  // namespace zwang::cli
