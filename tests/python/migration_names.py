# SPDX-License-Identifier: BSD-3-Clause
"""Names of other libraries that the pages in docs/migrate must have, each once. Functions end in ().

Pinocchio: the members and types of `Data` (3.3.1, with those of 3.5 and 4), and the functions of its algorithms (3.7,
with those of 4). Drake: `MultibodyPlant` and what is around it (1.51). MuJoCo: `mjModel`, `mjData` and the functions
of its engine (4.0, with names of 3).
"""

PINOCCHIO_DATA = """
Ag B C D Dinv Fcrb IS Ig Itmp Ivx J JMinvJt Jcom KA KAS LA M M6tmp M6tmpR M6tmpR2 Minv SDinv U UDinv Yaba Ycrb a
a_bias a_gf
accumulation_ancestor accumulation_descendant accumulation_joints acom bodyRegressor com constraint_ind
constraints_on_joint
constraints_supported constraints_supported_dim contact_chol d2tau_dadq d2tau_dqdq d2tau_dqdv d2tau_dvdv dAdq dAdv dAg
dFda dFdq
dFdv dHdq dJ dVdq dYcrb dac_da dac_dq dac_dv ddJ ddq ddq_dq ddq_dtau ddq_dv dhg diff_lambda_c dlambda_dq dlambda_dtau
dlambda_dv
dlambda_dx_prox doYcrb dq_after drhs_prox dtau_dq dtau_dv dvc_dq end_idx_v_fromRow extended_motion_propagator
extended_motion_propagator2 f g h hg iMf impulse_c jointTorqueRegressor joints joints_supporting_constraints
kinematic_hessians
kineticEnergyRegressor kinetic_energy lA lambdaA lambda_c lambda_c_prox lastChild liMi llt_JMinvJt mass
mechanical_energy nle
nvSubtree nvSubtree_fromRow oK oL oMf oMi oYaba oYaba_contact oYcrb oa oa_augmented oa_drift oa_gf of of_augmented oh
oinertias
osim osim_llt ov par_cons_ind parents_fromRow potentialEnergyRegressor potential_energy primal_dual_contact_solution
primal_rhs_contact psid psidd sDUiJt spatial_inv_inertia start_idx_v_fromRow staticRegressor supports_fromRow tau tmp
torque_residual u v vcom vxI
idx_vExtended_to_idx_v_fromRow mimic_parents_fromRow mimic_subtree_joint non_mimic_parents_fromRow
neighbour_links joint_cross_coupling elimination_order joint_apparent_inertia
DataTpl() saveToText() saveToString() saveToStringStream() saveToXML() saveToBinary() loadFromText() loadFromString()
loadFromStringStream() loadFromXML() loadFromBinary()
BodyRegressorType ConfigVectorType ContactCholeskyDecomposition Force Frame FrameIndex GeomIndex Index IndexVector
Inertia
JointCollection JointData JointDataVector JointIndex JointModel JointModelVector Matrix3x Matrix6 Matrix6x MatrixXs
Model Motion
Options RowMatrix6 RowMatrixXs RowVectorXs SE3 Scalar TangentVectorType Tensor3x Vector3 Vector6 Vector6c Vector6r
VectorXs
""".split()

# No algorithm of Pinocchio fills these (design study of its source; the page says why each is of no use).
PINOCCHIO_DEAD = "ddJ dYcrb vxI Ivx IS Itmp M6tmp M6tmpR M6tmpR2 oYaba_contact diff_lambda_c constraint_ind".split()

