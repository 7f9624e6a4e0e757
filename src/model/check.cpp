// SPDX-License-Identifier: BSD-3-Clause
// check: the order of the steps, names, frames of the user, motors, and the parts that lenient mode drops.
#include "zwang/model/check.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/check_detail.hpp"

namespace zwang {
namespace detail {
namespace {

constexpr std::size_t k_longest_name = 1024;

/// A character that cannot be seen or that breaks quoting, or nullptr.
const char* odd_character(std::string_view name) {
  if (broken_utf8(name) != std::string_view::npos) return "bytes that are not UTF-8";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(name[i]);
    if (c < 0x20 || c == 0x7F) return "a control character";
    if (c == '"' || c == '\'') return "a quotation mark";
    if (c == 0xC2 &&
        (static_cast<unsigned char>(name[i + 1]) < 0xA0 || static_cast<unsigned char>(name[i + 1]) == 0xAD))
      return "an invisible character";
    if (c != 0xE2 && c != 0xEF) continue;
    const unsigned b = static_cast<unsigned char>(name[i + 1]), d = static_cast<unsigned char>(name[i + 2]);
    // U+200B..200F, U+2028..202E, U+2060..206F and U+FEFF take no width or turn the direction of the text.
    const bool general = c == 0xE2 && ((b == 0x80 && ((d >= 0x8B && d <= 0x8F) || (d >= 0xA8 && d <= 0xAE))) ||
                                       (b == 0x81 && d >= 0xA0 && d <= 0xAF));
    if (general || (c == 0xEF && b == 0xBB && d == 0xBF)) return "an invisible character";
  }
  return nullptr;
}

template <class T> void erase_marked(std::vector<T>& items, const std::vector<char>& marked) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (marked[i]) continue;
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
}

}  // namespace

Diagnostic at(const SourcePlace& place, std::string_view kind, const std::string& name, const char* code,
              const char* below) {
  Diagnostic d;
  d.code = code;
  d.file = place.file;
  d.line = place.line;
  d.column = place.column;
  d.path = place.path.empty() ? "robot/" + std::string(kind) + '[' + excerpt(name, 80) + ']' : place.path;
  if (*below) d.path += '/' + std::string(below);
  return d;
}

Checker::Checker(const RobotDescription& robot, RobotDescription* edit, const BuildOptions& options)
    : robot_(robot),
      edit_(options.mode == Mode::lenient ? edit : nullptr),
      cut_(edit),
      options_(options),
      found_(options.mode == Mode::strict, options.mode == Mode::lenient),
      drop_link_(robot.links.size(), 0),
      drop_joint_(robot.joints.size(), 0),
      drop_motor_(robot.motors.size(), 0),
      drop_exclusion_(robot.contact_exclusions.size(), 0) {}

Diagnostic Checker::at_link(Index link, const char* code, const char* below) const {
  return at(robot_.links[link].place, "link", robot_.links[link].name, code, below);
}
Diagnostic Checker::at_joint(Index joint, const char* code, const char* below) const {
  return at(robot_.joints[joint].place, "joint", robot_.joints[joint].name, code, below);
}

const std::vector<std::string>& Checker::link_names() {
  if (link_names_.empty())
    for (const LinkDescription& link : robot_.links) link_names_.push_back(link.name);
  return link_names_;
}
const std::vector<std::string>& Checker::joint_names() {
  if (joint_names_.empty())
    for (const JointDescription& joint : robot_.joints) joint_names_.push_back(joint.name);
  return joint_names_;
}

Diagnostics Checker::run() {
  if (robot_.links.empty()) {
    Diagnostic d;
    d.code = "E_EMPTY";
    d.path = "robot";
    d.found = "no links";
    d.expected = "at least one link";
    found_.add(Weight::refuse, d);
    return found_.take();
  }
  names();
  types();
  ends();
  choose_carriers();
  two_parents();
  cycles();
  loops();
  roots();
  inertias();
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) joint_values(j);
  mimics();
  user_frames();
  motors();
  exclusions();
  if (edit_ && !found_.refused()) apply_drops();
  return found_.take();
}

void Checker::name_text(const char* kind, const std::string& name, const SourcePlace& place) {
  const bool sized = !name.empty() && name.size() <= k_longest_name;
  const char* odd = sized ? odd_character(name) : nullptr;
  if (sized && !odd && name.front() != ' ' && name.back() != ' ') return;
  Diagnostic d = at(place, kind, name, "E_NAME");
  d.expected = "a name of 1 to " + std::to_string(k_longest_name) + " bytes";
  d.found = quoted(name);
  if (!sized) {
    if (name.empty()) d.found = "an empty name";
    found_.add(Weight::refuse, d);
  } else if (odd) {
    d.expected = "a name of visible characters without quotation marks";
    d.hint = std::string("it holds ") + odd;
    found_.add(Weight::repairable, d);
  } else {
    d.code = "W_NAME";
    d.expected = "a name without blanks at its ends";
    found_.add(Weight::warn, d);
  }
}

