// SPDX-License-Identifier: BSD-3-Clause
// Robot: a chain or tree of KDL as a zwang::Model, and its numbers in the model's order.
//
// Coordinates: q_model = scale * q (the offset of a joint does not move its tip: Segment), hence v_model = scale * qdot
// and torque = scale * torque_model. A rotor of inertia J that turns with q is an armature J / scale^2 of the model.
#pragma once
#include <kdl/jacobian.hpp>
#include <kdl/jntarray.hpp>
#include <kdl/solveri.hpp>
#include <kdl/tree.hpp>
#include <optional>
#include <zwang/algorithm/real_time.hpp>

namespace KDL::detail {

inline Vector from(const zwang::Vec3<double>& v) { return Vector(v[0], v[1], v[2]); }
inline zwang::Vec3<double> to(const Vector& v) { return {v(0), v(1), v(2)}; }
inline Twist from(const zwang::Motion<double>& m) { return Twist(from(m.v), from(m.w)); }
inline Frame from(const zwang::Transform<double>& X) {
  const auto& R = X.R;
  return Frame(Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)), from(X.p));
}
zwang::Transform<double> to(const Frame& F);
/// The code of SolverI for a call of the library.
int code_of(zwang::Status status);

class Robot {
 public:
  /// They keep a reference: the chain or tree must live as long.
  explicit Robot(const Chain& chain);
  explicit Robot(const Tree& tree);
  Robot(const Robot& other);
  Robot& operator=(const Robot&) = delete;

  /// Reads the chain as it is now. Allocates.
  void rebuild();
  /// Follows changes of segments: inertias without allocation, other kinematics by a new model. E_NOT_UP_TO_DATE where
  /// numbers of segments or joints have changed since rebuild(), E_UNDEFINED where numbers are not finite.
  int refresh();
  /// The same, but reads the chain again where numbers have changed.
  int follow();

  unsigned int joints() const { return joints_; }
  unsigned int segments() const { return static_cast<unsigned int>(parts_.size()); }
  const zwang::Model& model() const { return *model_; }
  zwang::Data& data() { return *data_; }
  const Segment& segment(unsigned int i) const { return *parts_[i].segment; }
  /// Of a tree: the place of a segment by its name, segments() where there is none.
  unsigned int find(const std::string& name) const;
  /// The name of a tree's root; a chain has none.
  std::string root_name() const { return tree_ != nullptr ? tree_->getRootSegment()->first : std::string(); }
  zwang::FrameId base() const { return base_; }
  zwang::FrameId tip(unsigned int segment) const { return parts_[segment].tip; }
  zwang::LinkId link(unsigned int segment) const { return parts_[segment].link; }
  /// The body of a segment in the tip's axes about the tip, where something else (another Data) needs it.
  void set_inertias(zwang::Data& data) const;
  unsigned int version() const { return version_; }  ///< counts models
  unsigned int inertia_version() const { return inertia_version_; }

  double scale(unsigned int joint) const { return columns_[joint].scale; }
  zwang::Index coordinate(unsigned int joint) const { return columns_[joint].v; }
  /// Some joint does not move its segment, whatever its q: its scale is 0.
  bool has_idle_joint() const { return has_idle_joint_; }
  double idle_inertia(unsigned int joint) const { return scale(joint) == 0 ? columns_[joint].rotor : 0; }

  /// Numbers of joints in the model's order: q, qdot, qdotdot by the scale, torques by its inverse.
  void motions_to(const JntArray& in, Eigen::VectorXd& out) const;
  void motions_from(const double* in, JntArray& out) const;
  void torques_to(const JntArray& in, Eigen::VectorXd& out) const;
  void torques_from(const double* in, JntArray& out) const;

  // Scratch in the model's order, for the call in progress.
  Eigen::VectorXd q, v, a, tau;
  Eigen::MatrixXd jacobian, matrix;

 private:
  struct Part {
    const Segment* segment;
    int parent;  ///< index of a part, -1: the root
    int joint;   ///< in a JntArray, -1: fixed
    std::uint64_t kinematics, inertia;
    zwang::FrameId tip;
    zwang::LinkId link;
  };
  struct Column {
    zwang::Index v = 0;
    double scale = 1, inverse = 1, rotor = 0;
  };

  void collect();
  bool count_is_same() const;
  int read_changes();
  void build();
  void read_inertias();
  void set_inertia(const Part& part, zwang::Data& data) const;

  const Chain* chain_ = nullptr;
  const Tree* tree_ = nullptr;
  std::vector<Part> parts_;
  std::vector<Column> columns_;
  unsigned int joints_ = 0, version_ = 0, inertia_version_ = 0;
  std::uint64_t tree_stamp_ = 0;
  bool has_idle_joint_ = false, is_valid_ = false;
  std::optional<zwang::Model> model_;
  std::optional<zwang::Data> data_;
  zwang::FrameId base_;
};

}  // namespace KDL::detail
