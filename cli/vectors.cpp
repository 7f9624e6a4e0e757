// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <unordered_map>

#include "failure.hpp"
#include "numbers.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/path/position_limits.hpp"

namespace zwang::cli {
namespace {

Index size_of(const Model& model, VectorKind kind) {
  return kind == VectorKind::configuration ? model.nq() : model.nv();
}

/// Which entries belong to which joint. Entries are given by `joint` (with one coordinate) or `joint[k]`.
class Coordinates {
 public:
  Coordinates(const Model& model, VectorKind kind, std::string what)
      : what_(std::move(what)),
        values_(default_vector(model, kind)) {
    given_.resize(static_cast<std::size_t>(values_.size()), false);
    for (const Joint& joint : model.joints()) {
      const Range range = kind == VectorKind::configuration ? joint.q : joint.v;
      joints_.emplace(joint.name, Entry{range, joint.mimic.leader});
      if (range.size > 0 && joint.mimic.leader.empty()) names_.push_back(joint.name);
    }
  }

  void set(const std::string& name, double value) {
    const auto whole = joints_.find(name);
    if (whole != joints_.end()) {
      const Range range = checked(name, whole->second);
      if (range.size != 1)
        fail("joint '" + name + "' has " + std::to_string(range.size) + " coordinates: say " + name +
             "[0]=..., or give an array in JSON");
      return put(name, range.first, value);
    }
    const std::size_t open = name.rfind('[');
    int k = -1;
    if (open != std::string::npos && name.back() == ']') {
      const char *begin = name.data() + open + 1, *end = name.data() + name.size() - 1;
      if (std::from_chars(begin, end, k).ptr != end || begin == end) k = -1;
    }
    const std::string joint = k < 0 ? name : name.substr(0, open);
    const Range range = find(joint);
    if (k < 0 || k >= range.size)
      fail("joint '" + joint + "' has " + std::to_string(range.size) + " coordinates; got '" + printable(name) + "'");
    put(name, range.first + k, value);
  }
  void set(const std::string& name, const std::vector<double>& values) {
    const Range range = find(name);
    if (static_cast<Index>(values.size()) != range.size)
      fail("joint '" + name + "' has " + std::to_string(range.size) + " coordinates, got " +
           std::to_string(values.size()));
    for (Index k = 0; k < range.size; ++k) put(name, range.first + k, values[static_cast<std::size_t>(k)]);
  }
  const Eigen::VectorXd& values() const { return values_; }

 private:
  struct Entry {
    Range range;
    std::string leader;
  };
  Range find(const std::string& name) const {
    const auto it = joints_.find(name);
    if (it != joints_.end()) return checked(name, it->second);
    const std::string near = nearest_name(name, names_);
    std::string known;
    if (near.empty() && names_.size() <= 30)
      for (const std::string& one : names_) known += (known.empty() ? "; known are " : ", ") + one;
    fail("there is no joint '" + printable(name) + "'" + (near.empty() ? known : ", did you mean '" + near + "'?"));
  }
  Range checked(const std::string& name, const Entry& entry) const {
    if (entry.range.size == 0) fail("joint '" + name + "' is fixed: it has no coordinate");
    if (!entry.leader.empty() && std::find(names_.begin(), names_.end(), name) == names_.end())
      fail("joint '" + name + "' mimics '" + entry.leader + "': it has no coordinate of its own");
    return entry.range;
  }
  void put(const std::string& name, Index k, double value) {
    const std::size_t entry = static_cast<std::size_t>(k);
    if (given_[entry]) fail("'" + printable(name) + "' is given twice");
    given_[entry] = true;
    values_[k] = value;
  }
  [[noreturn]] void fail(const std::string& text) const { throw UsageError(what_ + ": " + text); }