template <class Items>
void Checker::unique(const char* kind, const Items& items, Index index, const SourcePlace& place, NameTable& seen) {
  const std::string& name = items[static_cast<std::size_t>(index)].name;
  const Index first = seen.add(items, index);
  if (first == index || name.empty()) return;
  Diagnostic d = at(place, kind, name, "E_DUPLICATE");
  d.found = std::string("a second ") + kind + " named " + quoted(name);
  d.expected = "one name for one element";
  const SourcePlace* before = nullptr;
  if (std::string_view(kind) == "link") before = &robot_.links[first].place;
  if (std::string_view(kind) == "joint") before = &robot_.joints[first].place;
  if (before && before->line > 0)
    d.hint =
        "the first is in line " + std::to_string(before->line) + ", this one in line " + std::to_string(place.line);
  found_.add(Weight::refuse, d);
}

void Checker::names() {
  link_index_.reserve(robot_.links.size());
  joint_index_.reserve(robot_.joints.size());
  for (Index i = 0; i < static_cast<Index>(robot_.links.size()); ++i) {
    const LinkDescription& link = robot_.links[i];
    name_text("link", link.name, link.place);
    unique("link", robot_.links, i, link.place, link_index_);
    shapes(link);
  }
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) {
    const JointDescription& joint = robot_.joints[j];
    name_text("joint", joint.name, joint.place);
    unique("joint", robot_.joints, j, joint.place, joint_index_);
    rotation("joint", joint.name, joint.place, joint.origin);
    rotation("joint", joint.name, joint.place, joint.child_origin);
    for (const JointPart& part : joint.parts) rotation("joint", joint.name, joint.place, part.origin);
  }
  if (root_is_fixed()) return;
  const Index clash = joint_index_.find(robot_.joints, options_.root_joint);
  if (clash < 0) return;
  Diagnostic d = at_joint(clash, "E_DUPLICATE");
  d.found = "a joint named " + quoted(options_.root_joint) + ", the name of the joint that loading adds at the root";
  d.hint = "give the root joint another name (root_joint), or set root to automatic";
  found_.add(Weight::refuse, d);
}

/// A frame hangs on a link or on another frame; frames are joined to a forest rooted in links.
void Checker::user_frames() {
  const Index n = static_cast<Index>(robot_.frames.size());
  NameTable seen;
  std::vector<Index> up(n, -1);
  for (Index i = 0; i < n; ++i) {
    const FrameDescription& frame = robot_.frames[i];
    name_text("frame", frame.name, {});
    unique("frame", robot_.frames, i, {}, seen);
    rotation("frame", frame.name, {}, frame.placement);
    if (link_index_.find(robot_.links, frame.name) < 0) continue;
    Diagnostic d = at({}, "frame", frame.name, "E_DUPLICATE");
    d.found = "a frame with the name of a link";
    found_.add(Weight::refuse, d);
  }
  for (Index i = 0; i < n; ++i) {
    const FrameDescription& frame = robot_.frames[i];
    if (link_index_.find(robot_.links, frame.parent) >= 0) continue;
    up[i] = seen.find(robot_.frames, frame.parent);
    if (up[i] >= 0) continue;
    Diagnostic d = at({}, "frame", frame.name, "E_LINK", "parent");
    d.found = quoted(frame.parent);
    d.expected = "a link or a frame of this robot";
    d.hint = found_.did_you_mean(frame.parent, link_names());
    found_.add(Weight::refuse, d);
  }
  std::vector<char> state(n, 0);  // 0 new, 1 on the walk, 2 done
  for (Index start = 0; start < n; ++start) {
    Index i = start;
    for (; i >= 0 && state[i] == 0; i = up[i]) state[i] = 1;
    if (i >= 0 && state[i] == 1) {
      Diagnostic d = at({}, "frame", robot_.frames[i].name, "E_CYCLE");
      d.found = quoted(robot_.frames[i].name);
      for (Index k = up[i];; k = up[k]) {
        d.found += " -> " + quoted(robot_.frames[k].name);
        if (k == i) break;
      }
      d.expected = "frames that end in a link";
      found_.add(Weight::refuse, d);
    }
    for (i = start; i >= 0 && state[i] == 1; i = up[i]) state[i] = 2;
  }
}

/// Sizes are finite. A colour is known as a whole, or not at all.
void Checker::shape_numbers(const LinkDescription& link, const Shape& shape) {
  const auto all = [](std::span<const double> x, bool (*is)(double)) { return std::all_of(x.begin(), x.end(), is); };
  const auto finite = [](double x) { return std::isfinite(x); };
  const auto refuse = [&](const char* attribute, std::span<const double> x, const char* expected) {
    Diagnostic d = at(link.place, "link", link.name, "E_NUMBER", attribute);
    for (const double number : x) d.found += (d.found.empty() ? "" : " ") + number_text(number);
    if (!shape.name.empty()) d.found += " of shape " + quoted(shape.name);
    d.expected = expected;
    found_.add(Weight::refuse, d);
  };
  if (!all(shape.size, finite)) refuse("size", shape.size, "finite numbers");
  if (!all(shape.colour, finite) && !all(shape.colour, [](double x) { return std::isnan(x); }))
    refuse("colour", shape.colour, "four finite numbers, or none");
}

