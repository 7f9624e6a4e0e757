// SPDX-License-Identifier: BSD-3-Clause
// load, loads, read_urdf, parse_urdf, check_urdf: from a file or a text to findings, a description or a model.
#include "zwang/io/urdf.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>

#include "io/urdf_reader.hpp"
#include "io/xml_scan.hpp"
#include "zwang/model/check.hpp"

namespace zwang {
namespace io {
namespace {

using detail::Weight;

/// A text with its tree. Elements of the tree know where in the text they stand.
class Document {
 public:
  Document(std::string text, std::string file, std::string folder_of, const LoadOptions& options,
           detail::Findings& found)
      : text_(std::move(text)),
        file_(std::move(file)),
        folder_of_(std::move(folder_of)),
        options_(options),
        found_(found),
        lines_(open()) {}

  /// False, with a finding, where this is not a URDF.
  bool parse();
  RobotDescription read() {
    return UrdfReader(tree_.document_element(), lines_, file_, folder_of_, options_, found_).read(seen_);
  }
  /// Findings about a joint or link whose path ends in one of its elements get that element's line and column.
  void refine(Diagnostics& found) const;

 private:
  LineIndex open() {
    decoded_ = decode(text_, file_, found_);
    return LineIndex(text_);
  }
  bool refuse(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
              const std::string& hint);
  bool is_urdf();

  std::string text_, file_, folder_of_;
  const LoadOptions& options_;
  detail::Findings& found_;
  bool decoded_ = false;
  LineIndex lines_;
  ScanResult seen_;
  pugi::xml_document tree_;
};

bool Document::refuse(const char* code, std::size_t offset, const std::string& what, const std::string& expected,
                      const std::string& hint) {
  const LineIndex::Place place = lines_.at(offset);
  Diagnostic d;
  d.code = code;
  d.file = file_;
  d.line = place.line;
  d.column = place.column;
  d.found = what;
  d.expected = expected;
  d.hint = hint;
  found_.add(Weight::refuse, d);
  return false;
}

bool Document::is_urdf() {
  const std::string suffix = ".xacro";
  const bool named =
      file_.size() > suffix.size() && file_.compare(file_.size() - suffix.size(), suffix.size(), suffix) == 0;
  if (named || seen_.xacro_offset != std::string_view::npos) {
    const std::string plain = named           ? file_.substr(0, file_.size() - suffix.size())
                              : file_.empty() ? std::string("robot.urdf")
                                              : file_ + ".urdf";
    const std::size_t offset = seen_.xacro_offset != std::string_view::npos ? seen_.xacro_offset : seen_.root_offset;
    return refuse(
        "E_XACRO", offset, seen_.xacro.empty() ? "a xacro file" : detail::quoted(seen_.xacro),
        "URDF, which xacro writes",
        "expand it first: xacro " + (file_.empty() ? std::string("robot.urdf.xacro") : file_) + " > " + plain);
  }
  if (seen_.root == "robot") return true;
  const char* format = seen_.root == "sdf" || seen_.root == "gazebo"             ? "SDF"
                       : seen_.root == "mujoco" || seen_.root == "mujocoinclude" ? "MJCF (MuJoCo)"
                       : seen_.root == "COLLADA"                                 ? "COLLADA"
                                                                                 : nullptr;
  return refuse(
      "E_FORMAT", seen_.root_offset,
      '<' + detail::excerpt(seen_.root, 60) + '>' + (format ? std::string(", which is ") + format : std::string()),
      "<robot>: a URDF", format ? "convert the file to URDF" : "is this a robot?");
}

bool Document::parse() {
  if (!decoded_) return false;
  if (text_.size() > static_cast<std::size_t>(options_.limits.file_bytes))
    return refuse("E_LIMIT_FILE", 0, std::to_string(text_.size()) + " bytes",
                  "at most " + std::to_string(options_.limits.file_bytes) + " bytes", "");
  if (!scan_xml(text_, lines_, file_, options_.limits, found_, seen_) || !is_urdf()) return false;
  const pugi::xml_parse_result result =
      tree_.load_buffer_inplace(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result) return true;
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  return refuse("E_XML", static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), result.description(),
                "well-formed XML", "");
}

void Document::refine(Diagnostics& found) const {
  // By path. Built when it is needed; the first of a name counts.
  std::unordered_map<std::string, pugi::xml_node> elements;
  for (Diagnostic& d : found) {
    const std::size_t end = d.path.find("]/");
    if (d.line == 0 || end == std::string::npos) continue;
    if (elements.empty()) {
      for (const pugi::xml_node child : tree_.document_element().children()) {
        const LineIndex::Place place =
            lines_.at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(child.offset_debug() - 1, 0)));
        elements.emplace(std::to_string(place.line) + ':' + std::to_string(place.column), child);
      }
    }
    const auto it = elements.find(std::to_string(d.line) + ':' + std::to_string(d.column));
    if (it == elements.end()) continue;
    pugi::xml_node node = it->second;
    const std::string whole = path_of(node);
    if (d.path.compare(0, whole.size(), whole) != 0) continue;
    for (std::size_t i = whole.size(); i < d.path.size() && d.path[i] == '/';) {
      const std::size_t next = std::min(d.path.find('/', i + 1), d.path.size());
      const pugi::xml_node below = node.child(d.path.substr(i + 1, next - i - 1).c_str());
      if (!below) break;
      node = below;
      i = next;
    }
    const LineIndex::Place place = lines_.at(static_cast<std::size_t>(node.offset_debug()) - 1);
    d.line = place.line;
    d.column = place.column;
  }
}