  std::string what_;
  Eigen::VectorXd values_;
  std::vector<bool> given_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Entry> joints_;
};

Eigen::VectorXd checked(const Model& model, VectorKind kind, const std::string& what, const std::vector<double>& x) {
  const Index size = size_of(model, kind);
  if (static_cast<Index>(x.size()) != size)
    throw UsageError(what + ": got " + std::to_string(x.size()) + (x.size() == 1 ? " number" : " numbers") +
                     ", expected " + std::to_string(size) + " (zwang info shows the order)");
  return Eigen::Map<const Eigen::VectorXd>(x.data(), size);
}

Diagnostics asked;
bool says_questions = false;

void ask_for_degrees(const Model& model, const std::string& what, const Eigen::VectorXd& q) {
  const std::string question = question_of_degrees(model, q);
  if (question.empty()) return;
  const std::string text = what + ": " + question;
  for (const Diagnostic& d : asked)
    if (d.found == text) return;
  Diagnostic d{.severity = Severity::warning, .code = "W_DEGREES"};
  d.found = text;
  d.hint = "angles are in rad";
  asked.push_back(d);
  if (says_questions) std::fputs(("warning: " + d.text() + "\n").c_str(), stderr);
}

/// Quaternions must have unit length; the complaint is the library's, which names the joint.
Eigen::VectorXd checked(const Model& model, VectorKind kind, const std::string& what, const Eigen::VectorXd& x) {
  if (kind != VectorKind::configuration) return x;
  read_option(what, [&] { check_configuration(model, x); });
  ask_for_degrees(model, what, x);
  return x;
}

Eigen::VectorXd random_vector(const Model& model, VectorKind kind, const std::string& what, std::string_view digits) {
  std::uint64_t seed = 0;
  const std::from_chars_result r = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || r.ec != std::errc() || r.ptr != digits.data() + digits.size())
    throw UsageError(what + ": got the seed '" + printable(std::string(digits)) +
                     "', expected a whole number from 0 to 2^64 - 1");
  if (kind == VectorKind::configuration) return zwang::random(model, seed);
  Random random(seed, static_cast<std::uint64_t>(kind));  // a stream of its own for v, a and tau
  const double scale = kind == VectorKind::torque ? 10 : 1;
  Eigen::VectorXd x(model.nv());
  for (Index k = 0; k < model.nv(); ++k) {
    x[k] = random.uniform(-scale, scale);
    if (kind == VectorKind::torque && !model.actuated()[static_cast<std::size_t>(k)]) x[k] = 0;  // no motor, no torque
  }
  return x;
}

Eigen::VectorXd read_pairs(const Model& model, VectorKind kind, const std::string& what, const std::string& text) {
  Coordinates coordinates(model, kind, what);
  for (const std::string_view part : split_at_commas(text)) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string_view::npos)
      throw UsageError(what + ": got '" + printable(std::string(part)) + "' among pairs, expected joint=number");
    const std::string name(part.substr(0, equals));
    coordinates.set(name, read_number(what + ": " + printable(name), part.substr(equals + 1)));
  }
  return coordinates.values();
}

Eigen::VectorXd read_json_vector(const Model& model, VectorKind kind, const Node& node) {
  if (node.is_array()) return checked(model, kind, node.where(), node.numbers());
  if (!node.is_object()) node.expected("an array of numbers or an object from joints to numbers");
  Coordinates coordinates(model, kind, node.where());
  for (const std::string& name : node.keys()) {
    const Node entry = node[name.c_str()];
    if (entry.is_array()) {
      coordinates.set(name, entry.numbers());
    } else {
      coordinates.set(name, entry.number());
    }
  }
  return coordinates.values();
}

}  // namespace

Eigen::VectorXd default_vector(const Model& model, VectorKind kind) {
  return kind == VectorKind::configuration ? zwang::neutral(model) : zwang::zero(model);
}

Eigen::VectorXd read_vector(const Model& model, VectorKind kind, const std::string& what, const std::string& text,
                            const std::string& folder) {
  if (text == "zero") return default_vector(model, kind);
  if (text == "neutral") {
    if (kind == VectorKind::configuration) return default_vector(model, kind);
    throw UsageError(what + ": neutral is a configuration; say zero");
  }
  if (text.compare(0, 7, "random:") == 0) return random_vector(model, kind, what, std::string_view(text).substr(7));
  if (!text.empty() && text[0] == '@') {
    const std::string path = join_path(folder, text.substr(1));
    const JsonDocument document = read_json_file(path);
    return checked(model, kind, what, read_json_vector(model, kind, document.root()));
  }
  if (text.find('=') != std::string::npos) return checked(model, kind, what, read_pairs(model, kind, what, text));
  if (text.empty() && size_of(model, kind) == 0) return default_vector(model, kind);
  if (text.rfind("random", 0) == 0)
    throw UsageError(what + ": got '" + printable(text) + "', expected random:SEED with a whole number, as random:1");
  const std::string near = nearest_name(text, {"zero", "neutral"});
  if (!near.empty()) throw UsageError(what + ": got '" + printable(text) + "', did you mean '" + near + "'?");
  if (text.find(',') == std::string::npos && !text.empty() && text.find_first_of("0123456789") == std::string::npos)
    throw UsageError(what + ": got '" + printable(text) +
                     "', expected numbers separated by commas, joint=number pairs, " +
                     (kind == VectorKind::configuration ? "neutral" : "zero") + ", random:SEED, or @file.json");
  return checked(model, kind, what, checked(model, kind, what, read_numbers(what, text)));
}

Eigen::VectorXd read_vector(const Model& model, VectorKind kind, const Node& node, const std::string& folder) {
  if (node.is_text()) return read_vector(model, kind, node.where(), node.text(), folder);
  return checked(model, kind, node.where(), read_json_vector(model, kind, node));
}

std::string join_path(const std::string& folder, const std::string& name) {
  return name.empty() || name[0] == '/' ? name : folder + name;
}
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

JointEffects effects_of(const std::string& option, const std::string& words) {
  JointEffects e{.armature = false, .damping = false, .springs = false, .friction = false, .gravity_scale = false};
  for (const std::string_view word : split_at_commas(words)) {
    if (word == "armature")
      e.armature = true;
    else if (word == "damping")
      e.damping = true;
    else if (word == "springs")
      e.springs = true;
    else if (word == "friction")
      e.friction = true;
    else if (word == "gravity_scale")
      e.gravity_scale = true;
    else if (word != "none")
      throw UsageError(option + ": got '" + printable(std::string(word)) +
                       "', expected some of armature,damping,springs,friction,gravity_scale, or none");
  }
  return e;
}

const Diagnostics& questions() { return asked; }
void say_questions(bool on) { says_questions = on; }

}  // namespace zwang::cli
