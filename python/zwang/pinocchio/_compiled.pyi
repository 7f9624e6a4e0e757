# SPDX-License-Identifier: BSD-3-Clause
# Types of what python/src/pinocchio has. Numbers as arguments are Any: they come in every form that Pinocchio takes.
from typing import Any, overload
from collections.abc import Callable, Iterator

from typing_extensions import Self

from . import core as _core, data as _data, model as _model, spatial as _spatial
from ._arrays import Array
from .frames import KinematicLevel, ReferenceFrame

class Six:
    """Six numbers, linear part first: what Motion and Force share."""
    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, x: Any, /) -> None: ...
    @overload
    def __init__(self, linear: Any, angular: Any) -> None: ...
    @property
    def linear(self) -> Array:
        """The first three numbers: a view."""
    @linear.setter
    def linear(self, value: Any) -> None: ...
    @property
    def angular(self) -> Array:
        """The last three numbers: a view."""
    @angular.setter
    def angular(self, value: Any) -> None: ...
    @property
    def vector(self) -> Array:
        """The six numbers: a view."""
    @vector.setter
    def vector(self, value: Any) -> None: ...
    @property
    def np(self) -> Array:
        """The six numbers: a view."""
    @np.setter
    def np(self, value: Any) -> None: ...
    @property
    def _v(self) -> Array: ...
    def copy(self) -> Self:
        """One of its own numbers."""
    def dot(self, other: Any) -> float:
        """The power of a motion and a force."""
    def cross(self, other: Any) -> Any:
        """self x other of a motion, with a motion or a force."""
    def __add__(self, other: Any) -> Self: ...
    def __sub__(self, other: Any) -> Self: ...
    def __iadd__(self, other: Any) -> Self: ...
    def __isub__(self, other: Any) -> Self: ...
    def __neg__(self) -> Self: ...
    def __mul__(self, factor: Any) -> Self: ...
    def __rmul__(self, factor: Any) -> Self: ...
    def __truediv__(self, divisor: Any) -> Self: ...

class SE3:
    """A 4 x 4 matrix [R p; 0 1]: what SE3 derives from."""
    @overload
    def __init__(self) -> None: ...
    @overload
    def __init__(self, x: Any, /) -> None: ...
    @overload
    def __init__(self, rotation: Any, translation: Any) -> None: ...
    @staticmethod
    def Identity() -> _spatial.SE3:
        """No displacement."""
    @property
    def rotation(self) -> Array:
        """3 x 3: a view."""
    @rotation.setter
    def rotation(self, value: Any) -> None: ...
    @property
    def translation(self) -> Array:
        """(3,): a view."""
    @translation.setter
    def translation(self, value: Any) -> None: ...
    @property
    def homogeneous(self) -> Array:
        """4 x 4, a copy."""
    @property
    def np(self) -> Array:
        """4 x 4, a copy."""
    @property
    def _m(self) -> Array: ...
    @_m.setter
    def _m(self, value: Array) -> None: ...
    @property
    def action(self) -> Array:
        """The 6 x 6 matrix that takes twists along: [R, p x R; 0, R]."""
    @property
    def actionInverse(self) -> Array:
        """action of the inverse."""
    @property
    def dualAction(self) -> Array:
        """The 6 x 6 matrix that takes wrenches along: [R, 0; p x R, R]."""
    def inverse(self) -> _spatial.SE3:
        """[R' -R'p; 0 1]."""
    def act(self, x: Any) -> Any:
        """x, given in this frame, in the one in which this frame is given: SE3, Motion, Force, Inertia, point or points (3, n)."""
    def actInv(self, x: Any) -> Any:
        """inverse().act(x)."""
    def __mul__(self, x: Any) -> Any: ...
    def __matmul__(self, x: Any) -> Any: ...
    def copy(self) -> _spatial.SE3:
        """One of its own numbers."""
    def isApprox(self, other: Any, prec: float = ...) -> bool:
        """Whether rotation and translation are the same but for prec."""

def six_view(type: type[Any], six: Array) -> Any: ...
def pose_view(m: Array) -> _spatial.SE3: ...
def register(pose: type[_spatial.SE3], motion: type[_spatial.Motion], force: type[_spatial.Force]) -> None: ...

def skew(u: Any) -> Array:
    """The matrix of u x, of a vector of three."""
def coefficients_of(R: Any) -> Array:
    """The unit quaternion x y z w of a rotation, w >= 0."""
def rotation_of(quaternion: Any) -> Array:
    """The rotation of a unit quaternion x y z w."""
def SE3ToXYZQUAT(M: _spatial.SE3) -> Array:
    """Position and quaternion x y z w of a pose, (7,)."""