/// Everything that load, read and check share: findings first, then the description.
class Reading {
 public:
  static Reading of_file(const std::string& path, const LoadOptions& options) {
    Reading r(options);
    std::string text;
    if (read_text(path, options.limits.file_bytes, text, r.found_)) {
      r.open(std::move(text), path, path);
    } else {
      r.found = r.found_.take();
    }
    return r;
  }
  static Reading of_text(const std::string& text, const LoadOptions& options) {
    Reading r(options);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    // No XML begins with a letter, a slash or a point: this is the name of a file, or another text altogether.
    const bool named = first != std::string::npos && text.find_first_of("<{") == std::string::npos &&
                       static_cast<unsigned char>(text[first]) < 0x80;
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

  RobotDescription robot;
  Diagnostics found;
  bool good() const { return !refused(found); }

  /// Adds what check or build found; places become those of the elements.
  void append(Diagnostics more) {
    if (document_) document_->refine(more);
    found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    // In the order of the file; what has no place stays at the end.
    std::stable_sort(found.begin(), found.end(), [](const Diagnostic& a, const Diagnostic& b) {
      const auto line = [](const Diagnostic& d) { return d.line > 0 ? static_cast<long>(d.line) : 1L << 40; };
      return line(a) < line(b);
    });
  }

 private:
  explicit Reading(const LoadOptions& options) : options_(&options) {}
  void open(std::string text, const std::string& file, const std::string& folder_of) {
    document_ = std::make_unique<Document>(std::move(text), file, folder_of, *options_, found_);
    if (document_->parse()) robot = document_->read();
    found = found_.take();
  }

  const LoadOptions* options_;
  detail::Findings found_{options_->mode == Mode::strict, options_->mode == Mode::lenient};
  std::unique_ptr<Document> document_;
};

Model build_from(Reading reading, const LoadOptions& options, Diagnostics* found) {
  const auto refuse = [&]() {
    if (found) *found = reading.found;
    throw ModelError(reading.found);
  };
  if (!reading.good()) refuse();
  Diagnostics more;
  try {
    Model model = build(std::move(reading.robot), options, &more);
    reading.append(std::move(more));
    if (found) *found = std::move(reading.found);
    return model;
  } catch (const ModelError& error) { reading.append(error.diagnostics()); }
  refuse();
  throw ModelError({});
}

RobotDescription description_from(Reading reading, Diagnostics* found) {
  if (found) *found = reading.found;
  if (!reading.good()) throw ModelError(std::move(reading.found));
  return std::move(reading.robot);
}

Diagnostics findings_from(Reading reading, const LoadOptions& options) {
  if (reading.good()) reading.append(check(reading.robot, options));
  return std::move(reading.found);
}

}  // namespace
}  // namespace io

Model load(const std::string& path) { return load(path, LoadOptions(), nullptr); }

Model load(const std::string& path, const LoadOptions& options, Diagnostics* found) {
  return io::build_from(io::Reading::of_file(path, options), options, found);
}
Model loads(const std::string& text, const LoadOptions& options, Diagnostics* found) {
  return io::build_from(io::Reading::of_text(text, options), options, found);
}
RobotDescription read_urdf(const std::string& path, const LoadOptions& options, Diagnostics* found) {
  return io::description_from(io::Reading::of_file(path, options), found);
}
RobotDescription parse_urdf(const std::string& text, const LoadOptions& options, Diagnostics* found) {
  return io::description_from(io::Reading::of_text(text, options), found);
}
Diagnostics check_urdf(const std::string& path, const LoadOptions& options) {
  return io::findings_from(io::Reading::of_file(path, options), options);
}
Diagnostics check_urdf_text(const std::string& text, const LoadOptions& options) {
  return io::findings_from(io::Reading::of_text(text, options), options);
}

}  // namespace zwang
