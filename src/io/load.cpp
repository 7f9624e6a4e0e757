// SPDX-License-Identifier: BSD-3-Clause
// load, load_robot, read_urdf, check_robot and their forms for texts: the reader of a file's root element, then the
// model, then what is bound to it.
#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "io/document_robot.hpp"
#include "io/readers.hpp"
#include "io/srdf_reader.hpp"
#include "zwang/io/robot.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/check.hpp"
#include "zwang/model/joint_info.hpp"

namespace zwang {
namespace io {
namespace {

using detail::Weight;

/// Everything that load, read and check share: findings first, then the robot.
class Reading {
 public:
  /// `only`: the root element that is wanted; empty: that of any reader.
  static Reading of_file(const std::string& path, const LoadOptions& options, const char* only = "") {
    Reading r(options, only);
    std::string text;
    if (read_text(path, options.limits.file_bytes, text, r.found_)) {
      r.open(std::move(text), path, path);
    } else {
      r.found = r.found_.take();
    }
    return r;
  }
  static Reading of_text(const std::string& text, const LoadOptions& options, const char* only = "");

  RobotDocument robot;
  std::optional<Robot> whole;  ///< of a JSON or CBOR document, in place of `robot`
  Diagnostics found;
  bool good() const { return !refused(found); }
  /// Constraints that a Model alone does not keep: N_CONSTRAINTS, which refuses in strict mode.
  void note_constraints();
  /// Every rooted document: a word of LoadOptions::root that is none is refused, one without effect is W_ROOT.
  void check_root();
  /// Adds what check or build found; places become those of the elements.
  void append(Diagnostics more);
  BuildOptions build_options() const;

 private:
  Reading(const LoadOptions& options, const char* only) : options_(&options), only_(only) {}
  void open(std::string text, const std::string& file, const std::string& path) {
    file_ = file;
    if (is_document(text)) return open_document(text);
    document_ = std::make_unique<XmlDocument>(std::move(text), file, path, options_->limits, found_);
    if (document_->parse())
      if (const Reader* reader = reader_of()) {
        robot = reader->read(*document_, *options_, found_);
        add_srdf();
      }
    if (robot.rooted) check_root();
    found = found_.take();
  }
  void open_document(const std::string& text);
  const Reader* reader_of();
  /// Adds what the SRDF of the options says, where there is one.
  void add_srdf();

