// SPDX-License-Identifier: BSD-3-Clause
// Models as JSON and CBOR: what is written and read again is the same model, to the last bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/documents.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::test {
namespace {

/// One vector that depends on every joint, inertia and placement, bit by bit.
Eigen::VectorXd torques(const Model& m) {
  const RandomState s = random_state(m, 5);
  Data data(m);
  return inverse_dynamics(m, data, s.q, s.v, s.a);
}
template <class X> void expect_same_bits(const X& a, const X& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)), 0);
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.joint_names(), b.joint_names());
  EXPECT_EQ(a.link_names(), b.link_names());
  EXPECT_EQ(a.frame_names(), b.frame_names());
  EXPECT_EQ(a.coordinate_names(), b.coordinate_names());
  EXPECT_EQ(a.actuated(), b.actuated());
  ASSERT_EQ(a.loops().size(), b.loops().size());
  expect_same_bits(a.lower(), b.lower());
  expect_same_bits(a.upper(), b.upper());
  expect_same_bits(a.velocity_limit(), b.velocity_limit());
  expect_same_bits(a.effort_limit(), b.effort_limit());
  expect_same_bits(a.damping(), b.damping());
  expect_same_bits(a.friction(), b.friction());
  expect_same_bits(a.armature(), b.armature());
  expect_same_bits(torques(a), torques(b));
  EXPECT_TRUE(a == b && !(a != b));
  EXPECT_EQ(hash(a), hash(b));
}

TEST(ModelDocument, ReadsBackToTheLastBit) {
  for (const Model& m : document_models()) {
    SCOPED_TRACE(m.name());
    const std::string text = to_json(m);
    const std::vector<std::uint8_t> bytes = to_cbor(m);
    const Model from_text = model_from_json(text), from_bytes = model_from_cbor(bytes);
    expect_same(m, from_text);
    expect_same(m, from_bytes);
    EXPECT_EQ(to_json(from_text), text);
    EXPECT_EQ(to_json(from_bytes), text);
    EXPECT_EQ(to_cbor(from_text), bytes);
  }
}

TEST(ModelDocument, FilesWithLoopsMimicsAndMeshes) {
  for (const char* name : {"arm7", "five_bar", "four_bar", "humanoid", "quadruped"}) {
    SCOPED_TRACE(name);
    LoadOptions options;
    options.loops = ClosedLoops::constraints;
    const Model m = load(std::string(ZWANG_MODELS) + '/' + name + ".urdf", options);
    expect_same(m, model_from_json(to_json(m)));
    expect_same(m, model_from_cbor(to_cbor(m)));
    EXPECT_EQ(model_from_cbor(to_cbor(m)).description().links.back().place.line,
              m.description().links.back().place.line);
  }
}

/// Written with the library's own writer, read with another one.
TEST(ModelDocument, BothEncodingsHoldOneTree) {
  for (const Model& m : document_models()) {
    const auto text = nlohmann::json::parse(to_json(m)), bytes = nlohmann::json::from_cbor(to_cbor(m));
    EXPECT_EQ(text, bytes);
    EXPECT_EQ(text["format"], "zwang.model");
    EXPECT_EQ(text["version"], 1);
    EXPECT_EQ(text["links"].size(), m.links().size());
  }
}

TEST(ModelDocument, NumbersThatAreNotFiniteAreWords) {
  const auto d = nlohmann::json::parse(to_json(build(full_robot(), full_options())));
  EXPECT_EQ(d["joints"][0]["lower"][0], "-inf");
  EXPECT_EQ(d["joints"][0]["velocity"][0], "nan");
  EXPECT_EQ(d["joints"][0]["k_velocity"], "inf");
  EXPECT_FALSE(d["joints"][1].contains("k_velocity"));  // unknown is the default
  EXPECT_EQ(d["options"]["mode"], "lenient");
  EXPECT_EQ(d["options"]["loops"], "constraints");
  EXPECT_EQ(d["links"][1]["shapes"][4]["kind"], "mesh");
  EXPECT_TRUE(std::signbit(d["links"][0]["centre"][1].get<double>()));
  EXPECT_FALSE(nlohmann::json::parse(to_json(build(sample_arm7()))).contains("options"));
}

