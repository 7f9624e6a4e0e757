// SPDX-License-Identifier: BSD-3-Clause
// Constraint: rows that a program writes itself, for ConstraintSet::AddCustomConstraint.
//
//   G QDDot = gamma;  of positions: phi(Q) = 0 with G = dphi/dQ, gamma = -dG/dt QDot
//
// Each function writes its rows into matrices and vectors of the whole set, from row rowInSystem on. They are called
// during a solve, from the thread that solves, with update_kinematics = true and the time 0.
#pragma once
#include <rbdl/Model.h>

#include <cassert>
#include <limits>

namespace RigidBodyDynamics {

/// What a row is of.
enum ConstraintType { ConstraintTypeContact = 0, ConstraintTypeLoop, ConstraintTypeCustom, ConstraintTypeLast };

/// Room for functions of constraints: what a call leaves in it has no meaning.
struct ConstraintCache {
  Math::VectorNd vecNZeros;                                      ///< qdot_size zeros
  Math::MatrixNd mat3NA, mat3NB, mat6NA, mat6NB;                 ///< 3 or 6 x qdot_size
  Math::Vector3d vec3A, vec3B, vec3C, vec3D, vec3E, vec3F;       ///< points and axes
  Math::Matrix3d mat3A, mat3B, mat3C, mat3D, mat3E, mat3F;       ///< attitudes
  Math::SpatialVector svecA, svecB, svecC, svecD, svecE, svecF;  ///< motions and forces
  Math::SpatialTransform stA, stB, stC, stD;                     ///< frames
};

/// Rows of a program. A class derived from it writes bind and the four calc... functions of rows.
class Constraint {
 public:
  Constraint() = default;
  /// With sizeOfConstraint rows, whose errors of position and velocity are those of the functions.
  Constraint(const char* constraintName, unsigned int typeOfConstraintNumber, unsigned int sizeOfConstraintRows,
             unsigned int userDefinedId)
      : name(constraintName != nullptr ? constraintName : ""),
        id(userDefinedId),
        typeOfConstraint(typeOfConstraintNumber),
        sizeOfConstraint(sizeOfConstraintRows),
        positionConstraint(sizeOfConstraintRows, true),
        velocityConstraint(sizeOfConstraintRows, true) {}
  virtual ~Constraint() = default;

  /// Called when the set is bound, before all others.
  virtual void bind(const Model& model) = 0;
  /// The rows of G.
  virtual void calcConstraintJacobian(Model& model, const double time, const Math::VectorNd& Q,
                                      const Math::VectorNd& QDot, Math::MatrixNd& GSysOutput, ConstraintCache& cache,
                                      bool updateKinematics = false) = 0;
  /// gamma; GSys has the rows of this constraint.
  virtual void calcGamma(Model& model, const double time, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                         const Math::MatrixNd& GSys, Math::VectorNd& gammaSysOutput, ConstraintCache& cache,
                         bool updateKinematics = false) = 0;
  /// phi; rows of velocity alone write zeros.
  virtual void calcPositionError(Model& model, const double time, const Math::VectorNd& Q, Math::VectorNd& errSysOutput,
                                 ConstraintCache& cache, bool updateKinematics = false) = 0;
  /// The error of velocity. Not called: it is G QDot.
  virtual void calcVelocityError(Model& model, const double time, const Math::VectorNd& Q, const Math::VectorNd& QDot,
                                 const Math::MatrixNd& GSys, Math::VectorNd& errSysOutput, ConstraintCache& cache,
                                 bool updateKinematics = false) = 0;
  /// The forces on bodies. Not called: the set has them as rows.
  virtual void calcConstraintForces(Model& model, const double time, const Math::VectorNd& Q,
                                    const Math::VectorNd& QDot, const Math::MatrixNd& GSys,
                                    const Math::VectorNd& LagrangeMultipliersSys,
                                    std::vector<unsigned int>& constraintBodiesOutput,
                                    std::vector<Math::SpatialTransform>& constraintBodyFramesOutput,
                                    std::vector<Math::SpatialVector>& constraintForcesOutput, ConstraintCache& cache,
                                    bool resolveAllInRootFrame = false, bool updateKinematics = false) = 0;

  const std::string& getName() const { return name; }
  void setName(const char* constraintName) { name = constraintName; }
  unsigned int getUserDefinedId() const { return id; }
  unsigned int getConstraintType() const { return typeOfConstraint; }
  unsigned int getConstraintSize() const { return sizeOfConstraint; }
  /// The first row in the set.
  unsigned int getConstraintIndex() const { return rowInSystem; }
  void setConstraintIndex(unsigned int rowIndex) { rowInSystem = rowIndex; }
  const std::vector<unsigned int>& getBodyIds() const { return bodyIds; }
  const std::vector<Math::SpatialTransform>& getBodyFrames() const { return bodyFrames; }
  /// The time constant T of the feedback -2/T err' - 1/T^2 err [s].
  void setBaumgarteTimeConstant(double tStab) {
    if (!(tStab > 0)) throw Errors::RBDLInvalidParameterError("setBaumgarteTimeConstant: expected a time above 0");
    timeConstant = tStab;
  }
  void setEnableBaumgarteStabilization(bool flag) { baumgarteEnabled = flag; }
  bool isBaumgarteStabilizationEnabled() const { return baumgarteEnabled; }
  /// 1/T twice, as it stands before the errors of velocity (doubled) and of position (squared).
  void getBaumgarteStabilizationCoefficients(Math::Vector2d& coefficients) const {
    coefficients.setConstant(1 / timeConstant);
  }
  double getBaumgarteTimeConstant() const { return timeConstant; }
  /// The same.
  void getBaumgarteStabilizationParameters(Math::Vector2d& parameters) const {
    getBaumgarteStabilizationCoefficients(parameters);
  }
  /// The row has errors of position and velocity, as all have at first.
  void enableConstraintErrorFromPosition(unsigned int index) { positionConstraint.at(index) = true; }
  /// The row holds a velocity: its error of position is left out.
  void enableConstraintErrorFromVelocity(unsigned int index) { positionConstraint.at(index) = false; }
  bool getPositionLevelError(unsigned int index) const { return positionConstraint.at(index); }
  bool getVelocityLevelError(unsigned int index) const { return velocityConstraint.at(index); }
  // The rows of this constraint among those of the set.
  void getConstraintJacobian(const Math::MatrixNd& GSys, Math::MatrixNd& G) const {
    G = GSys.middleRows(rowInSystem, sizeOfConstraint);
  }
  void getGamma(const Math::VectorNd& gammaSys, Math::VectorNd& gamma) const { take(gammaSys, gamma); }
  void getPositionError(const Math::VectorNd& errSys, Math::VectorNd& err) const { take(errSys, err); }
  void getVelocityError(const Math::VectorNd& errSys, Math::VectorNd& err) const { take(errSys, err); }

 protected:
  std::string name;
  unsigned int id = std::numeric_limits<unsigned int>::max();
  unsigned int typeOfConstraint = ConstraintTypeCustom;
  unsigned int rowInSystem = 0;
  unsigned int sizeOfConstraint = 0;
  std::vector<bool> positionConstraint, velocityConstraint;
  bool baumgarteEnabled = false;
  std::vector<unsigned int> bodyIds;
  std::vector<Math::SpatialTransform> bodyFrames;

 private:
  void take(const Math::VectorNd& of_set, Math::VectorNd& out) const {
    out = of_set.segment(rowInSystem, sizeOfConstraint);
  }
  double timeConstant = 0.1;
};

}  // namespace RigidBodyDynamics
