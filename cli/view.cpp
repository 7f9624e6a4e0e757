// SPDX-License-Identifier: BSD-3-Clause
// zwang view: a page that shows a robot, at a configuration or with the forces of a solved problem.
#include "view.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "written_file.hpp"

namespace zwang::cli {
namespace {

void say(const viewer::Page& page) {
  for (const std::string& note : page.notes) std::fputs(fmt::format("note: {}\n", note).c_str(), stderr);
}

viewer::Page page_for(const viewer::Picture& picture) {
  try {
    return viewer::page_of(picture);
  } catch (const std::runtime_error& error) { throw UsageError(error.what()); }
}

/// Multipliers of the problem's solution, where there are rows.
std::vector<double> solved(const Problem& p) {
  Solver solver(p.model, p.constraints, p.settings);
  const Solution& s = solver.solve(p.input());
  if (s.report.status != Status::ok)
    std::fputs(fmt::format("note: the forces are those of a solve that ended with {}: {}\n", name_of(s.report.status),
                           s.report.explain())
                   .c_str(),
               stderr);
  return {s.multipliers.data(), s.multipliers.data() + s.multipliers.size()};
}

}  // namespace

void read_picture(const Arguments& a, viewer::Picture& to) {
  try {
    to.geometry = viewer::geometry_of(a.geometry.value_or("visual"));
    for (const std::string& name : a.frames) to.model.frame(name);
  } catch (const std::invalid_argument& error) { throw UsageError(error.what()); }
  to.frames = a.frames;
  to.title = a.title.value_or("");
}

void check_page_place(const std::string& path) {
  if (!path.ends_with(".html")) throw UsageError("--html " + path + ": expected a name that ends in .html");
  check_place(path);
}

void write_page(const Arguments& a, const std::string& path, const Problem& p, const Trajectory& t) {
  viewer::Picture picture{.model = p.model, .time = t.time, .q = t.q_numbers, .constraints = &p.constraints};
  if (p.constraints.rows() > 0 && !t.multiplier_numbers.empty()) picture.multipliers = t.multiplier_numbers;
  if (p.scene) picture.scenery = &*p.scene;
  viewer::read_contacts(t.contacts, t.contact_count, picture);
  read_picture(a, picture);
  const viewer::Page page = page_for(picture);
  if (!a.json) say(page);
  write_whole(path, page.html);
}

int run_view(const Arguments& a, Diagnostics& found) {
  const Problem p = read_problem(a, load_options(a), found);
  if (a.speaks()) print_diagnostics(found, Severity::warning);
  if (p.settings.method == "all") throw UsageError("zwang view: method all is for zwang solve");
  const std::string path = a.html.empty() ? p.model.name() + ".html" : a.html;
  check_page_place(path);
  viewer::Picture picture{.model = p.model, .constraints = &p.constraints};
  picture.q.assign(p.q.data(), p.q.data() + p.q.size());
  read_picture(a, picture);
  if (p.constraints.rows() > 0) picture.multipliers = solved(p);
  const viewer::Page page = page_for(picture);
  write_whole(path, page.html);
  if (a.json) {
    print_json({{"status", "ok"},
                {"html", path},
                {"bytes", page.html.size()},
                {"notes", page.notes},
                {"diagnostics", to_json(found)}});
    return k_ok;
  }
  say(page);
  print(fmt::format("{}: {} kB, to be opened in a browser\n", path, page.html.size() / 1000));
  return k_ok;
}

}  // namespace zwang::cli
