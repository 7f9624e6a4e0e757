# SPDX-License-Identifier: BSD-3-Clause
"""Refused: Pinocchio's functions of casadi numbers. zwang.casadi has dynamics as casadi functions of another form."""
raise ImportError("zwang.pinocchio has no casadi types: zwang.casadi has dynamics as casadi functions")
