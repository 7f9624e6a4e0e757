// SPDX-License-Identifier: BSD-3-Clause
// The reader of MJCF, MuJoCo's format (docs/formats/mjcf.md). Internal to the library.
//
//   MjcfDocument      files and includes
//   MjcfSchemaCheck   THE table (mjcf_schema.hpp) against the document: unknown, named
//   MjcfDefaults      classes; MjcfFields: an element over its class
//   MjcfReader        mjcf_reader.cpp: the order, compiler, assets, keyframes; mjcf_body.cpp, mjcf_joint.cpp,
//                     mjcf_attach.cpp; mjcf_geometry.cpp, mjcf_mesh.cpp, mjcf_inertia.cpp; mjcf_equality.cpp,
//                     mjcf_actuator.cpp
//   mjcf_robot        the model as links, joints, frames, rows, configurations
//
// Order of reading: includes are in place before anything is read; all <compiler>, the last value wins; <option>;
// <default>; <asset>; <worldbody>; <tendon>, <actuator>, <equality>; masses; <keyframe>.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/mjcf_document.hpp"
#include "io/mjcf_model.hpp"
#include "io/mjcf_schema.hpp"
#include "io/solids.hpp"
#include "io/xml_reader.hpp"

namespace zwang::io {

inline constexpr double k_mjcf_pi = 3.14159265358979323846;
inline constexpr double k_mjcf_tiny = 1e-14;  ///< lengths, volumes and masses below it are none, as in MuJoCo

inline constexpr const char* k_mjcf_absent = "absent mesh ";  ///< begins the key of notes about mesh files

/// Looks once at every element of a document.
class MjcfSchemaCheck {
 public:
  MjcfSchemaCheck(const MjcfDocument& document, MjcfWork& work) : document_(document), work_(work) {}
  /// False where something is refused.
  bool run();

 private:
  /// What is left out of elements of one name: a single finding.
  struct Kind {
    std::string element;
    bool warned;
    Diagnostic first;
    std::vector<std::string> attributes;
    long count;
    pugi::xml_node last;
  };
  void look(pugi::xml_node node, const MjcfRule& rule, std::string_view parent, int depth);
  void look_at_attributes(pugi::xml_node node, const MjcfRule& rule, bool is_default);
  Kind& kind_of(pugi::xml_node node, bool warned);

  const MjcfDocument& document_;
  MjcfWork& work_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// Attributes of a default class, with the element in which each was given.
struct MjcfRecord {
  struct Value {
    std::string_view name;
    const char* text;
    pugi::xml_node node;
  };
  std::vector<Value> values;
  const Value* find(std::string_view name) const;
};

/// An element over the record of its default class.
struct MjcfFields {
  pugi::xml_node node;
  const MjcfRecord* record = nullptr;

  /// Of the element, else of the class; nullptr where neither has it.
  const char* text(const char* name) const;
  bool has(const char* name) const { return text(name) != nullptr; }
  /// The element itself where it has the attribute, else where the class got it.
  pugi::xml_node where(const char* name) const;
  /// The text, and of lists of which the element gives the first numbers only, those of the class behind them.
  std::string whole(const char* name) const;
};

/// Kinds of elements that have defaults here: all actuators share one record, and so do all equalities and tendons.
enum class MjcfKind { joint, geom, site, mesh, material, equality, tendon, actuator, none };

struct MjcfClass {
  std::string name;
  std::array<MjcfRecord, static_cast<std::size_t>(MjcfKind::none)> records;
};

/// Numbers and words of attributes; every fault is a finding.
class MjcfValues {
 public:
  MjcfValues(const MjcfDocument& document, MjcfWork& work) : document_(document), work_(work) {}

  /// Between `least` and `most` numbers: those of the element, behind them those of the class. `out` keeps what neither
  /// gives. Returns how many were given; -1, with a finding, where something is wrong.
  int numbers(const MjcfFields& of, const char* name, int least, int most, double* out) const;
  bool number(const MjcfFields& of, const char* name, double& out) const { return numbers(of, name, 1, 1, &out) > 0; }
  bool vector(const MjcfFields& of, const char* name, Vec3<double>& out) const;
  int integer(const MjcfFields& of, const char* name, int otherwise) const;
  /// Position in `words`; `otherwise` where the attribute is absent or another word (a finding).
  int word(const MjcfFields& of, const char* name, std::initializer_list<const char*> words, int otherwise) const;
  bool flag(const MjcfFields& of, const char* name, bool otherwise) const {
    return word(of, name, {"false", "true"}, otherwise ? 1 : 0) == 1;
  }
  std::string name_of(const MjcfFields& of, const char* attribute = "name") const;
  void refuse(pugi::xml_node node, const char* code, const std::string& what, const std::string& expected,
              const std::string& hint = {}) const {
    document_.refuse(node, code, what, expected, hint);
  }
  void warn(pugi::xml_node node, const char* code, const std::string& what, const std::string& expected,
            const std::string& hint) const;
  const MjcfDocument& document() const { return document_; }