void Checker::shapes(const LinkDescription& link) {
  for (const Shape& shape : link.shapes) {
    rotation("link", link.name, link.place, shape.origin);
    shape_numbers(link, shape);
    const ContactData& c = shape.contact;
    for (const double x : {c.friction[0], c.friction[1], c.friction[2], std::isnan(c.margin) ? unlimited : c.margin}) {
      if (!std::isinf(x)) continue;
      Diagnostic d = at(link.place, "link", link.name, "E_NUMBER", "contact");
      d.found = "friction or margin of a shape that is not finite";
      d.expected = "finite numbers";
      found_.add(Weight::refuse, d);
      break;
    }
  }
}

/// Data that belongs to joints: each motor names one that is there.
void Checker::motors() {
  NameTable seen;
  seen.reserve(robot_.motors.size());
  for (std::size_t i = 0; i < robot_.motors.size(); ++i) {
    const MotorDescription& motor = robot_.motors[i];
    name_text("motor", motor.name, motor.place);
    unique("motor", robot_.motors, static_cast<Index>(i), motor.place, seen);
    const bool bounds_are_numbers = !std::isinf(motor.control_lower) && !std::isinf(motor.control_upper) &&
                                    !std::isinf(motor.force_lower) && !std::isinf(motor.force_upper);
    if (!std::isfinite(motor.gear) || !bounds_are_numbers) {
      Diagnostic d = at(motor.place, "motor", motor.name, "E_NUMBER");
      d.found = std::isfinite(motor.gear) ? "a bound that is infinite" : "gear " + number_text(motor.gear);
      d.expected = "a finite gear, and bounds that are finite or unknown";
      found_.add(Weight::refuse, d);
    }
    const Index joint = joint_index_.find(robot_.joints, motor.joint);
    if (joint >= 0) {
      drop_motor_[i] = drop_joint_[joint];
      continue;
    }
    Diagnostic d = at(motor.place, "motor", motor.name, "E_MOTOR", "joint");
    d.found = quoted(motor.joint);
    d.expected = "a joint of this robot";
    d.hint = found_.did_you_mean(motor.joint, joint_names());
    found_.add(Weight::repairable, d);
    drop_motor_[i] = 1;
  }
}

/// Pairs of links that are there.
void Checker::exclusions() {
  for (std::size_t i = 0; i < robot_.contact_exclusions.size(); ++i) {
    const ContactExclusion& pair = robot_.contact_exclusions[i];
    for (const std::string* link : {&pair.first, &pair.second}) {
      const Index at_link = link_index_.find(robot_.links, *link);
      if (at_link >= 0) {
        drop_exclusion_[i] |= drop_link_[at_link];
        continue;
      }
      Diagnostic d = at({}, "contact_exclusion", pair.first + ", " + pair.second, "E_LINK");
      d.found = quoted(*link);
      d.expected = "a link of this robot";
      d.hint = found_.did_you_mean(*link, link_names());
      found_.add(Weight::repairable, d);
      drop_exclusion_[i] = 1;
    }
  }
}

void Checker::apply_drops() {
  // Frames of a dropped link go with it; a frame on a frame follows its parent,
  // in at most as many rounds as frames nest.
  std::vector<char> drop_frame(edit_->frames.size(), 0);
  NameTable frame_index;
  for (std::size_t i = 0; i < edit_->frames.size(); ++i) frame_index.add(edit_->frames, static_cast<Index>(i));
  std::vector<Index> walk;
  std::vector<char> known(edit_->frames.size(), 0);
  for (Index start = 0; start < static_cast<Index>(edit_->frames.size()); ++start) {
    char gone = 0;
    for (Index i = start;;) {
      if (known[i]) {
        gone = drop_frame[i];
        break;
      }
      walk.push_back(i);
      const Index link = link_index_.find(robot_.links, edit_->frames[i].parent);
      if (link >= 0) {
        gone = drop_link_[link];
        break;
      }
      i = frame_index.find(edit_->frames, edit_->frames[i].parent);
      if (i < 0) break;
    }
    for (const Index i : walk) {
      drop_frame[i] = gone;
      known[i] = 1;
    }
    walk.clear();
  }
  erase_marked(edit_->frames, drop_frame);
  erase_marked(edit_->links, drop_link_);
  erase_marked(edit_->joints, drop_joint_);
  erase_marked(edit_->motors, drop_motor_);
  erase_marked(edit_->contact_exclusions, drop_exclusion_);
}

}  // namespace detail

Diagnostics check(const RobotDescription& robot, const BuildOptions& options) {
  return detail::Checker(robot, nullptr, options).run();
}

Diagnostics repair(RobotDescription& robot, const BuildOptions& options) {
  return detail::Checker(robot, &robot, options).run();
}

bool refused(const Diagnostics& found) {
  return std::any_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace zwang
