// SPDX-License-Identifier: BSD-3-Clause
// page_of: one HTML page that shows a robot and plays a motion. It needs nothing but a browser: no network, no other
// file.
#pragma once
#include <string>
#include <vector>

#include "viewer/arrows.hpp"
#include "zwang/simulation/contact_state.hpp"
#include "zwang/simulation/scene.hpp"

namespace zwang::viewer {

/// Which shapes of the links are drawn. Links whose meshes cannot be read, and all links where none has such a shape,
/// are drawn as a skeleton: limbs from joint to joint.
enum class Geometry { visual, collision, skeleton };
/// `visual`, `collision`, `skeleton`; throws std::invalid_argument with the nearest word.
Geometry geometry_of(const std::string& word);

struct Picture {
  Model model;
  std::vector<double> time = {};  ///< [states] s; empty: one state
  std::vector<double> q = {};     ///< [states * nq], state after state
  const ConstraintSet* constraints = nullptr;
  std::vector<double> multipliers = {};   ///< [states * rows of the set]; empty: no arrows
  std::vector<Arrow> contacts = {};       ///< forces at points, those of a state after those of the other
  std::vector<long> contact_of = {};      ///< [states + 1] in `contacts`; empty: there are none
  const zwang::Scene* scenery = nullptr;  ///< the shapes that were added to it are drawn: the ground, boxes
  Geometry geometry = Geometry::visual;
  std::vector<std::string> frames = {};  ///< whose axes are drawn at the beginning; all can be switched on in the page
  std::string title = {};                ///< empty: the model's name
  std::size_t most_bytes = 3000000;      ///< of the page: states are thinned out and meshes simplified until it fits
};

/// Forces of the points of a motion; count: of each state, those of a state after those of the other (Trajectory).
void read_contacts(const std::vector<ContactState>& points, const std::vector<long>& count, Picture& to);

struct Page {
  std::string html;
  std::string scene;           ///< what is drawn, as JSON: it stands in the page, too
  long states = 0, shown = 0;  ///< fewer are shown where the page would grow too large
  std::vector<std::string> notes =
      {};  ///< what is not drawn as it is: meshes that were simplified or could not be read
};

/// Throws std::invalid_argument for sizes, configurations and names that do not fit the model, std::runtime_error where
/// the program was built without three.js, or even one state is too large for `most_bytes`.
Page page_of(const Picture& picture);

}  // namespace zwang::viewer
