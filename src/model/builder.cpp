// SPDX-License-Identifier: BSD-3-Clause
// build: check, then the steps of build_steps.hpp one after the other. A step that refuses ends the building.
#include "zwang/model/builder.hpp"

#include <cmath>

#include "model/build_steps.hpp"
#include "zwang/model/check.hpp"

namespace zwang {
namespace {

/// Throws everything found so far where the last step refused.
void stop_if_refused(Diagnostics& all, Diagnostics& step, Diagnostics* found) {
  const bool stop = refused(step) || (!all.empty() && refused(all));
  all.insert(all.end(), std::make_move_iterator(step.begin()), std::make_move_iterator(step.end()));
  step.clear();
  if (!stop) return;
  // The first finding names the refusal: what refuses goes first, each group in the order found.
  if (found != nullptr) *found = all;
  Diagnostics sorted;
  for (const bool error : {true, false})
    for (const Diagnostic& d : all)
      if ((d.severity == Severity::error) == error) sorted.push_back(d);
  throw ModelError(std::move(sorted));
}

Diagnostic note(const char* code, const std::string& what, const std::string& hint) {
  Diagnostic d;
  d.severity = Severity::note;
  d.code = code;
  d.path = "robot";
  d.found = what;
  d.hint = hint;
  return d;
}

/// What the builder changed on its own: merged links and rounded constants.
void add_notes(const Model::Impl& impl, long snapped, Diagnostics& found) {
  constexpr long k_named = 8;
  long lumped = 0;
  std::string names;
  for (const Joint& j : impl.joints) {
    if (!j.lumped) continue;
    if (++lumped <= k_named)
      names += (lumped > 1 ? ", " : "") + impl.links[static_cast<std::size_t>(j.child.value)].name;
  }
  if (lumped > k_named) names += ", ...";
  if (lumped > 0)
    found.push_back(note("N_LUMPED",
                         std::to_string(lumped) + (lumped == 1 ? " link" : " links") + " behind fixed joints: " + names,
                         "their inertia is merged into the body that carries them; they stay as links and frames"));
  if (snapped > 0)
    found.push_back(note(
        "N_SNAPPED", std::to_string(snapped) + (snapped == 1 ? " number" : " numbers") + " within 1e-12 of 0, 1 or -1",
        "entries of rotations, axes and tiny lengths are taken for the exact value"));
}

void check_gravity(const Vec3<double>& g) {
  if (!std::isfinite(g.x) || !std::isfinite(g.y) || !std::isfinite(g.z))
    throw std::invalid_argument("zwang::build: gravity must be three finite numbers");
}

}  // namespace

Model build(RobotDescription robot, const BuildOptions& given, Diagnostics* found) {
  using namespace building;
  BuildOptions options = given;
  if (options.root == "auto") options.root = "automatic";
  check_gravity(options.gravity);

  auto impl = std::make_shared<Model::Impl>();
  impl->description = std::move(robot);
  Diagnostics all, step = repair(impl->description, options);
  stop_if_refused(all, step, found);
  const RobotDescription& source = impl->description;

  const Order edges = order(source, options, step);
  stop_if_refused(all, step, found);
  Bodies moving = bodies(source, options, edges, step);
  stop_if_refused(all, step, found);
  const Coordinates numbers = coordinates(options, edges, moving, step);
  stop_if_refused(all, step, found);

  auto arrays = std::make_shared<ModelArrays>();
  fill_columns(numbers, moving, *arrays);
  fill_effects(options, edges, moving, numbers, *arrays, *impl, step);
  find_massless(options, edges, moving, numbers, *arrays, step);
  find_dependent(options, edges, moving, numbers, *arrays, step);
  fill_names_and_frames(source, edges, moving, numbers, *impl, step);
  stop_if_refused(all, step, found);
  fill_trees(source, numbers, moving, *arrays);

  impl->name = source.name;
  impl->id = next_model_id();
  impl->gravity = options.gravity;
  impl->options = options;
  impl->tiny_length = moving.tiny;
  impl->arrays = std::move(arrays);
  add_notes(*impl, moving.snapped, all);
  if (found != nullptr) *found = all;
  impl->diagnostics = std::move(all);
  return Model(std::move(impl));
}

}  // namespace zwang