 private:
  bool list(pugi::xml_node node, const char* name, std::string_view text, int least, int most, double* out,
            int& count) const;
  const MjcfDocument& document_;
  MjcfWork& work_;
  mutable std::unordered_set<std::string> warned_;
};

/// How angles of a document are written.
struct MjcfAngles {
  bool degree = true;
  std::string sequence = "xyz";
  double radian(double angle) const;
};

/// quat, axisangle, xyaxes, zaxis or euler of an element; the identity where it has none.
Mat3<double> mjcf_rotation(const MjcfFields& of, const MjcfAngles& angles, const MjcfValues& values);
/// The rotation by `euler` in a sequence of axes: lower case turns about moving axes, upper case about fixed ones.
Mat3<double> mjcf_euler(const double* euler, const MjcfAngles& angles);
bool mjcf_is_orientation(std::string_view name);

class MjcfDefaults {
 public:
  explicit MjcfDefaults(const MjcfValues& values);
  void read(pugi::xml_node top);
  /// -1 where there is none.
  int find(const std::string& name) const;
  /// The class of an element: its own `class`, else `inherited`. Unknown: a finding.
  int of(pugi::xml_node node, int inherited, const char* attribute = "class") const;
  const MjcfRecord* record(int c, MjcfKind kind) const {
    return &classes_[static_cast<std::size_t>(c)].records[static_cast<std::size_t>(kind)];
  }

 private:
  void read(pugi::xml_node node, int c);
  void merge(MjcfRecord& record, pugi::xml_node node);

  const MjcfValues& values_;
  std::vector<MjcfClass> classes_;
  std::unordered_map<std::string, int> index_;
  std::deque<std::string> joined_;  ///< lists of which a class gave the first numbers only
};

/// <compiler>.
struct MjcfCompiler {
  MjcfAngles angles;
  bool auto_limits = true, balance = false, align_free = false;
  enum class FromGeom { no, yes, automatic } from_geom = FromGeom::automatic;
  double group_range[2] = {0, 5};
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  std::string mesh_folder;
  bool strip_path = false;
};

/// A mesh, which is looked at where it gives mass.
struct MjcfMesh {
  pugi::xml_node node;
  int of_class = 0;
  std::string name, file, path;
  std::string obstacle;  ///< why it gives no mass; empty: it does
  Vec3<double> scale{1, 1, 1};
  bool computed = false;
  double volume = 0;
  Vec3<double> centre = Vec3<double>::zero();
  Sym3<double> inertia = Sym3<double>::zero();  ///< of unit mass, about the centre
};

class MjcfReader {
 public:
  MjcfReader(MjcfDocument& document, MjcfWork& work, int nesting = 0);
  MjcfReader(const MjcfReader&) = delete;
  MjcfReader& operator=(const MjcfReader&) = delete;
  /// False where the document is refused.
  bool read();
  MjcfModel& model() { return model_; }

 private:
  /// Where an element stands: its body, the pose of the frames around it, the class, the suffix of copies.
  struct Scope {
    int body = 0;
    Transform<double> pose = Transform<double>::identity();
    int of_class = 0;
    std::string suffix;
    int frame = -1;  ///< the innermost frame with a name around it within the body
  };

