# SPDX-License-Identifier: BSD-3-Clause
# What is public, for type checkers and editors: all of the extension, and what is imported when it is first named.
from . import casadi as casadi, gym as gym, jax as jax, peers as peers, study as study, torch as torch
from ._generated import Compiled as Compiled, CompiledFunction as CompiledFunction, compile_c as compile_c
from ._live import LiveView as LiveView
from ._progress import ProgressEvery as ProgressEvery
from ._status import Reports as Reports, Rollout as Rollout, Statuses as Statuses
from ._verify import Verification as Verification, verify as verify
from ._zwang import *
from ._zwang import __version__ as __version__
from .study import Study as Study, StudyError as StudyError, StudyResults as StudyResults, open_study as open_study
