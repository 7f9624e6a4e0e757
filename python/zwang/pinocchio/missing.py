# SPDX-License-Identifier: BSD-3-Clause
"""Names of Pinocchio that are not served, each with zwang's own way."""
from __future__ import annotations

_GEOMETRY = "looks for no collisions: zwang.Scene finds what touches, C++ nearest_points finds distances, zwang.view draws"
_VIEWERS = "has zwang's viewer alone: visualize.MeshcatVisualizer is served by zwang.LiveView"
_CONES = "has no solvers of friction cones: zwang.simulate with a zwang.Scene, or zwang.solve_contacts"
_TANGENT = "has tangentMap as a whole matrix"
_PARALLEL = "takes many states at once: zwang's calls on model.core().model take arrays (N, nq)"

WHY: dict[str, str] = {
    **dict.fromkeys(("CollisionObject", "CollisionGeometry",
                     "ComputeCollision", "ComputeDistance", "MeshLoader", "CachedMeshLoader",
                     "buildGeomFromUrdfString", "buildGeomFromMJCF", "buildModelsFromSdf", "buildModelsFromMJCF",
                     "buildSampleGeometryModelHumanoid", "buildSampleGeometryModelManipulator", "computeCollision",
                     "computeCollisions", "computeDistance", "computeDistances", "computeBodyRadius", "removeCollisionPairs",
                     "removeCollisionPairsFromXML", "coal", "hppfcl"), _GEOMETRY),
    **dict.fromkeys(("GepettoVisualizer", "Panda3dVisualizer", "RVizVisualizer"), _VIEWERS),
    **dict.fromkeys(("PGSContactSolver", "ADMMContactSolver", "PGSConstraintSolver", "ADMMConstraintSolver", "CoulombFrictionCone",
                     "DualCoulombFrictionCone", "contactInverseDynamics", "computeInverseDynamicsConstraintForces"), _CONES),
    **dict.fromkeys(("compactTangentMap", "getTangentToConfigurationSparsitySegment"), _TANGENT),
    **dict.fromkeys(("ModelPool", "GeometryPool", "createDatas", "computeCollisionsInParallel"), _PARALLEL),
    "JointData": "keeps no data of joints: forwardKinematics and getJointJacobian have what moves",
    "casadi": "has no casadi types: zwang.casadi has dynamics as casadi functions",
    "cppad": "has no CppAD types: derivatives are functions, and zwang's C++ takes scalars",
    "serialization": "writes no archives of Pinocchio: pickle the model, or write model.core().model.to_json()",
    "ModelGraph": "has no ModelGraph: zwang.ModelBuilder, zwang.re_root, zwang.subtree",
    "graph": "has no ModelGraph: zwang.ModelBuilder, zwang.re_root, zwang.subtree",
    "Symmetric3": "has no Symmetric3: a 3 x 3 array is taken wherever it was",
    "computeSupportedInertiaByFrame": "does not sum inertias behind a frame: zwang.supported_inertia on a model loaded by zwang.load",
    "computeSupportedForceByFrame": "does not sum forces behind a frame: zwang.supported_force on a model loaded by zwang.load",
    "Hlog3": "has no second derivative of log3: zwang.right_jacobian_inverse is its first",
    "buildModelAndConstraintsFromMJCF": "reads no constraints here: zwang.load_robot(path).constraints",
    "buildModelsAndConstraintsFromMJCF": "reads no constraints here: zwang.load_robot(path).constraints",
    "buildModelsAndConstraintsFromSdf": "reads no constraints here: zwang.load_robot(path).constraints",
    "lcaba": "solves constraints by constraintDynamics: zwang.Solver(model, constraints, 'loop_aba') is the method",
    "computeKKTContactDynamicMatrixInverse": "does not invert the system of constraints: zwang.Solver.contact_cholesky factorises it",
    "getKKTContactDynamicMatrixInverse": "does not invert the system of constraints: zwang.Solver.contact_cholesky factorises it",
    "ContactCholeskyDecomposition": "factorises by zwang.Solver.contact_cholesky",
}


def why(name: str) -> str:
    """One sentence for a name that is not there."""
    if name in WHY:
        return f"zwang.pinocchio {WHY[name]}"
    return f"module 'zwang.pinocchio' has no attribute '{name}'; docs/migrate/pinocchio.md names what zwang has in its place"
