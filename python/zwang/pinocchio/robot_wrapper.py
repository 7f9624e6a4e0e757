# SPDX-License-Identifier: BSD-3-Clause
"""RobotWrapper: a model with its data and its neutral configuration."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import centroidal, configurations, dynamics, edit, kinematics, parsers, visualize
from ._arrays import Array
from .frames import LOCAL, ReferenceFrame
from .joints import JointModel
from .model import Model
from .spatial import SE3, Force, Motion


class RobotWrapper:
    """A model, data, q0 and v0, and calls without either; geometry is for drawing alone."""

    def __init__(self, model: Model, collision_model: Any = None, visual_model: Any = None, verbose: bool = False) -> None:
        self.model, self.collision_model, self.visual_model = model, collision_model, visual_model
        self.viz: visualize.BaseVisualizer | None = None
        self.rebuildData()
        self.v0: Array = np.zeros(model.nv)
        self.q0: Array = configurations.neutral(model)

    def rebuildData(self) -> None:
        """A new Data."""
        self.data = self.model.createData()

    @staticmethod
    def BuildFromURDF(filename: Any, package_dirs: Any = None, root_joint: JointModel | None = None, verbose: bool = False,
                      meshLoader: Any = None, mimic: bool = False) -> RobotWrapper:
        """Of a URDF; package_dirs are for drawing."""
        return RobotWrapper(*visualize.buildModelsFromUrdf(filename, package_dirs, root_joint, mimic=mimic))

    @staticmethod
    def BuildFromMJCF(filename: Any, root_joint: JointModel | None = None, verbose: bool = False, meshLoader: Any = None) -> RobotWrapper:
        """Of an MJCF file."""
        return RobotWrapper(parsers.buildModelFromMJCF(filename, root_joint))

    @staticmethod
    def BuildFromSDF(filename: Any, package_dirs: Any = None, root_joint: JointModel | None = None, root_link_name: str = "",
                     parent_guidance: Any = (), verbose: bool = False, meshLoader: Any = None) -> RobotWrapper:
        """Of an SDF file."""
        if root_link_name or parent_guidance:
            raise NotImplementedError("zwang.pinocchio chooses no root of an SDF: zwang.re_root does")
        return RobotWrapper(parsers.buildModelFromSdf(filename, root_joint))

    def initFromURDF(self, *args: Any, **named: Any) -> None:
        """Becomes that of a URDF."""
        self.__dict__.update(RobotWrapper.BuildFromURDF(*args, **named).__dict__)

    nq = property(lambda self: self.model.nq, doc="Numbers in q.")
    nv = property(lambda self: self.model.nv, doc="Numbers in v.")
    index = property(lambda self: self.model.getJointId, doc="The number of a joint.")

    def com(self, q: Any = None, v: Any = None, a: Any = None) -> Any:
        """The centre of mass, with v its velocity, with a its acceleration."""
        if q is None:
            return centroidal.centerOfMass(self.model, self.data)
        centroidal.centerOfMass(self.model, self.data, *(x for x in (q, v, a) if x is not None))
        d = self.data
        if v is None:
            return np.array(d.com[0])
        return (np.array(d.com[0]), np.array(d.vcom[0])) if a is None else (np.array(d.com[0]), np.array(d.vcom[0]), np.array(d.acom[0]))

    def vcom(self, q: Any, v: Any) -> Array:
        """Velocity of the centre of mass."""
        return np.asarray(self.com(q, v)[1])

    def acom(self, q: Any, v: Any, a: Any) -> Array:
        """Acceleration of the centre of mass."""
        return np.asarray(self.com(q, v, a)[2])

    def Jcom(self, q: Any) -> Array:
        """Jacobian of the centre of mass."""
        return centroidal.jacobianCenterOfMass(self.model, self.data, q)

    def centroidalMomentum(self, q: Any, v: Any) -> Force:
        """Momentum about the centre of mass."""
        return centroidal.computeCentroidalMomentum(self.model, self.data, q, v)

    def centroidalMap(self, q: Any) -> Array:
        """Its matrix."""
        return centroidal.computeCentroidalMap(self.model, self.data, q)

    def centroidal(self, q: Any, v: Any) -> tuple[Force, Array]:
        """Both."""
        A = centroidal.ccrba(self.model, self.data, q, v)
        return self.data.hg, A

    def centroidalMomentumVariation(self, q: Any, v: Any, a: Any) -> Force:
        """Its rate."""
        return centroidal.computeCentroidalMomentumTimeVariation(self.model, self.data, q, v, a)

    def mass(self, q: Any) -> Array:
        """The mass matrix."""
        return dynamics.crba(self.model, self.data, q)

    def nle(self, q: Any, v: Any) -> Array:
        """C v + g."""
        return dynamics.nonLinearEffects(self.model, self.data, q, v)

    def gravity(self, q: Any) -> Array:
        """Torques that hold it still."""
        return dynamics.computeGeneralizedGravity(self.model, self.data, q)

    def forwardKinematics(self, q: Any, v: Any = None, a: Any = None) -> None:
        """Placements, with v velocities, with a accelerations."""
        kinematics.forwardKinematics(self.model, self.data, q, v, a)

    def framesForwardKinematics(self, q: Any) -> None:
        """Placements of joints and frames."""
        kinematics.framesForwardKinematics(self.model, self.data, q)

    def placement(self, q: Any, index: int, update_kinematics: bool = True) -> SE3:
        """Of a joint."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q)
        return self.data.oMi[index]  # type: ignore[no-any-return]

    def velocity(self, q: Any, v: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a joint."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v)
        return kinematics.getVelocity(self.model, self.data, index, reference_frame)

    def acceleration(self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True,
                     reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a joint, spatial."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v, a)
        return kinematics.getAcceleration(self.model, self.data, index, reference_frame)

    def classicalAcceleration(self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True,
                              reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a joint, classical."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v, a)
        return kinematics.getClassicalAcceleration(self.model, self.data, index, reference_frame)

    def framePlacement(self, q: Any, index: int, update_kinematics: bool = True) -> SE3:
        """Of a frame."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q)
        return kinematics.updateFramePlacement(self.model, self.data, index)

    def frameVelocity(self, q: Any, v: Any, index: int, update_kinematics: bool = True, reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a frame."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v)
        return kinematics.getFrameVelocity(self.model, self.data, index, reference_frame)

    def frameAcceleration(self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True,
                          reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a frame, spatial."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v, a)
        return kinematics.getFrameAcceleration(self.model, self.data, index, reference_frame)

    def frameClassicalAcceleration(self, q: Any, v: Any, a: Any, index: int, update_kinematics: bool = True,
                                   reference_frame: ReferenceFrame = LOCAL) -> Motion:
        """Of a frame, classical."""
        if update_kinematics:
            kinematics.forwardKinematics(self.model, self.data, q, v, a)
        return kinematics.getFrameClassicalAcceleration(self.model, self.data, index, reference_frame)

    def computeJointJacobian(self, q: Any, index: int) -> Array:
        """Of a joint, in its axes."""
        return kinematics.computeJointJacobian(self.model, self.data, q, index)

    def getJointJacobian(self, index: int, rf_frame: ReferenceFrame = LOCAL) -> Array:
        """Of a joint, in the state of the last call."""
        return kinematics.getJointJacobian(self.model, self.data, index, rf_frame)

    def computeJointJacobians(self, q: Any) -> Array:
        """Columns of all joints."""
        return kinematics.computeJointJacobians(self.model, self.data, q)

    def computeFrameJacobian(self, q: Any, frame_id: int) -> Array:
        """Of a frame, in its axes."""
        return kinematics.computeFrameJacobian(self.model, self.data, q, frame_id)

    def getFrameJacobian(self, frame_id: int, rf_frame: ReferenceFrame = LOCAL) -> Array:
        """Of a frame, in the state of the last call."""
        return kinematics.getFrameJacobian(self.model, self.data, frame_id, rf_frame)

    def buildReducedRobot(self, list_of_joints_to_lock: Any, reference_configuration: Any = None) -> RobotWrapper:
        """Joints, by number or name, held at a configuration, q0 if none is given."""
        at = self.q0 if reference_configuration is None else reference_configuration
        numbers = [self.model.getJointId(k) if isinstance(k, str) else int(k) for k in list_of_joints_to_lock]
        return RobotWrapper(edit.buildReducedModel(self.model, numbers, at))

    def setVisualizer(self, visualizer: Any, *_: Any) -> None:
        """Which visualizer display uses."""
        self.viz = visualizer

    def initViewer(self, *_: Any, open: bool = False, **__: Any) -> None:
        """Opens zwang's viewer."""
        if self.viz is None:
            self.viz = visualize.MeshcatVisualizer(self.model, self.collision_model, self.visual_model)
        self.viz.initViewer(open=open)

    def loadViewerModel(self, *_: Any, **__: Any) -> None:
        """The model is there already."""

    def display(self, q: Any) -> None:
        """Moves the robot in the viewer."""
        if self.viz is None:
            raise RuntimeError("display: call initViewer first")
        self.viz.display(q)

    def play(self, q_trajectory: Any, dt: float) -> None:
        """Shows configurations one after the other."""
        if self.viz is None:
            raise RuntimeError("play: call initViewer first")
        self.viz.play(q_trajectory, dt)
