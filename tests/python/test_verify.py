# SPDX-License-Identifier: BSD-3-Clause
"""zw.verify: a change in the other library is found and named; libraries that are here agree; what cannot be compared is said."""
import json
import re
import subprocess
import sys

import numpy as np
import pytest
import zwang as zw
from conftest import ROOT, SHARED
from zwang import peers
from zwang.__main__ import main
from zwang._comparison import NO_EFFECTS
from zwang._verify import PEERS

ARM, DOG, HUMANOID = (str(ROOT / "models" / f"{name}.urdf") for name in ("arm7", "quadruped", "humanoid"))
OF_DYNAMICS = ["position of links", "orientation of links", "centre of mass", "Jacobian", "mass matrix", "gravity torque",
               "inverse dynamics", "forward dynamics", "kinetic energy", "potential energy"]
# What a file says and another library leaves out: a difference of meaning, and no difference of what is computed from the rest.
LEFT_OUT = {"armature", "mimic", "lower limit", "upper limit", "effort limit"}


class Same(peers.Peer):
    """zwang itself, as if it were another library; `change` edits its text before it is read."""
    name, version, follows_mimic = "other", "1", True

    def change(self, text):
        return text

    def read(self):
        def read(free):
            return zw.loads(self.change(self.text), root=self.root, gravity=self.gravity, expand_mimic=free, resolve_meshes=False)
        self.robot, self.plain = read(not self.follows_mimic), read(True)

    def joints(self):
        moving = [j for j in self.robot.joints if j.v.stop > j.v.start]
        return {j.name: j.v.stop - j.v.start for j in moving if j.mimic is None or not self.follows_mimic}

    def mimics(self):
        return {j.name: j.mimic for j in self.robot.joints if j.mimic} if self.follows_mimic else None

    def _numbers(self, key):
        return {name: np.array(getattr(self.plain.joint(name), key)) for name in self.joints()}

    def limits(self):
        return {"lower": self._numbers("lower"), "upper": self._numbers("upper"), "velocity": self._numbers("velocity_limit"),
                "effort": self._numbers("effort_limit")}

    def effects(self):
        return {key: self._numbers(key) for key in ("damping", "friction", "armature")}

    def links(self):
        return self.robot.link_names

    def masses(self):
        return {x.name: peers.Mass(x.mass, x.centre, x.inertia) for x in self.robot.links}

    def total_mass(self):
        return self.robot.mass

    def poses(self, q, links):
        return zw.frame_poses(self.robot, q, links)

    def jacobians(self, q, links):
        return np.array([zw.jacobian(self.robot, q, link, "local_world_aligned") for link in links])

    def mass_matrix(self, q):
        return zw.mass_matrix(self.robot, q, joint_effects=NO_EFFECTS)

    def gravity_torque(self, q):
        return zw.gravity_forces(self.robot, q)

    def inverse_dynamics(self, q, v, a):
        return zw.inverse_dynamics(self.robot, q, v, a, joint_effects=NO_EFFECTS)

    def forward_dynamics(self, q, v, tau):
        return zw.forward_dynamics(self.robot, q, v, tau, joint_effects=NO_EFFECTS)

    def kinetic_energy(self, q, v):
        return zw.kinetic_energy(self.robot, q, v, joint_effects=NO_EFFECTS)


def mass_of(text, link, factor):
    """The URDF with the mass of a link multiplied."""
    def larger(found):
        return f"{found[1]}{float(found[2]) * factor!r}{found[3]}"
    changed, count = re.subn(rf'(<link name="{link}">.*?<mass value=")([^"]*)(")', larger, text, count=1, flags=re.DOTALL)
    assert count == 1
    return changed


def differing(found, peer="other"):
    return {row.quantity: row for row in found.reports[peer].differences if not row.agrees}


def test_the_same_robot_agrees_in_all_that_is_compared():
    found = zw.verify(ARM, against=[Same])
    assert found.agrees and not found.differs and found.differences == []
    report = found.reports["other"]
    said = {row.quantity for row in report.differences} | {quantity for quantity, _ in report.not_compared}
    assert said >= set(OF_DYNAMICS)
    assert ("centre of mass", "it computes no centre of mass") in report.not_compared
    assert "other 1: agrees" in str(found) and "not compared: centre of mass: it computes no centre of mass" in found.table("other")
    for row in report.differences:
        assert row.entries > 0 and row.largest <= row.tolerance
        assert row.tolerance == pytest.approx(row.multiple * np.finfo(float).eps * row.scale, abs=0)