  // mjcf_reader.cpp
  void compiler(pugi::xml_node node);
  void option(pugi::xml_node node);
  void asset(pugi::xml_node node);
  MjcfFields fields(pugi::xml_node node, MjcfKind kind, int inherited) const;
  bool spend(pugi::xml_node node, long count = 1) const { return document_.spend(node, count); }
  bool short_enough(const char* what, const std::string& name, pugi::xml_node node);
  std::string own_name(pugi::xml_node node, const std::string& path);
  bool take_name(const char* kind, const std::string& name, pugi::xml_node node);
  void keyframes(pugi::xml_node node);
  void add_notes();
  void note_joints();
  void unknown(pugi::xml_node node, const char* kind, const std::string& name,
               const std::unordered_map<std::string, int>& known) const;
  // mjcf_body.cpp
  void children(pugi::xml_node node, const Scope& scope);
  void body(pugi::xml_node node, const Scope& scope);
  int add_body(pugi::xml_node node, MjcfBody&& body);
  void frame(pugi::xml_node node, const Scope& scope);
  void replicate(pugi::xml_node node, const Scope& scope);
  void site(pugi::xml_node node, const Scope& scope);
  void load_frames(const Scope& scope);
  Transform<double> pose_of(const MjcfFields& of) const;
  std::string suffixed(const std::string& name, const Scope& scope) const;
  void check_moving_planes();
  // mjcf_attach.cpp
  void attach(pugi::xml_node node, const Scope& scope);
  MjcfReader* attached(pugi::xml_node node, const std::string& model);
  struct Attachment;
  void note_options(pugi::xml_node node, const MjcfModel& from);
  void copy_bodies(Attachment& a);
  bool copy_sites(const Attachment& a, const std::vector<MjcfSite>& sites, int to, const Transform<double>& pose);
  bool copy_body(Attachment& a, std::size_t k, bool top);
  int copy_frame(Attachment& a, int frame);
  void copy_tendons(const Attachment& a);
  void copy_equalities(const Attachment& a);
  void copy_motors(const Attachment& a);
  void copy_exclusions(const Attachment& a);
  // mjcf_joint.cpp
  void joint(pugi::xml_node node, const Scope& scope);
  void free_joint(pugi::xml_node node, const Scope& scope);
  void add_joint(pugi::xml_node node, const Scope& scope, MjcfJoint&& joint);
  void limits(const MjcfFields& of, MjcfJoint& joint);
  void effort(const MjcfFields& of, MjcfJoint& joint);
  bool bounds(const MjcfFields& of, const char* range, const char* limited, double* out);
  // mjcf_geometry.cpp
  void geom(pugi::xml_node node, const Scope& scope);
  bool solid_of(const MjcfFields& of, int type, const double* size, bool shell, MjcfSolid& solid, double& volume);
  bool mesh_solid(const MjcfFields& of, MjcfSolid& solid, double& volume);
  void shape_of(const MjcfFields& of, int type, const double* size, const Transform<double>& pose, const Scope& scope);
  ContactData contact_of(const MjcfFields& of);
  void material(pugi::xml_node node);
  void exclude(pugi::xml_node node);
  // mjcf_mesh.cpp
  void mesh(pugi::xml_node node);
  MjcfMesh* find_mesh(const MjcfFields& of);
  bool inline_mesh(const MjcfFields& of, TriangleMesh& out);
  bool place_points(const MjcfFields& of, const MjcfMesh& mesh, const TriangleMesh& from, Surface& to);
  void compute(MjcfMesh& mesh);
  void note_open_mesh(const MjcfMesh& mesh);
  // mjcf_inertia.cpp
  void inertial(pugi::xml_node node, const Scope& scope);
  void inertia(MjcfBody& body);
  void weigh(MjcfBody& body);
  void sum(MjcfBody& body);
  void bound(MjcfBody& body);
  void total_mass();
  // mjcf_actuator.cpp
  void actuator(pugi::xml_node node);
  void motor(const MjcfFields& of, const MjcfJointPlace& at, const double* gear);
  void bounds_of_motor(const MjcfFields& of, MjcfJoint& driven, double gear, MotorDescription& motor);
  void tendon(pugi::xml_node node);
  // mjcf_equality.cpp
  void equality(pugi::xml_node node);
  bool ends(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row);
  bool joint_equality(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row);
  bool tendon_equality(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row);
  int scalar_joint(pugi::xml_node node, const std::string& name) const;
  void world_poses();
  void draw(MjcfEquality& row) const;

  struct ModelFile {
    std::string file;
    bool tried = false, good = false;
    std::unique_ptr<XmlDocument> text;
    std::unique_ptr<MjcfDocument> document;
    std::unique_ptr<MjcfReader> reader;
  };

  MjcfDocument& document_;
  MjcfWork& work_;
  int nesting_;
  MjcfValues values_;
  MjcfDefaults defaults_;
  MjcfCompiler compiler_;
  MjcfModel model_;
  std::vector<MjcfMesh> meshes_;
  std::unordered_map<std::string, int> mesh_index_, body_index_, joint_index_, site_index_, tendon_index_;
  std::map<std::string, ModelFile> models_;
  std::unordered_map<std::string, std::array<double, 4>> colours_;  ///< of materials that have one
  std::vector<MjcfSitePlace> sites_;
  std::unordered_map<std::string, std::unordered_set<std::string>> names_;  // by kind
  std::vector<Transform<double>> world_;                                    // of the bodies, as drawn
  std::map<std::string, Diagnostic> notes_;                                 ///< named once
  long more_meshes_ = 0;                                                    ///< that are absent, beside the first
  bool weightless_ = false;
  bool unread_ = false;  ///< a file of <asset><model> could not be read: what refers to one is not looked at
  std::vector<const MjcfDocument*> above_;  ///< documents that attach this one
};

}  // namespace zwang::io