def XYZQUATToSE3(x: Any) -> _spatial.SE3:
    """The pose of a position and a quaternion x y z w, which is brought to unit length."""
def rpyToMatrix(*rpy: Any) -> Array:
    """The rotation of (roll, pitch, yaw), given as three numbers or one vector."""

def exp3(w: Any) -> Array:
    """The rotation by the vector w, 3 x 3."""
def log3(R: Any, theta: Any = None) -> Array:
    """The rotation vector of a 3 x 3 matrix or a quaternion, at most pi long; theta: an array that receives the angle."""
def Jexp3(w: Any) -> Array:
    """exp3(w + dw) = exp3(w) exp3(J dw) to first order: the right Jacobian, 3 x 3."""
def Jlog3(R: Any) -> Array:
    """log3(R exp3(dw)) = log3(R) + J dw to first order, 3 x 3."""
def exp6(v: Any) -> _spatial.SE3:
    """The displacement by the twist v, a Motion or six numbers."""
def log6(M: Any) -> _spatial.Motion:
    """The twist whose displacement is M, an SE3, a 4 x 4 matrix, or a position and a quaternion (7,)."""
def Jexp6(v: Any) -> Array:
    """exp6(v + dv) = exp6(v) exp6(J dv) to first order, 6 x 6."""
def Jlog6(M: Any) -> Array:
    """log6(M exp6(dv)) = log6(M) + J dv to first order, 6 x 6."""

class Core:
    """A zwang.Model with the order of Pinocchio's numbers."""
    def __init__(self, model: Any, nq: int, nv: int, joints: list[int], frames: list[int], at_v: list[int], quaternions: list[int],
                 circles: list[int], pieces: list[list[int]], spans: list[list[int]]) -> None: ...
    @property
    def same_q(self) -> bool: ...
    def q(self, q: Any) -> Array: ...
    def own_q(self, q: Any) -> Array: ...
    def q_back(self, z: Any) -> Array: ...
    def v(self, v: Any, what: str = ...) -> Array: ...
    def external(self, forces: Any) -> dict[int, Array] | None: ...

class State:
    """A state in zwang's order."""
    def __init__(self, core: _core.Core, q: Any, v: Any = None, a: Any = None) -> None: ...
    @property
    def core(self) -> _core.Core: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def a(self) -> Array: ...
    @property
    def external(self) -> Any: ...
    @property
    def stamp(self) -> int: ...
    @property
    def com_in_world(self) -> bool: ...
    def need_v(self, who: str) -> Array: ...
    def need_a(self, who: str) -> Array: ...
    def same_place(self, other: State) -> bool: ...
    def pose(self, frame: int) -> _spatial.SE3: ...

class Poses:
    """Poses of joints or frames, computed when they are read."""
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int) -> _spatial.SE3: ...
    @overload
    def __getitem__(self, place: slice) -> list[_spatial.SE3]: ...
    def __iter__(self) -> Iterator[_spatial.SE3]: ...
    def tolist(self) -> list[_spatial.SE3]:
        """A Python list of the entries."""

class Model:
    """What a Model derives from: it knows whether its Core is that of the model."""
    def __init__(self) -> None: ...
    def core(self) -> _core.Core:
        """The zwang.Model of what this model says now, made again where that has changed."""
    def _touch(self, nq: int, nv: int, njoints: int) -> None: ...
    def _watch_arrays(self, arrays: list[Array]) -> None: ...

class Data:
    """What a Data derives from: the states that its members belong to."""
    def __init__(self, model_or_data: Any) -> None: ...
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def njoints(self) -> int: ...
    @property
    def oMi(self) -> Poses: ...
    @property
    def oMf(self) -> Poses: ...
    @property
    def _constrained(self) -> Any: ...
    @_constrained.setter
    def _constrained(self, value: Any) -> None: ...
    @property
    def _mass(self) -> Any: ...
    @_mass.setter
    def _mass(self, value: Any) -> None: ...
    def fits(self, model: _model.Model) -> None: ...
    def core_of(self, model: _model.Model) -> _core.Core: ...
    def move(self, model: _model.Model, q: Any, v: Any = None, a: Any = None) -> State: ...
    def now(self, model: _model.Model, who: str) -> State: ...
    def moving(self, model: _model.Model, who: str, local: bool = False) -> State: ...
    def centre(self, state: State, in_world: bool) -> None: ...
    def _state(self, group: str) -> State | None: ...
    def _hold(self, state: State, groups: list[str]) -> None: ...

def seed(number: int) -> None: ...
def neutral(model: _model.Model) -> Array:
    """No translation, no rotation."""
def randomConfiguration(model: _model.Model, lower_bound: Any = None, upper_bound: Any = None) -> Array:
    """Between the limits of the model, or these; rotations of quaternions and circles of every direction alike.

    Raises ValueError where a number that has bounds has none. pin.seed starts the numbers again.
    """
