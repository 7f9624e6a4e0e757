// SPDX-License-Identifier: BSD-3-Clause
// zwang convert: a robot in another format. What the format cannot hold is said on standard error.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "commands.hpp"
#include "failure.hpp"
#include "json_output.hpp"
#include "written_file.hpp"
#include "zwang/io/write.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::cli {
namespace {

/// A format by the ending of a file's name.
struct Format {
  const char* ending;
  WrittenRobot (*write)(const Robot&, const WriteOptions&);
};

/// The model alone where there is nothing beside it: its own loops and no other constraints, no configurations but the
/// neutral one.
bool is_model_alone(const Robot& robot) {
  const Eigen::VectorXd q = neutral(robot.model);
  const auto is_neutral = [&](const Configuration& c) {
    return c.name == "file" && std::equal(c.q.begin(), c.q.end(), q.data(), q.data() + q.size()) &&
           std::all_of(c.v.begin(), c.v.end(), [](double v) { return v == 0; });
  };
  ConstraintSet loops(robot.model);
  loops.add_loops();
  return same_constraints(loops, robot.constraints) &&
         std::all_of(robot.configurations.begin(), robot.configurations.end(), is_neutral);
}

WrittenRobot json_document(const Robot& robot, const WriteOptions&) {
  return {is_model_alone(robot) ? zwang::to_json(robot.model) : zwang::to_json(robot)};
}
WrittenRobot cbor_document(const Robot& robot, const WriteOptions&) {
  const std::vector<std::uint8_t> all = is_model_alone(robot) ? to_cbor(robot.model) : to_cbor(robot);
  return {std::string(all.begin(), all.end())};
}

constexpr Format k_formats[] = {{".json", json_document}, {".cbor", cbor_document}, {".urdf", write_urdf},
                                {".sdf", write_sdf},      {".xml", write_mjcf},     {".mjcf", write_mjcf}};

const Format& format_of(const std::string& path) {
  std::string endings;
  for (const Format& f : k_formats) {
    if (path.size() > std::string(f.ending).size() && path.ends_with(f.ending)) return f;
    endings += (endings.empty() ? "" : ", ") + std::string(f.ending);
  }
  throw UsageError("zwang convert writes a name that ends in one of " + endings + ", got '" + path + "'");
}

bool is_document(const Format& f) { return f.write == json_document || f.write == cbor_document; }

Document to_json(const std::vector<Loss>& losses) {
  Document list = Document::array();
  for (const Loss& l : losses)
    list.push_back({{"code", l.code},
                    {"element", l.element},
                    {"name", l.name},
                    {"lost", l.lost},
                    {"instead", l.instead},
                    {"severity", l.severity}});
  return list;
}

/// `14 losses, 7 change the motion: L_ARMATURE (7)`; the codes in the order of the losses.
std::string summary(const std::vector<Loss>& losses) {
  std::vector<std::pair<std::string, int>> codes;
  int changes = 0;
  for (const Loss& l : losses) {
    if (l.severity != "motion") continue;
    ++changes;
    const auto known = std::find_if(codes.begin(), codes.end(), [&](const auto& c) { return c.first == l.code; });
    if (known == codes.end())
      codes.emplace_back(l.code, 1);
    else
      ++known->second;
  }
  std::string text = fmt::format("{} loss{}, {} the motion", losses.size(), losses.size() == 1 ? "" : "es",
                                 changes == 0   ? "none changes"
                                 : changes == 1 ? "1 changes"
                                                : std::to_string(changes) + " change");
  for (std::size_t k = 0; k < codes.size(); ++k)
    text += fmt::format("{} {} ({})", k == 0 ? ":" : ",", codes[k].first, codes[k].second);
  return text + '\n';
}

/// `L_SPRING joint elbow: its spring; instead: ...`, and at the end how many there are.
void tell(const std::vector<Loss>& losses) {
  std::string text;
  for (const Loss& l : losses) {
    text += l.code + ' ' + l.element + (l.name.empty() ? "" : ' ' + printable(l.name)) + ": " + printable(l.lost, 400);
    text += l.instead.empty() ? "\n" : "; instead: " + printable(l.instead, 400) + '\n';
  }
  if (!losses.empty()) text += summary(losses);
  std::fputs(text.c_str(), stderr);
}

/// Meshes without a scheme are meant from the folder of their file: in another folder they mean others. MJCF names the
/// file that was found instead.
std::vector<Loss> moved_meshes(const Arguments& a, const Format& format, const Model& model) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto folder = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path), error).parent_path();
  };
  std::vector<Loss> losses;
  if (folder(a.file) == folder(a.output)) return losses;
  const bool left_out = format.write == write_mjcf && !a.missing_meshes;  // the writer says so
  std::set<std::string> seen;
  for (const Link& link : model.links())
    for (const Shape& shape : link.shapes) {
      const bool relative = !shape.mesh.empty() && shape.mesh.find(':') == std::string::npos && shape.mesh[0] != '/';
      const bool resolved = format.write == write_mjcf && !shape.mesh_path.empty();
      if (shape.kind == Shape::Kind::mesh && relative && !resolved && !left_out && seen.insert(shape.mesh).second)
        losses.push_back({.code = "L_MESH",
                          .element = "shape",
                          .name = link.name,
                          .lost = "where mesh " + shape.mesh + " is: seen from the folder of " + a.file,
                          .instead = "the same URI in another folder"});
    }
  return losses;
}