@pytest.mark.parametrize("path, root", [(ARM, None), (DOG, "floating"), (HUMANOID, "floating")])
def test_one_mass_that_differs_by_a_billionth_is_named(path, root):
    link = {ARM: "link4", DOG: "LF_shank", HUMANOID: "chest"}[path]

    class Heavier(Same):
        def change(self, text):
            return mass_of(text, link, 1 + 1e-9)

    found = zw.verify(path, against=[Heavier], root=root)
    rows = differing(found)
    assert not found.agrees and found.differs
    assert rows["mass of links"].where == link and set(rows) <= {"mass of links", "total mass", *OF_DYNAMICS}
    assert f"{link}" in str(found) and "differs in mass of links" in str(found)
    # Also where it is seen by its effects alone.
    assert {"mass matrix", "gravity torque"} <= set(differing(zw.verify(path, against=[hidden(Heavier)], root=root)))


def hidden(kind):
    class Hidden(kind):
        def masses(self):
            raise peers.NotComparable("it does not say")
    return Hidden


def test_an_axis_a_limit_and_a_joint_that_differ_are_named():
    class Turned(Same):
        def change(self, text):
            return text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 -1"/>', 1)

    class Wider(Same):
        def change(self, text):
            return re.sub(r'upper="[^"]*"', 'upper="9"', text, count=1)

    class Renamed(Same):
        def change(self, text):
            return text.replace('"joint3"', '"third"')

    assert {"position of links", "Jacobian"} <= set(differing(zw.verify(ARM, against=[Turned])))
    wider = differing(zw.verify(ARM, against=[Wider]))
    assert set(wider) == {"upper limit"} and wider["upper limit"].where == "joint1" and wider["upper limit"].theirs == 9
    renamed = zw.verify(ARM, against=[Renamed])
    assert set(differing(renamed)) == {"joints"} and "third" in differing(renamed)["joints"].where
    assert renamed.reports["other"].not_compared[0][0] == "everything else"


def test_a_library_without_mimicking_joints_differs_there_alone():
    class Free(Same):
        follows_mimic = False

    rows = differing(zw.verify(HUMANOID, against=[Free]))
    assert set(rows) == {"mimic"} and rows["mimic"].where == "gripper_mirror" and "moves gripper_mirror freely" in rows["mimic"].note
    assert zw.verify(HUMANOID, against=[Free], expand_mimic=True).agrees


def test_a_failure_in_the_other_library_is_said_and_not_taken_for_agreement():
    class Fails(Same):
        def forward_dynamics(self, q, v, tau):
            raise RuntimeError("no such\n  algorithm")

    class Nan(Same):
        def gravity_torque(self, q):
            return np.full(self.robot.nv, np.nan)

    class Refuses(Same):
        def read(self):
            raise peers.Refused("too many wheels")

    found = zw.verify(ARM, against=[Fails])
    assert ("forward dynamics", "no such algorithm") in found.reports["other"].not_compared
    assert "gravity torque" in differing(zw.verify(ARM, against=[Nan]))
    refused = zw.verify(ARM, against=[Refuses])
    assert not refused.agrees and not refused.differs and "refuses the robot: too many wheels" in str(refused)


