// SPDX-License-Identifier: BSD-3-Clause
// Constraints, and the dynamics, impulses and assembly of robots that have them.
//
//   H(Q) QDDot + C(Q, QDot) = Tau + G^T force,     G QDDot = gamma
//
// One row for each call of Add...: rows of a loop between the same two frames are held together. Rows may depend on
// each other: QDDot is then right all the same and `force` the shortest. All methods give the same numbers and signs.
// After the first call with a set nothing is allocated, but by CalcAssembly... and InverseDynamicsConstraints....
#pragma once
#include <rbdl/Constraint.h>
#include <rbdl/Dynamics.h>
#include <rbdl/Kinematics.h>

namespace RigidBodyDynamics {

struct ConstraintSet;
namespace detail {
class Bound;  // src/bound.hpp
/// What a set keeps for its model. A copy of a set begins without it.
class KeptSet {
 public:
  KeptSet();
  KeptSet(const KeptSet&);
  KeptSet(KeptSet&&) noexcept;
  KeptSet& operator=(const KeptSet&);
  KeptSet& operator=(KeptSet&&) noexcept;
  ~KeptSet();
  /// For this model as it is now, made where it or the set has changed.
  Bound& of(Model& model, ConstraintSet& set);
  void drop();

 private:
  std::unique_ptr<Bound> bound_;
};
}  // namespace detail

/// Contacts, loops and rows of a program. After rows were added it must be bound again; changes of its model it follows
/// by itself.
struct ConstraintSet {
  static constexpr unsigned int no_id = std::numeric_limits<unsigned int>::max();
  ConstraintSet() = default;

  /// The point of the body does not accelerate along the normal [base axes, unit length]. Returns the number of the
  /// row.
  unsigned int AddContactConstraint(unsigned int body_id, const Math::Vector3d& body_point,
                                    const Math::Vector3d& world_normal, const char* constraint_name = nullptr,
                                    unsigned int user_defined_id = no_id);
  /// The frames of two bodies do not accelerate relative to each other along the axis [angular; linear; axes of the
  /// predecessor's frame]. X.E has the frame's axes as columns in body coordinates, X.r its origin. With Baumgarte's
  /// feedback the errors of position and velocity vanish as those of a critically damped motion with the time constant
  /// T_stab [s].
  unsigned int AddLoopConstraint(unsigned int id_predecessor, unsigned int id_successor,
                                 const Math::SpatialTransform& X_predecessor, const Math::SpatialTransform& X_successor,
                                 const Math::SpatialVector& axis, bool enable_baumgarte = false, double T_stab = 0.1,
                                 const char* constraint_name = nullptr, unsigned int user_defined_id = no_id);

  /// Rows of a program (Constraint.h), which the set keeps together with it; copies of the set share it. Returns the
  /// number of its last row. Where the constraint has been given another index since, by another set, calls throw
  /// RBDLInvalidParameterError.
  unsigned int AddCustomConstraint(std::shared_ptr<Constraint> customConstraint);

  /// A set that shares nothing with this one but custom constraints, not bound.
  ConstraintSet Copy() const;
  /// The word is kept; results do not depend on it.
  void SetSolver(Math::LinearSolver solver) { linear_solver = solver; }
  bool Bind(Model& model);
  std::size_t size() const { return name.size(); }
  /// Sets forces and impulses to zero.
  void clear();
  /// The coordinates that have motors, for InverseDynamicsConstraints.
  void SetActuationMap(const Model& model, const std::vector<bool>& actuated_dof);

  // Groups: the rows of one point with one id, of one pair of frames with one id.
  unsigned int getGroupIndexByName(const char* constraint_name) const;
  unsigned int getGroupIndexById(unsigned int user_defined_id) const;
  /// By the number that Add... has returned.
  unsigned int getGroupIndexByAssignedId(unsigned int assigned_id) const;
  unsigned int getGroupIndexMax() const { return static_cast<unsigned int>(groups.size()) - 1; }
  const char* getGroupName(unsigned int group) const;
  unsigned int getGroupSize(unsigned int group) const;
  unsigned int getGroupType(unsigned int group) const;
  unsigned int getGroupId(unsigned int group) const;
  /// The number of the last row of the group.
  unsigned int getGroupAssignedId(unsigned int group) const;
  /// Errors of a group's rows, as CalcConstraintsPositionError and CalcConstraintsVelocityError give them for all.
  void calcPositionError(unsigned int group, Model& model, const Math::VectorNd& Q, Math::VectorNd& posErr,
                         bool updateKinematics = false);
  void calcVelocityError(unsigned int group, Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                         Math::VectorNd& velErr, bool updateKinematics = false);
  /// 1/T twice, as it stands before the errors of velocity (doubled) and of position (squared).
  void getBaumgarteStabilizationCoefficients(unsigned int group, Math::Vector2d& coefficients) const;
  /// Of loops: contacts have no error of position (RBDLMissingImplementationError).
  void enableBaumgarteStabilization(unsigned int group);
  void disableBaumgarteStabilization(unsigned int group);
  bool isBaumgarteStabilizationEnabled(unsigned int group) const;

  Math::LinearSolver linear_solver = Math::LinearSolverColPivHouseholderQR;
  bool bound = false;
  std::vector<std::string> name;  ///< of each row
  Math::VectorNd force;           ///< of each row, after a solve
  Math::VectorNd impulse;         ///< of each row [N s, N m s], after ComputeConstraintImpulses...
  Math::VectorNd v_plus;          ///< of each row, the velocity after an impulse; zeros unless written

