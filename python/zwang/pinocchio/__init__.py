# SPDX-License-Identifier: BSD-3-Clause
"""Pinocchio's names over zwang's algorithms: a script for Pinocchio runs with `import zwang.pinocchio as pin`.

    import zwang.pinocchio as pin
    model = pin.buildModelFromUrdf("models/arm7.urdf")
    data = model.createData()
    q = pin.neutral(model)
    pin.framesForwardKinematics(model, data, q)
    print(data.oMf[model.getFrameId("tool0")])

A Model may be changed; the zwang.Model behind it, model.core().model, is made again when it is next used. docs/migrate/pinocchio.md says
what is served, what differs, and why. What is not served raises an error that names zwang's own way.
"""
import warnings as _warnings

import numpy as _np

# Iterations of programs for Pinocchio may turn joints many times on their way.
_warnings.filterwarnings("ignore", message=".*are these degrees", module=r"zwang\.pinocchio\.")

from . import cholesky as cholesky, liegroups as liegroups, missing as _missing, rpy as rpy, utils as utils, visualize as visualize
from ._arrays import seed as seed
from .centroidal import *
from .configurations import *
from .constrained import *
from .constraints import *
from .data import Data as Data
from .derivatives import *
from .dynamics import *
from .edit import *
from .explog import *
from .frames import *
from .geometry import *
from .inertia import Inertia as Inertia, LogCholeskyParameters as LogCholeskyParameters, PseudoInertia as PseudoInertia
from .joints import *
from .kinematics import *
from .model import Frame as Frame, Model as Model
from .parsers import buildModelFromMJCF as buildModelFromMJCF, buildModelFromSdf as buildModelFromSdf
from .parsers import buildModelFromUrdf as buildModelFromUrdf, buildModelFromXML as buildModelFromXML
from .quaternion import AngleAxis as AngleAxis, Quaternion as Quaternion, SE3ToXYZQUAT as SE3ToXYZQUAT
from .quaternion import SE3ToXYZQUATtuple as SE3ToXYZQUATtuple, XYZQUATToSE3 as XYZQUATToSE3
from .regressors import *
from .robot_wrapper import RobotWrapper as RobotWrapper
from .spatial import SE3 as SE3, Force as Force, Motion as Motion, classicAcceleration as classicAcceleration
from .spatial import skew as skew, skewSquare as skewSquare, unSkew as unSkew
from .srdf import *
from .visualize import buildGeomFromUrdf as buildGeomFromUrdf, buildModelsFromUrdf as buildModelsFromUrdf

StdVec_Force = StdVec_Motion = StdVec_SE3 = StdVec_Inertia = StdVec_Index = StdVec_Double = StdVec_StdString = list
StdVec_RigidConstraintModel = StdVec_RigidConstraintData = list
StdVec_Vector3 = StdVec_Frame = StdVec_Model = StdVec_Data = StdVec_int = StdVec_Bool = StdVec_IndexVector = list
XAxis, YAxis, ZAxis = _np.eye(3)
__version__ = "4.1.0"  # of the interface
PINOCCHIO_MAJOR_VERSION, PINOCCHIO_MINOR_VERSION, PINOCCHIO_PATCH_VERSION = 4, 1, 0
WITH_URDFDOM = WITH_SDFORMAT = True
WITH_HPP_FCL = WITH_COLLISION = WITH_CPPAD = WITH_OPENMP = WITH_CASADI = False


def checkVersionAtLeast(major: int, minor: int, patch: int) -> bool:
    """Whether the interface is that of this version or a later one."""
    return (4, 1, 0) >= (major, minor, patch)


def __getattr__(name: str) -> object:
    raise AttributeError(_missing.why(name))