TEST(ModelDocument, IntoMemoryOfTheCaller) {
  const Model m = build(sample_quadruped(), {.root = "floating"});
  const std::vector<std::uint8_t> bytes = to_cbor(m);
  const std::string text = to_json(m);
  EXPECT_EQ(to_cbor(m, std::span<std::byte>()), bytes.size());
  EXPECT_EQ(to_json(m, std::span<std::byte>()), text.size());
  for (const std::size_t room : {std::size_t{1}, std::size_t{100}, bytes.size(), bytes.size() + 3}) {
    std::vector<std::byte> memory(room + 1, std::byte{0x5a});
    EXPECT_EQ(to_cbor(m, std::span(memory.data(), room)), bytes.size());
    const std::size_t used = std::min(room, bytes.size());
    EXPECT_EQ(std::memcmp(memory.data(), bytes.data(), used), 0);
    for (std::size_t k = used; k <= room; ++k) EXPECT_EQ(memory[k], std::byte{0x5a});
  }
}

struct Screw {
  static constexpr const char* name = "screw";
  static constexpr int nq = 1, nv = 1;
  template <class S> static void transform(const S* q, const Uniform<S>*, Transform<S>& X) {
    X = Transform<S>::identity();
    X.p.x = q[0];
  }
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>* s) {
    s[0] = Motion<S>::zero();
    s[0].v.x = S(1);
  }
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>* r) {
    r[0] = Motion<S>::zero();
  }
};

TEST(ModelDocument, UserDefinedJointsAreGivenByName) {
  RobotDescription r = sample_cart_pole();
  r.joints[0].type = "user";
  r.joints[0].user = user_joint<Screw>();
  const std::string name = r.joints[0].name;
  const Model m = build(r);
  try {
    (void)to_json(m);
    FAIL();
  } catch (const UnsupportedError& error) {
    EXPECT_NE(std::string(error.what()).find("'" + name + "'"), std::string::npos) << error.what();
  }
  const std::string text = to_json(m, UserJointsAs::by_name);
  EXPECT_THROW(model_from_json(text), JsonError);
  expect_same(m, model_from_json(text, {{name, r.joints[0].user}}));
  expect_same(m, model_from_cbor(to_cbor(m, UserJointsAs::by_name), {{name, r.joints[0].user}}));
}

std::string refusal(const std::string& text) {
  try {
    (void)model_from_json(text);
  } catch (const ModelError& error) { return error.code(); } catch (const JsonError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ModelDocument, RefusalsNameThePlace) {
  const std::string head = R"({"format": "zwang.model", "version": 1, )";
  EXPECT_EQ(refusal("{}"), "JSON: the key 'format' is missing");
  EXPECT_NE(refusal(R"({"format": "zwang.constraints", "version": 1})").find("expected one of zwang.model"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"format": "zwang.model", "version": 2})"),
            "JSON: version: version 2 of zwang.model is not known here, versions 1 to 1 are");
  EXPECT_NE(refusal(head + R"("joint": []})").find("did you mean 'joints'?"), std::string::npos);
  EXPECT_EQ(refusal(head + R"("links": [{"name": "a", "centre": [1, 2]}]})"),
            "JSON: links[0].centre: got 2 numbers, expected 3");
  EXPECT_NE(refusal(head + R"("links": [{"name": "a", "mass": "heavy"}]})").find("JSON: links[0].mass"),
            std::string::npos);
  EXPECT_NE(refusal(head + R"("links": [{"mass": 1}]})").find("JSON: links[0]: the key 'name'"), std::string::npos);
  EXPECT_EQ(refusal(head + R"("links": [{"name": "a", "place": {"line": 3, "column": -5}}]})"),
            "JSON: links[0].place.column: got -5, expected 0 or more");
  EXPECT_EQ(refusal(head + R"("links": []})"), "E_EMPTY");
  EXPECT_EQ(refusal(head + R"("links": [{"name": "a", "mass": "nan"}]})"), "E_NUMBER");
  EXPECT_NE(refusal(head + R"("links": [{"name": "a"}], "options": {"gravity": [0, 0, "inf"]}})").find("gravity[2]"),
            std::string::npos);
}