PINOCCHIO_FUNCTIONS = """
forwardKinematics() updateGlobalPlacements() getRelativePlacement() getVelocity() getAcceleration()
getClassicalAcceleration()
updateFramePlacement() updateFramePlacements() framesForwardKinematics() getFrameVelocity() getFrameAcceleration()
getFrameClassicalAcceleration() getFrameJacobian() computeFrameJacobian() getFrameJacobianTimeVariation()
computeSupportedInertiaByFrame() computeSupportedForceByFrame()
computeJointJacobians() getJointJacobian() computeJointJacobian() computeJointJacobiansTimeVariation()
getJointJacobianTimeVariation() computeJointKinematicHessians() getJointKinematicHessian()
computeForwardKinematicsDerivatives() getJointVelocityDerivatives() getJointAccelerationDerivatives()
getPointVelocityDerivatives() getPointClassicAccelerationDerivatives() getFrameVelocityDerivatives()
getFrameAccelerationDerivatives() getCenterOfMassVelocityDerivatives()
rnea() nonLinearEffects() computeGeneralizedGravity() computeStaticTorque() computeCoriolisMatrix()
getCoriolisMatrix() aba()
crba() computeMinverse() computeAllTerms() cholesky::decompose() cholesky::solve() cholesky::Mv() cholesky::UDUtv()
cholesky::Uv() cholesky::Utv() cholesky::Uiv() cholesky::Utiv() cholesky::computeMinv()
computeRNEADerivatives() computeGeneralizedGravityDerivatives() computeStaticTorqueDerivatives()
computeABADerivatives()
ComputeRNEASecondOrderDerivatives() computeCentroidalDynamicsDerivatives() getCentroidalDynamicsDerivatives()
centerOfMass() jacobianCenterOfMass() jacobianSubtreeCenterOfMass() getJacobianSubtreeCenterOfMass() getComFromCrba()
getJacobianComFromCrba() computeTotalMass() computeSubtreeMasses() computeCentroidalMap()
computeCentroidalMapTimeVariation()
ccrba() dccrba() computeCentroidalMomentum() computeCentroidalMomentumTimeVariation() computeKineticEnergy()
computePotentialEnergy() computeMechanicalEnergy() computeStaticRegressor() bodyRegressor() jointBodyRegressor()
frameBodyRegressor() computeJointTorqueRegressor() computeKineticEnergyRegressor() computePotentialEnergyRegressor()
computeJointKinematicRegressor() computeFrameKinematicRegressor()
initConstraintDynamics() constraintDynamics() contactABA() proxLTLs() initPvSolver() pv() constrainedABA() lcaba()
computeConstraintDynamicsDerivatives() impulseDynamics() computeImpulseDynamicsDerivatives() getConstraintJacobian()
getConstraintsJacobian() initPvDelassus() computeDelassusMatrix() computeDampedDelassusMatrixInverse()
computeContactImpulses()
contactInverseDynamics() PGSContactSolver ADMMContactSolver CoulombFrictionCone forwardDynamics()
computeKKTContactDynamicMatrixInverse()
appendModel() buildReducedModel() transformJointIntoMimic() buildMimicModel() findCommonAncestor() copy() check()
ModelGraph
updateGeometryPlacements() computeCollision() computeCollisions() computeDistance() computeDistances()
computeBodyRadius()
rneaInParallel() abaInParallel() ModelPool
integrate() difference() interpolate() distance() squaredDistance() squaredDistanceSum() neutral() random()
randomConfiguration() normalize() isNormalized() isSameConfiguration() dIntegrate() dIntegrateTransport()
dDifference()
integrateCoeffWiseJacobian() tangentMap() tangentMapProduct() tangentMapTransport()
buildModels::manipulator() buildModels::humanoid() buildModels::humanoidRandom()
buildModelFromUrdf() buildModel() buildModelFromXML() buildModelFromXml() buildGeomFromUrdf() buildModelsFromUrdf()
JointModelFreeFlyer() JointModelPlanar() RobotWrapper RobotWrapper.BuildFromURDF() ReferenceFrame LOCAL WORLD
""".split()

DRAKE = """
MultibodyPlant Parser Context CreateDefaultContext() Finalize() num_positions() num_velocities() GetPositionNames()
GetVelocityNames() SetPositions() GetPositions() SetVelocities() GetVelocities() SetPositionsAndVelocities()
GetPositionsAndVelocities() SetDefaultPositions() GetDefaultPositions() SetRandomContext() MapQDotToVelocity()
MapVelocityToQDot() MakeQDotToVelocityMap() MakeVelocityToQDotMap() SetFreeBodyPose() GetFreeBodyPose()
SetFreeBodySpatialVelocity() RigidTransform Quaternion SpatialVelocity SpatialAcceleration SpatialForce
SpatialMomentum
SpatialInertia UnitInertia X_WB V_WB A_WB F_BBo_W
EvalBodyPoseInWorld() CalcRelativeTransform() CalcPointsPositions() CalcPointsVelocities()
EvalBodySpatialVelocityInWorld()
EvalBodySpatialAccelerationInWorld() CalcSpatialAccelerationsFromVdot() CalcJacobianSpatialVelocity()
CalcJacobianTranslationalVelocity() CalcJacobianAngularVelocity() CalcJacobianPositionVector()
CalcBiasSpatialAcceleration()
CalcBiasTranslationalAcceleration() CalcCenterOfMassPositionInWorld() CalcCenterOfMassTranslationalVelocityInWorld()
CalcCenterOfMassTranslationalAccelerationInWorld() CalcJacobianCenterOfMassTranslationalVelocity()
CalcBiasCenterOfMassTranslationalAcceleration() CalcTotalMass() CalcSpatialInertia()
CalcSpatialMomentumInWorldAboutPoint()
CalcMassMatrix() CalcMassMatrixViaInverseDynamics() CalcBiasTerm() CalcGravityGeneralizedForces()
CalcInverseDynamics()
CalcForceElementsContribution() CalcGeneralizedForces() MultibodyForces ExternallyAppliedSpatialForce
CalcKineticEnergy()
CalcPotentialEnergy() CalcConservativePower() CalcNonConservativePower() get_generalized_acceleration_output_port()
get_reaction_forces_output_port() get_applied_generalized_force_input_port() get_applied_spatial_force_input_port()
get_body_poses_output_port() gravity_field() set_gravity_enabled() AddForceElement()
AddRigidBody() AddJoint() AddFrame() AddModelInstance() WeldFrames() GetBodyByName() GetFrameByName() GetJointByName()
GetBodiesWeldedTo() GetBodiesKinematicallyAffectedBy() RevoluteJoint PrismaticJoint ScrewJoint UniversalJoint
PlanarJoint
BallRpyJoint RpyFloatingJoint QuaternionFloatingJoint WeldJoint Joint::Lock() Joint::Unlock() RemoveJoint()
JointActuator AddJointActuator() MakeActuationMatrix() MakeActuatorSelectorMatrix() MakeStateSelectorMatrix()
get_actuation_input_port() num_actuators() GetEffortLowerLimits() GetEffortUpperLimits() GetPositionLowerLimits()
GetPositionUpperLimits() GetVelocityLowerLimits() GetVelocityUpperLimits() GetAccelerationLowerLimits()
AddBallConstraint() AddDistanceConstraint() AddCouplerConstraint() AddWeldConstraint() SetConstraintActiveStatus()
RemoveConstraint() ToAutoDiffXd() ToSymbolic() InverseKinematics Simulator SceneGraph
""".split()