def integrate(model: _model.Model, q: Any, v: Any) -> Array:
    """Where the velocity v leads in unit time."""
def difference(model: _model.Model, q1: Any, q2: Any) -> Array:
    """The velocity that leads from q1 to q2 in unit time. Limits may be an argument: where one is endless, the number is
    infinite, or NaN in a joint of several freedoms or on a circle.
    """
def interpolate(model: _model.Model, q1: Any, q2: Any, alpha: float) -> Array:
    """q1 at alpha = 0, q2 at alpha = 1."""
def normalize(model: _model.Model, q: Any) -> Array:
    """q with quaternions and (cos, sin) of length 1; those of length 0 become no rotation."""

def columns(state: State) -> Array: ...
def register_all_terms(members: dict[str, Callable[[State], Any]]) -> None: ...
def forwardKinematics(model: _model.Model, data: _data.Data, q: Any, v: Any = None, a: Any = None) -> None:
    """Placements of all joints; with v their velocities, with a their accelerations (without gravity)."""
def updateFramePlacements(model: _model.Model, data: _data.Data) -> Poses:
    """data.oMf: it follows the last configuration without this call, too."""
def updateFramePlacement(model: _model.Model, data: _data.Data, frame_id: int) -> _spatial.SE3:
    """The placement of one frame."""
def updateGlobalPlacements(model: _model.Model, data: _data.Data) -> None:
    """data.oMi: it follows the last configuration without this call, too."""
def framesForwardKinematics(model: _model.Model, data: _data.Data, q: Any = None) -> None:
    """Placements of all joints and frames."""