  const LoadOptions* options_;
  std::string_view only_;
  std::string file_;
  detail::Findings found_{options_->mode == Mode::strict, options_->mode == Mode::lenient};
  std::unique_ptr<XmlDocument> document_;
};

void Reading::open_document(const std::string& text) {
  Diagnostics built;
  if (only_.empty()) {
    whole = read_document(text, file_, *options_, found_, built);
  } else {
    Diagnostic d;
    d.code = "E_FORMAT";
    d.file = file_;
    d.line = d.column = 1;
    d.found = "a document";
    d.expected = "the XML of a robot";
    d.hint = "load and load_robot read documents";
    found_.add(Weight::refuse, d);
  }
  found = found_.take();
  append(std::move(built));
}

Reading Reading::of_text(const std::string& text, const LoadOptions& options, const char* only) {
  Reading r(options, only);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // No XML begins with a letter, a slash or a point: this is the name of a file, or another text altogether.
  const bool named = first != std::string::npos && text.find_first_of("<{") == std::string::npos &&
                     static_cast<unsigned char>(text[first]) < 0x80 && !is_document(text);
  if (named && options.file_name.empty()) {
    Diagnostic d;
    d.code = "E_XML";
    d.found = "no XML";
    d.expected = "the text of a robot";
    d.hint = "load reads a file by its name";
    d.line = d.column = 1;
    r.found_.add(Weight::refuse, d);
    r.found = r.found_.take();
    return r;
  }
  r.open(text, options.file_name, "");
  return r;
}

void Reading::add_srdf() {
  if (options_->srdf.empty() && options_->srdf_text.empty()) return;
  if (!options_->srdf.empty() && !options_->srdf_text.empty())
    throw std::invalid_argument("load: srdf and srdf_text are given; a robot has one SRDF");
  std::string text = options_->srdf_text;
  if (!options_->srdf.empty() && !read_text(options_->srdf, options_->limits.file_bytes, text, found_)) return;
  XmlDocument srdf(std::move(text), options_->srdf.empty() ? "srdf_text" : options_->srdf, options_->srdf,
                   options_->limits, found_);
  if (!srdf.parse()) return;
  if (srdf.seen().root == "robot" && !srdf.root().child("link"))
    read_srdf(srdf, *options_, robot, found_);
  else if (srdf.seen().root == "robot")
    srdf.refuse("E_FORMAT", srdf.seen().root_offset, "<robot> with links, which is a URDF", "<robot> of an SRDF", "");
  else
    srdf.refuse("E_FORMAT", srdf.seen().root_offset, '<' + detail::excerpt(srdf.seen().root, 60) + '>',
                "<robot>: an SRDF", "");
}

const Reader* Reading::reader_of() {
  const ScanResult& seen = document_->seen();
  const auto is = [&](const auto& entry) { return seen.root == entry.root; };
  const auto reader = std::find_if(std::begin(k_readers), std::end(k_readers), is);
  if (seen.root == "robot" && is_srdf(document_->root())) {
    document_->refuse("E_FORMAT", seen.root_offset, "<robot> without links, which is an SRDF", "<robot> of a URDF",
                      "load the URDF, with this file as its srdf");
    return nullptr;
  }
  if (reader != std::end(k_readers) && (only_.empty() || only_ == reader->root)) return reader;
  const auto known = std::find_if(std::begin(k_not_read), std::end(k_not_read), is);
  std::string what = '<' + detail::excerpt(seen.root, 60) + '>', expected = "<robot>: a URDF",
              hint = "is this a robot?";
  if (reader != std::end(k_readers)) {
    what += std::string(", which is ") + reader->format;
    hint = "load reads it";
  } else if (known != std::end(k_not_read)) {
    what += std::string(", which is ") + known->is;
    hint = known->hint;
  }
  if (only_.empty())
    for (const Reader& r : k_readers)
      if (r.root != std::string_view("robot")) expected += std::string(", <") + r.root + ">: " + r.format;
  document_->refuse("E_FORMAT", seen.root_offset, what, expected, hint);
  return nullptr;
}

void Reading::check_root() {
  const std::string& root = options_->root;
  if (root == "automatic" || root == "auto" || root == "fixed") return;
  Diagnostic d;
  d.file = document_->file();
  d.path = "root";
  d.found = detail::quoted(root);
  const bool known = find_joint_type(root) != nullptr || root == "continuous";
  if (known && robot.uses_root) return;
  if (known) {
    d.code = "W_ROOT";
    d.expected = "automatic or fixed";
    d.hint = "it has no effect: the file itself says what floats";
  } else {
    d.code = "E_JOINT_TYPE";
    d.expected = "automatic, fixed or a joint type";
    d.hint = found_.did_you_mean(root, joint_type_names());
  }
  found_.add(known ? Weight::warn : Weight::refuse, d);
}

void Reading::note_constraints() {
  constexpr std::size_t k_named = 8;
  std::vector<std::string> names;
  if (whole)
    for (const Constraint& c : whole->constraints.constraints()) names.push_back(c.name);
  if (options_->loops != ClosedLoops::constraints)
    for (const JointDescription& j : robot.robot.joints)
      if (j.closes_loop) names.push_back(j.name);
  for (const DescribedConstraint& c : robot.constraints)
    names.push_back(std::visit([](const auto& rows) { return rows.name; }, c.rows));
  if (names.empty()) return;
  Diagnostic d;
  d.severity = options_->mode == Mode::strict ? Severity::error : Severity::note;
  d.code = "N_CONSTRAINTS";
  d.file = file_;
  d.path = whole ? "constraints" : document_->seen().root;
  d.found = "the file has " + std::to_string(names.size()) + (names.size() == 1 ? " constraint (" : " constraints (");
  for (std::size_t k = 0; k < std::min(names.size(), k_named); ++k)
    d.found += (k > 0 ? ", " : "") + detail::excerpt(names[k], 60);
  d.found += names.size() > k_named ? ", ...)" : ")";
  d.hint = "load_robot gives them; a Model alone moves without them";
  found.push_back(std::move(d));
}

void Reading::append(Diagnostics more) {
  if (document_) document_->refine(more);
  found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  // The main file first, each in its own order; what has no place stays at the end.
  const std::string& main = file_;
  const auto key = [&](const Diagnostic& d) {
    const int part = d.line <= 0 ? 2 : d.file == main ? 0 : 1;
    return std::tuple(part, part == 1 ? std::string_view(d.file) : std::string_view(), part == 2 ? 0L : long{d.line});
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

BuildOptions Reading::build_options() const {
  BuildOptions o = *options_;
  const Vec3<double> standard = BuildOptions().gravity, &given = o.gravity;
  const bool as_it_is = given.x == standard.x && given.y == standard.y && given.z == standard.z;
  if (robot.gravity && options_->file_gravity && as_it_is) o.gravity = *robot.gravity;
  if (robot.rooted) o.root = "fixed";
  return o;
}

[[noreturn]] void refuse(const Reading& reading, Diagnostics* found) {
  if (found) *found = reading.found;
  throw ModelError(reading.found);
}

Model build_from(Reading& reading, Diagnostics* found) {
  if (!reading.good()) refuse(reading, found);
  if (reading.whole) return reading.whole->model;
  Diagnostics more;
  try {
    Model model = build(std::move(reading.robot.robot), reading.build_options(), &more);
    reading.append(std::move(more));
    return model;
  } catch (const ModelError& error) { reading.append(error.diagnostics()); }
  refuse(reading, found);
}

Model model_from(Reading reading, Diagnostics* found) {
  if (reading.good()) reading.note_constraints();
  Model model = build_from(reading, found);
  if (found) *found = std::move(reading.found);
  return model;
}

/// Adds the rows of the file; what cannot be bound is an error at its place.
void bind_rows(const std::vector<DescribedConstraint>& described, ConstraintSet& set, Diagnostics& found) {
  const auto add = [&](const SourcePlace& place, auto&& rows) {
    try {
      rows();
    } catch (const std::invalid_argument& error) {
      Diagnostic d;
      d.code = "E_CONSTRAINT";
      d.file = place.file;
      d.line = place.line;
      d.column = place.column;
      d.path = place.path;
      d.found = error.what();
      d.expected = "rows between frames and coordinates of this robot";
      found.push_back(std::move(d));
    }
  };
  for (const Loop& loop : set.model().loops())
    add(loop.description.place, [&] { set.add(loop_constraint(set.model(), loop)); });
  for (const DescribedConstraint& c : described)
    add(c.place, [&] { std::visit([&](const auto& rows) { set.add(rows); }, c.rows); });
}

Configuration bound(const Model& model, const DescribedConfiguration& described) {
  Configuration c{.name = described.name,
                  .q = std::vector<double>(static_cast<std::size_t>(model.nq())),
                  .v = std::vector<double>(static_cast<std::size_t>(model.nv()))};
  Eigen::Map<Eigen::VectorXd> q(c.q.data(), model.nq());
  neutral(model, q);
  for (const JointState& s : described.joints) {
    const JointId id = model.find_joint(s.joint);
    if (!id) continue;
    const Joint& j = model.joints()[static_cast<std::size_t>(id.value)];
    if (!j.mimic.leader.empty()) continue;  // its leader's numbers are there already
    if (static_cast<Index>(s.q.size()) == j.q.size) std::copy(s.q.begin(), s.q.end(), c.q.begin() + j.q.first);
    if (static_cast<Index>(s.v.size()) == j.v.size) std::copy(s.v.begin(), s.v.end(), c.v.begin() + j.v.first);
  }
  return c;
}

Robot robot_from(Reading reading, Diagnostics* found) {
  const std::vector<DescribedConstraint> described = std::move(reading.robot.constraints);
  Model model = build_from(reading, found);
  if (reading.whole) {
    if (found) *found = std::move(reading.found);
    return std::move(*reading.whole);
  }
  Robot robot{model, ConstraintSet(model), {}};
  Diagnostics more;
  bind_rows(described, robot.constraints, more);
  reading.append(std::move(more));
  if (!reading.good()) refuse(reading, found);
  std::vector<DescribedConfiguration>& states = reading.robot.configurations;
  if (std::none_of(states.begin(), states.end(), [](const auto& c) { return c.name == "file"; }))
    states.insert(states.begin(), {.name = "file"});
  for (const DescribedConfiguration& c : states) robot.configurations.push_back(bound(model, c));
  if (found) *found = std::move(reading.found);
  return robot;
}

RobotDescription description_from(Reading reading, Diagnostics* found) {
  if (reading.good()) reading.note_constraints();
  if (found) *found = reading.found;
  if (!reading.good()) throw ModelError(std::move(reading.found));
  return std::move(reading.robot.robot);
}

Diagnostics findings_from(Reading reading) {
  if (reading.good()) reading.note_constraints();
  if (reading.good()) reading.append(check(reading.robot.robot, reading.build_options()));
  return std::move(reading.found);
}

/// What load_robot would find: rows are bound where there are any, which takes the model.
Diagnostics findings_of_robot(Reading reading) {
  if (reading.whole) return std::move(reading.found);
  if (reading.good()) reading.append(check(reading.robot.robot, reading.build_options()));
  const auto closes = [](const JointDescription& j) { return j.closes_loop; };
  const std::vector<JointDescription>& joints = reading.robot.robot.joints;
  const bool has_rows = !reading.robot.constraints.empty() || std::any_of(joints.begin(), joints.end(), closes);
  if (!reading.good() || !has_rows) return std::move(reading.found);
  Diagnostics more;
  try {
    ConstraintSet set(build(std::move(reading.robot.robot), reading.build_options()));
    bind_rows(reading.robot.constraints, set, more);
  } catch (const ModelError& error) {  // of limits that build alone knows
    for (const Diagnostic& d : error.diagnostics())
      if (d.severity == Severity::error) more.push_back(d);
  }
  reading.append(std::move(more));
  return std::move(reading.found);
}

}  // namespace
}  // namespace io

using io::Reading;

Model load(const std::string& path) { return load(path, LoadOptions(), nullptr); }

Model load(const std::string& path, const LoadOptions& options, Diagnostics* found) {
  return io::model_from(Reading::of_file(path, options), found);
}
Model loads(const std::string& text, const LoadOptions& options, Diagnostics* found) {
  return io::model_from(Reading::of_text(text, options), found);
}
Robot load_robot(const std::string& path, const LoadOptions& options, Diagnostics* found) {
  return io::robot_from(Reading::of_file(path, options), found);
}
Robot loads_robot(const std::string& text, const LoadOptions& options, Diagnostics* found) {
  return io::robot_from(Reading::of_text(text, options), found);
}
Diagnostics check_robot(const std::string& path, const LoadOptions& options) {
  return io::findings_of_robot(Reading::of_file(path, options));
}
Diagnostics check_robot_text(const std::string& text, const LoadOptions& options) {
  return io::findings_of_robot(Reading::of_text(text, options));
}
RobotDescription read_urdf(const std::string& path, const LoadOptions& options, Diagnostics* found) {
  return io::description_from(Reading::of_file(path, options, "robot"), found);
}
RobotDescription parse_urdf(const std::string& text, const LoadOptions& options, Diagnostics* found) {
  return io::description_from(Reading::of_text(text, options, "robot"), found);
}
Diagnostics check_urdf(const std::string& path, const LoadOptions& options) {
  return io::findings_from(Reading::of_file(path, options, "robot"));
}
Diagnostics check_urdf_text(const std::string& text, const LoadOptions& options) {
  return io::findings_from(Reading::of_text(text, options, "robot"));
}

}  // namespace zwang
