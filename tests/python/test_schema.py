# SPDX-License-Identifier: BSD-3-Clause
"""Every document is as docs/schema says, and every key of a schema of what is written occurs."""
import json
import math

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, load_project, project_robots

SCHEMAS = {name: json.loads((ROOT / "docs" / "schema" / f"{name}.json").read_text())
           for name in ("model", "constraints", "solution", "state")}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


class Checker:
    """The part of JSON Schema 2020-12 that the schemas use; notes which properties occur."""

    def __init__(self, name):
        self.root, self.seen = SCHEMAS[name], set()

    def fits(self, x, schema):
        try:
            self.check(x, schema, "")
        except AssertionError:
            return False
        return True

    def check(self, x, schema=None, where="$"):
        schema = self.root if schema is None else schema
        unknown = set(schema) - {"$schema", "$defs", "$ref", "title", "description", "type", "properties", "required",
                                 "additionalProperties", "items", "minItems", "maxItems", "minimum", "enum", "const",
                                 "oneOf"}
        assert not unknown, unknown
        if "$ref" in schema:
            self.check(x, self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")], where)
        if "oneOf" in schema:
            fitting = [s for s in schema["oneOf"] if self.fits(x, s)]
            assert fitting, f"{where}: {str(x)[:200]} is none of {len(schema['oneOf'])}"
        if "const" in schema:
            assert x == schema["const"], where
        if "enum" in schema:
            assert x in schema["enum"], f"{where}: {x}"
        kind = schema.get("type")
        if kind in ("number", "integer"):
            assert isinstance(x, (int, float) if kind == "number" else int) and not isinstance(x, bool), f"{where}: {x}"
            assert math.isfinite(x) and x >= schema.get("minimum", -math.inf), f"{where}: {x}"
        elif kind:
            assert isinstance(x, TYPES[kind]), f"{where}: {str(x)[:80]} is no {kind}"
        if isinstance(x, list):
            assert schema.get("minItems", 0) <= len(x) <= schema.get("maxItems", len(x)), f"{where}: {len(x)} items"
            for k, item in enumerate(x):
                self.check(item, schema.get("items", {}), f"{where}[{k}]")
        if isinstance(x, dict):
            missing = set(schema.get("required", ())) - set(x)
            assert not missing, f"{where}: {missing} missing"
            for key, value in x.items():
                other = schema.get("additionalProperties", {})
                inner = schema.get("properties", {}).get(key, other)
                assert inner is not False, f"{where}: unknown key {key}"
                if key in schema.get("properties", {}):
                    self.seen.add((id(schema["properties"]), key))
                self.check(value, inner, f"{where}.{key}")

    def never_seen(self, schema=None):
        schema = self.root if schema is None else schema
        if isinstance(schema, list):
            return {key for item in schema for key in self.never_seen(item)}
        if not isinstance(schema, dict):
            return set()
        found = {key for item in schema.values() for key in self.never_seen(item)}
        own = schema.get("properties")
        if isinstance(own, dict):
            found |= {key for key in own if (id(own), key) not in self.seen}
        return found


FULL = {
    "format": "zwang.model", "version": 1, "name": "full",
    "links": [{"name": "a", "place": {"file": "f", "line": 1, "column": 2, "path": "p"}},
              {"name": "b", "mass": 1.5, "centre": [0.1, 0.2, 0.3], "inertia": [0.1, 0, 0, 0.1, 0, 0.1],
               "shapes": [{"kind": "mesh", "collision": True, "name": "s", "origin": {"position": [1, 0, 0]},
                           "size": [1, 2, 3], "mesh": "m", "mesh_path": "n", "material": "o", "colour": [1, 0, 0, 0.5],
                           "contact": {"friction": [1, 0.1, 0.01], "type": 2, "affinity": 3, "dimension": 4, "priority": 1,
                                       "margin": 0.1}}]},
              {"name": "c", "mass": 1, "inertia": [0.1, 0, 0, 0.1, 0, 0.1], "gravity_scale": 0.5},
              {"name": "d", "mass": 1, "inertia": [0.1, 0, 0, 0.1, 0, 0.1]}],
    "joints": [{"name": "j", "type": "helical", "parent": "a", "child": "b", "axis": [1, 0, 0], "parameters": [0.1],
                "origin": {"position": [0, 0, 1], "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]},
                "child_origin": {"position": [0, 0.1, 0]},
                "lower": ["-inf"], "upper": [1], "velocity": [2], "effort": [3], "damping": [0.1], "friction": [0.1],
                "stiffness": [1], "spring_reference": [0.1], "rotor_inertia": [1e-5], "gear_ratio": [100],
                "actuated": "yes", "soft_lower": -1, "soft_upper": 1, "k_position": 1, "k_velocity": 1, "rising": 0.1,
                "falling": 0.2, "place": {"line": 3}},
               {"name": "k", "type": "composite", "parent": "b", "child": "c",
                "parts": [{"type": "helical", "origin": {"position": [0, 1, 0]}, "axis": [0, 1, 0], "parameters": [0.1]},
                          {"type": "revolute"}]},
               {"name": "m", "type": "revolute", "parent": "a", "child": "d",
                "mimic": {"leader": "j", "multiplier": 2, "offset": 0.5}},
               {"name": "l", "type": "revolute", "parent": "a", "child": "c", "closes_loop": True}],
    "frames": [{"name": "tip", "parent": "c", "placement": {"position": [0, 0, 1]}}],
    "motors": [{"name": "n", "joint": "j", "kind": "position", "gear": 2, "control_lower": -1, "control_upper": 1,
                "force_lower": -2, "force_upper": 2, "attributes": [{"name": "kp", "text": "1"}], "place": {"line": 4}}],
    "contact_exclusions": [{"first": "a", "second": "b", "reason": "Adjacent"}],
    "options": {"root": "floating", "root_joint": "base", "lump": False, "expand_mimic": True, "mode": "lenient",
                "gravity": [0, 0, -1], "loops": "constraints"},
}


def test_models():
    checker = Checker("model")
    models = [zw.sample(name, root=root) for name in zw.sample_names() for root in ("auto", "floating")]
    models += [zw.random_robot(seed, joints=2 + seed) for seed in range(30)]
    models += [load_project(*robot) for robot in project_robots() if robot[0] != "four_bar"]
    models.append(zw.model_from_json(json.dumps(FULL)))
    for model in models:
        checker.check(json.loads(model.to_json()))
    assert checker.never_seen() == {"user"}  # needs code in C++


def test_a_wrong_document_does_not_fit():
    for path, value in (("version", 2), ("links", []), ("joints", {}), ("more", 1)):
        assert not Checker("model").fits({**FULL, path: value}, SCHEMAS["model"])


def legs(friction=None):
    dog = zw.sample("quadruped", root="floating")
    constraints = zw.ConstraintSet(dog)
    constraints.add_contact("foot", frame="LF_foot", point=[0, 0, -0.01], normal=[0, 0.1, 1], tangent=[1, 0, 0])
    constraints.add_contact("same", frame="LF_foot")
    if friction is not None:
        constraints.add_contact("slides", frame="RF_foot", target_point=[0, 0, 0], sense="at_least", friction=friction)
    constraints.add_frame("hold", frame="RF_foot", rows=["linear"], role="driver", beta=[1, 0, 0])
    constraints.add_distance("rod", ["LH_foot", "RH_foot"], length=0.4)
    constraints.add_group("feet", ["foot", "hold"])
    return dog, constraints


def test_constraints():
    dog, constraints = legs(friction=0.5)
    checker = Checker("constraints")
    checker.check(json.loads(constraints.to_json()))
    checker.check(json.loads(zw.ConstraintSet(dog).to_json()))
    for problem in sorted((ROOT / "examples").rglob("*.json")):
        document = json.loads(problem.read_text())
        if isinstance(document, dict) and "constraints" in document:
            checker.check({key: document[key] for key in ("constraints", "groups") if key in document})


def test_keys_of_constraints_are_arguments():
    """Both follow from one list."""
    definitions = SCHEMAS["constraints"]["$defs"]
    types = [t["$ref"].rsplit("/", 1)[1] for t in SCHEMAS["constraints"]["properties"]["constraints"]["items"]["oneOf"]]
    assert "frame" in types and "custom" in types
    for name in types:
        text = getattr(zw.ConstraintSet, "add_" + name).__doc__
        keys = set(definitions[name]["properties"]) - {"type", "warn_of_pull", "matrix", "baumgarte"}
        if name == "contact":  # of the constraint, once it is added
            keys.remove("acceleration")
        for key in keys | {"time_constant", "damping_ratio"}:
            word = "in_" if key == "in" else key
            assert f", {word}: " in text and f"\n{word}: " in text, (name, key)


def test_solutions():
    dog, constraints = legs()
    checker = Checker("solution")
    solver = zw.Solver(dog, constraints)
    for q in (dog.neutral(), dog.random(1), np.stack([dog.random(k) for k in range(3)])):
        checker.check(json.loads(solver.solve(q, dog.zero(), dog.zero()).to_json()))


@pytest.mark.parametrize("name", zw.sample_names())
def test_states(name):
    checker, model = Checker("state"), zw.sample(name, root="floating")
    checker.check(json.loads(zw.state_json(model, model.random(1), model.zero() + 0.5)))
    assert not checker.never_seen()