  // Written by CalcConstrainedSystemVariables.
  Math::MatrixNd H, G;
  Math::VectorNd C, gamma, err, errd;

  // No part of RBDL's interface: what the rows are.
  struct Group {
    ConstraintType type;
    std::string name;
    unsigned int user_id;
    unsigned int body, other;     ///< of a contact the first; of a loop predecessor and successor
    Math::Vector3d point;         ///< of a contact
    Math::SpatialTransform X, Y;  ///< of a loop
    std::vector<unsigned int> rows;
    std::vector<Math::SpatialVector> axes;  ///< of a contact [0; normal]
    bool baumgarte;
    double T_stab;
    std::shared_ptr<Constraint> custom = nullptr;
    bool has_feedback() const { return custom ? custom->isBaumgarteStabilizationEnabled() : baumgarte; }
    double time_constant() const { return custom ? custom->getBaumgarteTimeConstant() : T_stab; }
  };
  std::vector<Group> groups;
  std::vector<bool> actuated;
  detail::KeptSet kept;

 private:
  void set_feedback(unsigned int group, bool on);
  unsigned int add_row(Group group, const Math::SpatialVector& axis, const char* row_name);
  const Group& group_at(const char* function, unsigned int group) const;
};

/// G, rows x qdot_size.
void CalcConstraintsJacobian(Model& model, const Math::VectorNd& Q, ConstraintSet& CS, Math::MatrixNd& G,
                             bool update_kinematics = true);
/// Errors of loops; 0 for contacts.
void CalcConstraintsPositionError(Model& model, const Math::VectorNd& Q, ConstraintSet& CS, Math::VectorNd& err,
                                  bool update_kinematics = true);
/// G QDot.
void CalcConstraintsVelocityError(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot, ConstraintSet& CS,
                                  Math::VectorNd& err, bool update_kinematics = true);
/// Fills H, C, G, gamma, err and errd of the set.
void CalcConstrainedSystemVariables(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                    const Math::VectorNd& Tau, ConstraintSet& CS, bool update_kinematics = true,
                                    std::vector<Math::SpatialVector>* f_ext = nullptr);

/// QDDot, and the set's `force`. The four names are one solve.
void ForwardDynamicsConstraintsDirect(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                      const Math::VectorNd& Tau, ConstraintSet& CS, Math::VectorNd& QDDot,
                                      bool update_kinematics = true, std::vector<Math::SpatialVector>* f_ext = nullptr);
/// The same.
void ForwardDynamicsConstraintsRangeSpaceSparse(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                                const Math::VectorNd& Tau, ConstraintSet& CS, Math::VectorNd& QDDot,
                                                bool update_kinematics = true,
                                                std::vector<Math::SpatialVector>* f_ext = nullptr);
/// The same.
void ForwardDynamicsConstraintsNullSpace(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                         const Math::VectorNd& Tau, ConstraintSet& CS, Math::VectorNd& QDDot,
                                         bool update_kinematics = true,
                                         std::vector<Math::SpatialVector>* f_ext = nullptr);
/// Sets with loops are refused, as there.
void ForwardDynamicsContactsKokkevis(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                     const Math::VectorNd& Tau, ConstraintSet& CS, Math::VectorNd& QDDot);

/// QDotPlus with G QDotPlus = v_plus after a shock, and the set's `impulse`: H (QDotPlus - QDotMinus) = G^T impulse.
void ComputeConstraintImpulsesDirect(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDotMinus,
                                     ConstraintSet& CS, Math::VectorNd& QDotPlus);
/// The same.
void ComputeConstraintImpulsesRangeSpaceSparse(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDotMinus,
                                               ConstraintSet& CS, Math::VectorNd& QDotPlus);
/// The same.
void ComputeConstraintImpulsesNullSpace(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDotMinus,
                                        ConstraintSet& CS, Math::VectorNd& QDotPlus);

/// The Q nearest to QInit, by the weights of coordinates of velocity, where loops are closed to the tolerance. False:
/// none was found, and Q is the best of them.
bool CalcAssemblyQ(Model& model, const Math::VectorNd& QInit, ConstraintSet& CS, Math::VectorNd& Q,
                   const Math::VectorNd& weights, double tolerance = 1e-12, unsigned int max_iter = 100);
/// The QDot nearest to QDotInit with G QDot = 0.
void CalcAssemblyQDot(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDotInit, ConstraintSet& CS,
                      Math::VectorNd& QDot, const Math::VectorNd& weights);

/// Torques of the motors (SetActuationMap) that give the desired accelerations of their coordinates, the accelerations
/// of all, and the set's `force`. RBDLError where the motors cannot give them.
void InverseDynamicsConstraints(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                const Math::VectorNd& QDDotDesired, ConstraintSet& CS, Math::VectorNd& QDDotOutput,
                                Math::VectorNd& TauOutput, bool update_kinematics = true,
                                std::vector<Math::SpatialVector>* f_ext = nullptr);
/// The same where motors are too few or too weak in their directions: torques S (C + 100 H (QDDotDesired - QDDot)).
void InverseDynamicsConstraintsRelaxed(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                       const Math::VectorNd& QDDotDesired, ConstraintSet& CS,
                                       Math::VectorNd& QDDotOutput, Math::VectorNd& TauOutput,
                                       bool update_kinematics = true,
                                       std::vector<Math::SpatialVector>* f_ext = nullptr);
/// Whether the motors and the rows determine every acceleration.
bool isConstrainedSystemFullyActuated(Model& model, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                      ConstraintSet& CS, bool update_kinematics = true,
                                      std::vector<Math::SpatialVector>* f_ext = nullptr);

}  // namespace RigidBodyDynamics