def getVelocity(model: _model.Model, data: _data.Data, joint_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Velocity of a joint's frame."""
def getAcceleration(model: _model.Model, data: _data.Data, joint_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Spatial acceleration of a joint's frame, without gravity."""
def getClassicalAcceleration(model: _model.Model, data: _data.Data, joint_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Classical acceleration of a joint's frame, without gravity."""
@overload
def getFrameVelocity(model: _model.Model, data: _data.Data, frame_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Velocity of a frame: (frame_id, reference_frame=LOCAL) or (joint_id, placement, reference_frame=LOCAL)."""
@overload
def getFrameVelocity(model: _model.Model, data: _data.Data, joint_id: int, placement: _spatial.SE3, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Velocity of a frame: (frame_id, reference_frame=LOCAL) or (joint_id, placement, reference_frame=LOCAL)."""
@overload
def getFrameAcceleration(model: _model.Model, data: _data.Data, frame_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Spatial acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
@overload
def getFrameAcceleration(model: _model.Model, data: _data.Data, joint_id: int, placement: _spatial.SE3, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Spatial acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
@overload
def getFrameClassicalAcceleration(model: _model.Model, data: _data.Data, frame_id: int, reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Classical acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
@overload
def getFrameClassicalAcceleration(model: _model.Model, data: _data.Data, joint_id: int, placement: _spatial.SE3,
                                  reference_frame: ReferenceFrame | int = ...) -> _spatial.Motion:
    """Classical acceleration of a frame, without gravity; arguments as of getFrameVelocity."""
@overload
def getFrameJacobian(model: _model.Model, data: _data.Data, frame_id: int, reference_frame: ReferenceFrame | int = ...) -> Array:
    """Jacobian of a frame, (6, nv): (frame_id, reference_frame) or (joint_id, placement, reference_frame)."""
@overload
def getFrameJacobian(model: _model.Model, data: _data.Data, joint_id: int, placement: _spatial.SE3, reference_frame: ReferenceFrame | int = ...) -> Array:
    """Jacobian of a frame, (6, nv): (frame_id, reference_frame) or (joint_id, placement, reference_frame)."""
def computeJointJacobians(model: _model.Model, data: _data.Data, q: Any = None) -> Array:
    """data.J: the columns of all joints about the world's origin, in world axes."""
def getJointJacobian(model: _model.Model, data: _data.Data, joint_id: int, reference_frame: ReferenceFrame | int = ...) -> Array:
    """Jacobian of a joint's frame, (6, nv)."""
def computeJointJacobian(model: _model.Model, data: _data.Data, q: Any, joint_id: int) -> Array:
    """Jacobian of a joint's frame in its axes, (6, nv); data.J is that matrix in Pinocchio, too."""
def computeFrameJacobian(model: _model.Model, data: _data.Data, q: Any, frame_id: int, reference_frame: ReferenceFrame | int = ...) -> Array:
    """Jacobian of a frame, (6, nv), at q."""
def rnea(model: _model.Model, data: _data.Data, q: Any, v: Any, a: Any, fext: Any = None) -> Array:
    """data.tau: torques that produce the acceleration a. fext: a Force per joint, in its axes about its origin."""
def aba(model: _model.Model, data: _data.Data, q: Any, v: Any, tau: Any, fext: Any = None, convention: Any = None) -> Array:
    """data.ddq: accelerations that torques cause."""
def crba(model: _model.Model, data: _data.Data, q: Any, convention: Any = None) -> Array:
    """data.M: the mass matrix, both triangles, armature on its diagonal."""
def nonLinearEffects(model: _model.Model, data: _data.Data, q: Any, v: Any) -> Array:
    """data.nle: C v + g."""
def computeGeneralizedGravity(model: _model.Model, data: _data.Data, q: Any) -> Array:
    """data.g: torques that hold the robot still."""
def computeMinverse(model: _model.Model, data: _data.Data, q: Any = None) -> Array:
    """data.Minv: the inverse of the mass matrix, both triangles."""
def computeCoriolisMatrix(model: _model.Model, data: _data.Data, q: Any, v: Any) -> Array:
    """data.C with C v + g = nle, and dM/dt - 2 C antisymmetric."""
def getCoriolisMatrix(model: _model.Model, data: _data.Data) -> Array:
    """data.C of the state of the last call."""
def computeAllTerms(model: _model.Model, data: _data.Data, q: Any, v: Any) -> None:
    """M, nle, g, kinematics, J, com, Jcom, Ag, hg, Ig, energies."""
@overload
def centerOfMass(model: _model.Model, data: _data.Data, q: Any = None, v: Any = None, a: Any = None, compute_subtree_coms: bool = True) -> Array:
    """data.com[0], with v data.vcom[0], with a data.acom[0].

    (q[, v[, a]][, compute_subtree_coms]), or (kinematic_level[, compute_subtree_coms]) or nothing: of the state of the last call.
    """
@overload
def centerOfMass(model: _model.Model, data: _data.Data, kinematic_level: KinematicLevel, compute_subtree_coms: bool = True) -> Array:
    """data.com[0], with v data.vcom[0], with a data.acom[0].

    (q[, v[, a]][, compute_subtree_coms]), or (kinematic_level[, compute_subtree_coms]) or nothing: of the state of the last call.
    """
def jacobianCenterOfMass(model: _model.Model, data: _data.Data, q: Any = None, compute_subtree_coms: bool = True) -> Array:
    """data.Jcom: (3, nv), world axes."""
def computeRNEADerivatives(model: _model.Model, data: _data.Data, q: Any, v: Any, a: Any, fext: Any = None) -> tuple[Array, Array, Array]:
    """data.dtau_dq, data.dtau_dv, and the mass matrix: d rnea by its arguments."""
def computeABADerivatives(model: _model.Model, data: _data.Data, q: Any, v: Any, tau: Any, fext: Any = None) -> tuple[Array, Array, Array]:
    """data.ddq_dq, data.ddq_dv, data.ddq_dtau (the inverse of the mass matrix): d aba by its arguments."""
def constraintDynamics(model: _model.Model, data: _data.Data, q: Any, v: Any, tau: Any, contact_models: Any, contact_datas: Any = None, settings: Any = None) -> Array:
    """data.ddq and data.lambda_c: accelerations under constraints and the wrenches that hold them, on the first bodies.

    Rows that depend on each other are solved by the shortest multipliers, whatever mu says. Raises ArithmeticError where
    rows contradict.
    """

class RigidConstraintData:
    """What was found for one constraint."""
    def __init__(self) -> None: ...
    @property
    def contact_force(self) -> _spatial.Force: ...
    @contact_force.setter
    def contact_force(self, value: _spatial.Force) -> None: ...
    @property
    def contact_placement_error(self) -> _spatial.Motion: ...
    @contact_placement_error.setter
    def contact_placement_error(self, value: _spatial.Motion) -> None: ...
    @property
    def contact_velocity_error(self) -> _spatial.Motion: ...
    @contact_velocity_error.setter
    def contact_velocity_error(self, value: _spatial.Motion) -> None: ...
    @property
    def oMc1(self) -> _spatial.SE3: ...
    @oMc1.setter
    def oMc1(self, value: _spatial.SE3) -> None: ...
    @property
    def oMc2(self) -> _spatial.SE3: ...
    @oMc2.setter
    def oMc2(self, value: _spatial.SE3) -> None: ...
    @property
    def c1Mc2(self) -> _spatial.SE3: ...
    @c1Mc2.setter
    def c1Mc2(self, value: _spatial.SE3) -> None: ...

def register_constraints(type: type[Any], solve: Callable[..., Array]) -> None: ...