MUJOCO_DATA = """
qpos qvel qacc act ctrl time qacc_warmstart qfrc_applied xfrc_applied eq_active mocap_pos mocap_quat userdata
qM M qLD qLDiagInv qfrc_bias qfrc_passive qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_actuator qfrc_smooth
qacc_smooth qfrc_constraint qfrc_inverse qDeriv qLU
xpos xquat xmat xipos ximat xanchor xaxis geom_xpos site_xpos site_xmat cam_xpos subtree_com subtree_linvel
subtree_angmom
cinert crb cvel cdof cdof_dot cacc cfrc_int cfrc_ext
ten_length ten_velocity ten_J actuator_length actuator_velocity actuator_moment actuator_force act_dot
nefc efc_type efc_J efc_pos efc_vel efc_aref efc_b efc_force efc_AR efc_R efc_D efc_diagA efc_KBIP efc_margin
efc_state
efc_frictionloss contact ncon energy sensordata solver_niter warning plugin_state
nq nv nu nbody njnt body_parentid body_rootid body_weldid body_mass body_subtreemass body_inertia body_ipos body_iquat
body_pos
body_quat body_gravcomp jnt_type jnt_qposadr jnt_dofadr jnt_axis jnt_pos jnt_range jnt_limited jnt_stiffness qpos0
qpos_spring
dof_armature dof_damping dof_frictionloss dof_parentid dof_M0 actuator_gear actuator_ctrlrange actuator_forcerange
tendon_armature
opt.gravity opt.timestep opt.integrator opt.disableflags opt.tolerance eq_type eq_data eq_solref eq_solimp key_qpos
connect weld joint tendon distance flex solref solimp impratio
""".split()

MUJOCO_FUNCTIONS = """
MjModel.from_xml_path() mj_saveLastXML() mj_saveModel() MjSpec mj_copyData() mj_resetData() mj_getState()
mj_setState() mj_step()
mj_step1() mj_step2() mj_forward() mj_inverse() mj_kinematics() mj_comPos() mj_comVel() mj_crb() mj_makeM()
mj_factorM() mj_fullM()
mj_mulM() mj_mulM2() mj_solveM() mj_solveM2() mj_addM() mj_rne() mj_rnePostConstraint() mj_passive() mj_fwdActuation()
mj_fwdAcceleration() mj_fwdConstraint() mj_invConstraint() mj_makeConstraint() mj_projectConstraint()
mj_referenceConstraint()
mj_constraintUpdate() mj_mulJacVec() mj_mulJacTVec() mj_island()
mj_jac() mj_jacBody() mj_jacBodyCom() mj_jacSite() mj_jacGeom() mj_jacPointAxis() mj_jacSubtreeCom() mj_jacDot()
mj_angmomMat()
mj_objectVelocity() mj_objectAcceleration() mj_local2Global() mj_applyFT() mj_contactForce() mj_differentiatePos()
mj_integratePos() mj_normalizeQuat() mj_energyPos() mj_energyVel() mj_subtreeVel() mj_getTotalmass() mj_setTotalmass()
mj_setConst() mj_name2id() mj_id2name() mjd_transitionFD() mjd_inverseFD() mjd_subQuat() mjd_quatIntegrate()
mj_collision() mj_ray()
mj_tendon() mj_transmission() mj_Euler() mj_implicit() mj_RungeKutta() mj_printModel()
""".split()

# What the pages call "not there yet", by the names that it will have: where one exists, the pages are out of date.
NOT_THERE_YET = """
""".split()

# Names of zwang on the pages that arrive with this release from other work: package and headers need not have them yet.
ARRIVES_WITH_THIS_RELEASE = """
""".split()