TEST(ModelDocument, NamesThatAreNotUtf8AreNotWritten) {
  RobotDescription r = sample_arm7();
  r.links[0].shapes.resize(1);
  r.links[0].shapes[0].mesh = "a\xff";
  const Model m = build(r);
  EXPECT_THROW((void)to_json(m), std::invalid_argument);
  EXPECT_THROW((void)to_cbor(m), std::invalid_argument);
  EXPECT_TRUE(same_robot(m, build(r)));
}

/// A stored hash stays valid: in other processes, on other machines, in later versions of the same format.
TEST(ModelEquality, TheHashIsTheSameEverywhere) {
  RobotDescription r;
  r.name = "one";
  r.links.push_back({.name = "a", .mass = 1.5, .inertia = {0.1, 0, 0, 0.1, 0, 0.1}});
  EXPECT_EQ(hash(build(r)), 11073070212943300510u);
}

/// Every member counts, one at a time; a place in a file does not.
TEST(ModelEquality, EveryMemberCounts) {
  const RobotDescription base = full_robot();
  const BuildOptions options = full_options();
  const Model m = build(base, options);
  const auto unlike = [&](auto&& change) {
    RobotDescription r = base;
    BuildOptions o = options;
    change(r, o);
    const Model other = build(r, o);
    EXPECT_FALSE(same_robot(m, other));
    EXPECT_NE(hash(m), hash(other));
    EXPECT_NE(to_json(m), to_json(other));
    EXPECT_TRUE(same_robot(other, model_from_cbor(to_cbor(other))));
  };
  using R = RobotDescription;
  using O = BuildOptions;
  unlike([](R& r, O&) { r.name = "x"; });
  unlike([](R& r, O&) { r.links[0].mass = std::nextafter(r.links[0].mass, 9); });
  unlike([](R& r, O&) { r.links[0].centre.y = 0.0; });
  unlike([](R& r, O&) { r.links[0].inertia.xy = std::nextafter(r.links[0].inertia.xy, 9); });
  unlike([](R& r, O&) { r.links[1].shapes.pop_back(); });
  unlike([](R& r, O&) { r.links[1].shapes[0].kind = Shape::Kind::mesh; });
  unlike([](R& r, O&) { r.links[1].shapes[0].collision = false; });
  unlike([](R& r, O&) { r.links[1].shapes[0].name = ""; });
  unlike([](R& r, O&) { r.links[1].shapes[0].origin.p.x = 0; });
  unlike([](R& r, O&) { r.links[1].shapes[0].size[2] = 0.0; });
  unlike([](R& r, O&) { r.links[1].shapes[0].mesh = ""; });
  unlike([](R& r, O&) { r.links[1].shapes[0].mesh_path = ""; });
  unlike([](R& r, O&) { r.links[1].shapes[0].material = ""; });
  unlike([](R& r, O&) { r.links[1].shapes[0].colour[2] = 0; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.friction[0] = 0.6; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.friction[2] = 0.0; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.type = 5; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.affinity = 5; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.dimension = 6; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.priority = 5; });
  unlike([](R& r, O&) { r.links[1].shapes[0].contact.margin = 0; });
  unlike([](R& r, O&) { r.motors.pop_back(); });
  unlike([](R& r, O&) { r.motors[0].name = "n"; });
  unlike([](R& r, O&) { r.motors[0].joint = "j"; });
  unlike([](R& r, O&) { r.motors[0].kind = "motor"; });
  unlike([](R& r, O&) { r.motors[0].gear = 2; });
  unlike([](R& r, O&) { r.motors[0].control_lower = unknown; });
  unlike([](R& r, O&) { r.motors[0].control_upper = 3; });
  unlike([](R& r, O&) { r.motors[0].force_lower = -4; });
  unlike([](R& r, O&) { r.motors[0].force_upper = 5; });
  unlike([](R& r, O&) { r.motors[0].attributes[0].text = "1000"; });
  unlike([](R& r, O&) { r.motors[0].attributes[0].name = "kd"; });
  unlike([](R& r, O&) { r.contact_exclusions.pop_back(); });
  unlike([](R& r, O&) { r.contact_exclusions[0].first = "l1"; });
  unlike([](R& r, O&) { r.contact_exclusions[0].second = "l1"; });
  unlike([](R& r, O&) { r.contact_exclusions[0].reason = ""; });
  unlike([](R& r, O&) { r.joints[0].name = "other"; });
  unlike([](R& r, O&) { r.joints[0].type = "revolute", r.joints[0].parameters = {}; });
  unlike([](R& r, O&) { r.joints[0].origin.p.z += 1; });
  unlike([](R& r, O&) { r.joints[0].origin.R = Mat3<double>::identity(); });
  unlike([](R& r, O&) { r.joints[0].axis = {1, 0, 0}; });
  unlike([](R& r, O&) { r.joints[0].parameters = {0.06}; });
  unlike([](R& r, O&) { r.joints[1].parts[1].parameters = {0.2}; });
  unlike([](R& r, O&) { r.joints[1].parts[0].type = "prismatic"; });
  unlike([](R& r, O&) { r.joints[1].parts[0].origin.p.x = 3; });
  unlike([](R& r, O&) { r.joints[1].parts[0].axis = {0, 0, 1}; });
  unlike([](R& r, O&) { r.joints[0].lower = {-5}; });
  unlike([](R& r, O&) { r.joints[0].upper = {}; });
  unlike([](R& r, O&) { r.joints[0].velocity = {}; });
  unlike([](R& r, O&) { r.joints[0].effort = {unlimited}; });
  unlike([](R& r, O&) { r.joints[0].damping = {0.0}; });
  unlike([](R& r, O&) { r.joints[0].friction = {}; });
  unlike([](R& r, O&) { r.joints[0].stiffness = {1}; });
  unlike([](R& r, O&) { r.joints[0].spring_reference = {0.4}; });
  unlike([](R& r, O&) { r.joints[0].rotor_inertia = {2e-5}; });
  unlike([](R& r, O&) { r.joints[0].gear_ratio = {120}; });
  unlike([](R& r, O&) { r.joints[0].mimic.multiplier = 2; });
  unlike([](R& r, O&) { r.joints[0].actuated = JointDescription::Actuated::yes; });
  unlike([](R& r, O&) { r.joints[0].soft_lower = -2; });
  unlike([](R& r, O&) { r.joints[0].soft_upper = unknown; });
  unlike([](R& r, O&) { r.joints[0].k_position = 0; });
  unlike([](R& r, O&) { r.joints[0].k_velocity = 0; });
  unlike([](R& r, O&) { r.joints[0].rising = 0; });
  unlike([](R& r, O&) { r.joints[0].falling = 0.0; });
  unlike([](R& r, O&) { r.frames.pop_back(); });
  unlike([](R& r, O&) {
    r.frames[0].name = "hand";
    r.frames[1].parent = "hand";
  });
  unlike([](R& r, O&) { r.frames[1].parent = "l1"; });
  unlike([](R& r, O&) { r.frames[0].placement.p.x = 0; });
  unlike([](R&, O& o) { o.root = "planar"; });
  unlike([](R&, O& o) { o.root_joint = "root"; });
  unlike([](R&, O& o) { o.lump = true; });
  unlike([](R&, O& o) { o.expand_mimic = false; });
  unlike([](R&, O& o) { o.mode = Mode::standard; });
  unlike([](R&, O& o) { o.gravity.y = 0.0; });
  unlike([](R&, O& o) { o.loops = ClosedLoops::refuse; });

  RobotDescription elsewhere = base;
  elsewhere.links[0].place.line = 99;
  elsewhere.joints[0].place.file = "other";
  elsewhere.motors[0].place.line = 99;
  const Model moved = build(elsewhere, options);
  EXPECT_TRUE(same_robot(m, moved));
  EXPECT_EQ(hash(m), hash(moved));
}

}  // namespace
}  // namespace zwang::test