/// The robot of a file; that of a model's document holds its loops, as a file does.
Robot whole_robot(const Arguments& a, Diagnostics& found) {
  OfFile more;
  const Model model = load_robot(a, found, &more);
  Robot robot{model, ConstraintSet(model), std::move(more.configurations)};
  if (more.constraints)  // those of a model with other motors are bound again
    robot.constraints = more.constraints->model().id() == model.id()
                            ? std::move(*more.constraints)
                            : constraints_from_json(model, zwang::to_json(*more.constraints));
  else
    robot.constraints.add_loops();
  return robot;
}

}  // namespace

int run_convert(const Arguments& a, Diagnostics& found) {
  const Format& format = format_of(a.output);
  if (is_document(format) && (a.no_shapes || a.missing_meshes))
    throw UsageError("zwang convert: --no-shapes and --missing-meshes are for URDF, SDF and MJCF, not for documents");
  const Robot robot = whole_robot(a, found);
  check_place(a.output);
  if (a.report) {
    check_place(*a.report);
    if (is_one_place(a.output, *a.report)) throw UsageError("--report: it would take the place of the robot");
  }
  WrittenRobot written;
  try {
    const WrittenShapes shapes = a.no_shapes        ? WrittenShapes::none
                                 : a.missing_meshes ? WrittenShapes::all
                                                    : WrittenShapes::found;
    written = format.write(robot, {.strict = a.strict, .balance = a.balance, .shapes = shapes});
    const bool names_meshes = !is_document(format) && !a.no_shapes;
    std::vector<Loss> moved = names_meshes ? moved_meshes(a, format, robot.model) : std::vector<Loss>();
    if (a.strict && !moved.empty())
      throw ModelError({{.code = moved[0].code,
                         .path = "shape[" + moved[0].name + ']',
                         .found = moved[0].lost,
                         .expected = "a robot that the format holds as it is",
                         .hint = "write it into the folder of the robot"}});
    written.losses.insert(written.losses.end(), moved.begin(), moved.end());
  } catch (const ModelError& error) {
    found.insert(found.end(), error.diagnostics().begin(), error.diagnostics().end());
    throw;
  }
  if (a.report)  // first: a robot is not left behind without the report that was asked for
    write_whole(*a.report, Document{{"losses", to_json(written.losses)}}.dump(2) + '\n');
  write_whole(a.output, written.text);
  if (a.speaks()) tell(written.losses);
  if (a.json)
    print_json({{"status", "ok"},
                {"written", a.output},
                {"bytes", written.text.size()},
                {"hash", fmt::format("{:016x}", hash(robot.model))},
                {"losses", to_json(written.losses)},
                {"diagnostics", to_json(found)}});
  else
    print(a.output + ": " + std::to_string(written.text.size()) + " bytes\n");
  return k_ok;
}

}  // namespace zwang::cli