@pytest.mark.parametrize("name, module", [("pinocchio", "pinocchio"), ("mujoco", "mujoco"), ("kdl", "PyKDL")])
def test_a_library_that_is_not_installed_is_said(name, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    found = zw.verify(ARM, against=name)
    assert not found.agrees and not found.differs and f"{name}: cannot be imported" in str(found) and module in str(found)
    assert main(["verify", ARM, "--against", name]) == 5


def test_zwangs_own_kdl_names_are_no_other_library(monkeypatch):
    kdl = pytest.importorskip("zwang.kdl", exc_type=ImportError)
    monkeypatch.setitem(sys.modules, "PyKDL", kdl)
    assert "PyKDL is zwang.kdl here" in str(zw.verify(ARM, against="kdl"))


def test_wrong_arguments_are_named():
    for more, said in [({"against": "drake"}, "'against' names 'drake', expected some of pinocchio"), ({"samples": 0}, "'samples' is 0"),
                       ({"seed": -1}, "'seed' is -1"), ({"samples": 1.5}, "'samples' is 1.5"), ({"root": "flying"}, "flying")]:
        with pytest.raises(ValueError, match=re.escape(said)):
            zw.verify(ARM, **more)
    with pytest.raises(zw.ModelError, match="E_FILE"):
        zw.verify("nowhere.urdf")


def robots():
    shared = sorted(SHARED.glob("*.urdf")) if SHARED.is_dir() else []
    return shared + [p for p in sorted((ROOT / "models").glob("*.urdf")) if p.stem != "five_bar"]  # it has a loop


def skip_old_mujoco(report):
    if report.peer == "mujoco" and int(report.version.split(".")[0]) < 4:
        pytest.skip(f"MuJoCo {report.version} ignores the rotation of inertial frames")


@pytest.mark.parametrize("root", ["fixed", "floating"])
@pytest.mark.parametrize("path", robots(), ids=lambda p: p.stem)
@pytest.mark.parametrize("name", PEERS)
def test_libraries_that_are_here_compute_the_same(name, path, root):
    report = zw.verify(path, against=name, root=root, samples=3).reports[name]
    if report.refusal:
        pytest.skip(f"{name}: {report.refusal}")
    skip_old_mujoco(report)
    bad = {row.quantity for row in report.differences if not row.agrees}
    assert bad <= LEFT_OUT, bad
    compared = {row.quantity for row in report.differences}
    assert {"position of links", "Jacobian", "mass matrix", "gravity torque", "inverse dynamics"} <= compared
    assert all(reason for _, reason in report.not_compared)
    assert {row.quantity for row in report.differences} | {quantity for quantity, _ in report.not_compared} >= set(OF_DYNAMICS)


@pytest.mark.parametrize("name", ["gripper", "drop", "biped"])
def test_mujoco_reads_an_mjcf_itself(name):
    report = zw.verify(ROOT / "models" / f"{name}.xml", against="mujoco", samples=3).reports["mujoco"]
    if not report.installed:
        pytest.skip(f"mujoco: {report.refusal}")
    skip_old_mujoco(report)
    assert report.agrees, str(report)
    assert {"position of links", "mass matrix", "inverse dynamics", "armature"} <= {row.quantity for row in report.differences}


def test_mujoco_finds_the_files_that_an_mjcf_includes(tmp_path):
    (tmp_path / "arm.xml").write_text('<mujocoinclude><body><joint/><geom size=".1" pos=".3 0 0"/></body></mujocoinclude>')
    path = tmp_path / "main.xml"
    path.write_text('<mujoco><compiler angle="radian"/><worldbody><include file="arm.xml"/></worldbody></mujoco>')
    report = zw.verify(path, against="mujoco", samples=2).reports["mujoco"]
    if not report.installed:
        pytest.skip(f"mujoco: {report.refusal}")
    skip_old_mujoco(report)
    assert report.agrees, str(report)
    assert report.joint_order == ["body_1_joint"]


BASE = """<robot name="p"><link name="world"/>
<link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="1" iyy="1.2" izz="1.3" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial></link>
<link name="c"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="0.5"/>
<inertia ixx="0.1" iyy="0.12" izz="0.13" ixy="0.01" ixz="0.002" iyz="0.003"/></inertial></link>
<joint name="base" type="{}"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="world"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="elbow" type="continuous"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="b"/><child link="c"/>
<axis xyz="0 0.6 0.8"/></joint></robot>"""


@pytest.mark.parametrize("kind", ["planar", "floating"])
@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
def test_joints_of_several_coordinates_away_from_the_origin_agree(name, kind, tmp_path):
    path = tmp_path / "base.urdf"
    path.write_text(BASE.format(kind))
    found = zw.verify(path, against=name)
    if found.reports[name].refusal:
        pytest.skip(f"{name}: {found.reports[name].refusal}")
    skip_old_mujoco(found.reports[name])
    assert found.agrees, str(found)


def test_a_real_library_with_another_mass_is_found():
    seen = 0
    for name, kind in PEERS.items():
        class Heavier(kind):
            def read(self):
                self.text = mass_of(self.text, "link4", 1 + 1e-9)
                super().read()
        report = zw.verify(ARM, against=[Heavier]).reports[name]
        if not report.refusal:
            seen += 1
            rows = differing(zw.verify(ARM, against=[Heavier]), name)
            assert any(row.where.startswith("link4") for quantity, row in rows.items() if quantity.startswith("mass of")), rows
            assert {"mass matrix", "gravity torque", "inverse dynamics"} <= set(rows)
    if seen == 0:
        pytest.skip("no other library is installed")


def test_the_command_prints_a_table_or_a_document_and_exits_with_what_was_found(capsys, monkeypatch, tmp_path):
    class Heavier(Same):
        def change(self, text):
            return mass_of(text, "link4", 2)

    monkeypatch.setattr("zwang._verify.PEERS", {"same": Same, "heavier": Heavier})
    assert main(["verify", ARM, "--against", "same"]) == 0 and "same" in capsys.readouterr().out
    assert main(["verify", ARM, "--json", "--samples", "2"]) == 4
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "differs" and found["peers"]["same"]["agrees"] and not found["peers"]["heavier"]["agrees"]
    assert [row["where"] for row in found["peers"]["heavier"]["differences"] if row["quantity"] == "mass of links"] == ["link4"]
    assert main(["verify", str(tmp_path / "none.urdf"), "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "E_FILE"
    (tmp_path / "bad.urdf").write_text("<robot name='r'/>")
    assert main(["verify", str(tmp_path / "bad.urdf")]) == 2 and "E_" in capsys.readouterr().err
    assert main(["verify", ARM, "--gravity", "1,x"]) == 1 and "--gravity" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["verify"])
    assert stopped.value.code == 1


def test_the_module_reads_standard_input():
    text = (ROOT / "models" / "arm7.urdf").read_text(encoding="utf-8")
    result = subprocess.run([sys.executable, "-m", "zwang", "verify", "-", "--samples", "1", "--json"], input=text, capture_output=True,
                            text=True)
    found = json.loads(result.stdout)
    assert found["robot"] == "arm7" and set(found["peers"]) == set(PEERS) and result.returncode in (0, 4, 5), result.stderr


def test_a_missing_library_says_what_installs_it():
    class Absent(peers.Peer):
        name = "absent"

        def read(self):
            self.imported("no_such_library", "pip install no-such-library")

        def joints(self):
            return {}

    found = zw.verify(ARM, against=[Absent], samples=1)
    assert not found.agrees and not found.reports["absent"].installed
    assert "absent: cannot be imported: No module named 'no_such_library'; to install it: pip install no-such-library" in str(found)


@pytest.mark.parametrize("name, install", [("pinocchio", "pip install pin"), ("mujoco", "pip install mujoco"), ("kdl", "apt install python3-pykdl")])
def test_each_library_has_its_way_of_installing(monkeypatch, name, install):
    module = {"pinocchio": "pinocchio", "mujoco": "mujoco", "kdl": "PyKDL"}[name]
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    found = zw.verify(ARM, against=[name], samples=1)
    assert f"to install it: {install}" in found.reports[name].refusal


def test_what_is_no_tree_in_a_urdf_is_refused(tmp_path, capsys):
    document, binary = tmp_path / "arm.json", tmp_path / "arm.cbor"
    document.write_text(zw.load(ARM).to_json())
    binary.write_bytes(b"\xa1\xff")
    for path in (document, binary):
        assert main(["verify", str(path)]) == 1
        assert "they read no model documents or problems; give the URDF" in capsys.readouterr().err
    assert main(["verify", str(ROOT / "models" / "five_bar.urdf")]) == 2
    assert "verify compares trees" in capsys.readouterr().err


@pytest.mark.parametrize("file, against, said", [("toys.sdf", ["kdl", "mujoco", "pinocchio"], "<sdf> is SDF"),
                                                 ("gripper.xml", ["kdl", "pinocchio"], "<mujoco> is MJCF")])
def test_a_file_that_is_no_urdf_is_refused_by_each_library_that_reads_none(file, against, said):
    class Reads(Same):
        reads = ("robot", "sdf", "mujoco")
    found = zw.verify(str(ROOT / "models" / file), against=[*against, Same])
    assert all(said in report.refusal for report in found.reports.values()) and not found.agrees
    asked = zw.verify(str(ROOT / "models" / file), against=[Reads])
    assert "URDF alone" not in (asked.reports["other"].refusal or "")


def test_warnings_of_one_code_are_one_line(tmp_path, capsys):
    text = (ROOT / "models" / "arm7.urdf").read_text().replace("<limit ", "<limit stiffness='1' ")
    robot = tmp_path / "arm.urdf"
    robot.write_text(text)
    main(["verify", str(robot), "--samples", "1"])
    lines = [line for line in capsys.readouterr().err.splitlines() if "W_UNKNOWN_ATTRIBUTE" in line]
    assert len(lines) == 1 and "(and 6 more of W_UNKNOWN_ATTRIBUTE: zwang check lists all)" in lines[0]


def test_the_base_of_other_libraries_is_public():
    program = "import zwang as zw; assert zw.peers.Peer and set(zw.peers.__all__) == {'Mass', 'NotComparable', 'NotInstalled', 'Peer', 'Refused'}"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0
