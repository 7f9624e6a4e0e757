// SPDX-License-Identifier: BSD-3-Clause
// Meshes from text and bytes, and the mass that they give: closed forms, another reader's numbers, broken files.
#include <cmath>
#include <cstring>
#include <numbers>

#include "files_in_a_folder.hpp"
#include "io/solids.hpp"
#include "support.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::test {
namespace {

using io::MeshBody;
using io::MeshMass;
using io::SurfaceFault;
using Point = std::array<float, 3>;

/// Corners of polygons, counter-clockwise seen from outside.
struct Polygons {
  std::vector<Point> points;
  std::vector<std::vector<std::uint32_t>> faces;
};
using Facets = std::vector<std::array<Point, 3>>;

Facets facets_of(const Polygons& p) {
  Facets out;
  for (const auto& f : p.faces)
    for (std::size_t k = 2; k < f.size(); ++k) out.push_back({p.points[f[0]], p.points[f[k - 1]], p.points[f[k]]});
  return out;
}
Polygons box(float a, float b, float c) {
  Polygons out;
  for (const float x : {0.0f, a})
    for (const float y : {0.0f, b})
      for (const float z : {0.0f, c}) out.points.push_back({x, y, z});
  out.faces = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  return out;
}
/// A prism over an L: 2 x 1 and 1 x 2, 0.5 high. Not convex.
Polygons ell() {
  const float corners[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  Polygons out;
  for (const float z : {0.0f, 0.5f})
    for (const auto& c : corners) out.points.push_back({c[0], c[1], z});
  // Fans from corner 0, which sees all of the L.
  out.faces = {{0, 5, 4, 3, 2, 1}, {6, 7, 8, 9, 10, 11}};
  for (std::uint32_t k = 0; k < 6; ++k) out.faces.push_back({k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6});
  return out;
}
/// A regular icosahedron, each triangle in four, `times` times; points on the unit sphere.
Polygons icosphere(int times) {
  const double g = std::numbers::phi;
  std::vector<Vec3<double>> points;
  for (const double s : {-1.0, 1.0})
    for (const double t : {-g, g}) points.insert(points.end(), {{0, s, t}, {s, t, 0}, {t, 0, s}});
  std::vector<std::array<Vec3<double>, 3>> triangles;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = i + 1; j < 12; ++j)
      for (std::size_t k = j + 1; k < 12; ++k) {
        const Vec3<double>&a = points[i], &b = points[j], &c = points[k];
        if (norm(a - b) > 2.1 || norm(b - c) > 2.1 || norm(a - c) > 2.1) continue;
        if (dot(cross(b - a, c - a), a) > 0)
          triangles.push_back({a, b, c});
        else
          triangles.push_back({a, c, b});
      }
  const auto unit = [](const Vec3<double>& x) { return x * (1 / norm(x)); };
  for (; times > 0; --times) {
    std::vector<std::array<Vec3<double>, 3>> fine;
    for (const auto& [a, b, c] : triangles) {
      const Vec3<double> ab = unit(a + b), bc = unit(b + c), ca = unit(c + a);
      fine.insert(fine.end(), {{unit(a), ab, ca}, {ab, unit(b), bc}, {ca, bc, unit(c)}, {ab, bc, ca}});
    }
    triangles = fine;
  }
  Polygons out;
  for (const auto& t : triangles) {
    const auto first = static_cast<std::uint32_t>(out.points.size());
    for (const Vec3<double>& p : t)
      out.points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    out.faces.push_back({first, first + 1, first + 2});
  }
  return out;
}

template <class T> void append(std::string& to, const T& x) { to.append(reinterpret_cast<const char*>(&x), sizeof x); }
std::string stl_binary(const Facets& facets, const char* title = "x") {
  std::string s(80, ' ');
  std::memcpy(s.data(), title, std::strlen(title));
  append(s, static_cast<std::uint32_t>(facets.size()));
  for (const auto& f : facets) {
    s.append(12, '\0');
    append(s, f);
    s.append(2, '\0');
  }
  return s;
}
std::string text_of(const Point& p) {
  return ' ' + std::to_string(p[0]) + ' ' + std::to_string(p[1]) + ' ' + std::to_string(p[2]) + '\n';
}
std::string stl_text(const Facets& facets) {
  std::string s = "solid four\n";
  for (const auto& f : facets) {
    s += "facet normal 0 0 0\n outer loop\n";
    for (const Point& p : f) s += "  vertex" + text_of(p);
    s += " endloop\nendfacet\n";
  }
  return s + "endsolid four\n";
}
std::string obj(const Polygons& p) {
  std::string s = "# a comment\no name\n";
  for (const Point& x : p.points) s += "v" + text_of(x);
  for (const auto& f : p.faces) {
    s += "f";
    for (const std::uint32_t k : f) s += ' ' + std::to_string(k + 1) + "//1";
    s += "\r\n";
  }
  return s;
}
std::string msh(const Polygons& p) {
  const Facets facets = facets_of(p);
  std::string s;
  for (const std::size_t n : {p.points.size(), std::size_t{0}, std::size_t{0}, facets.size()})
    append(s, static_cast<std::int32_t>(n));
  for (const Point& x : p.points) append(s, x);
  for (const auto& f : p.faces)
    for (std::size_t k = 2; k < f.size(); ++k) append(s, std::array<std::uint32_t, 3>{f[0], f[k - 1], f[k]});
  return s;
}
TriangleMesh parsed(const std::string& bytes, const std::string& ending = "stl") {
  TriangleMesh mesh;
  std::string why;
  EXPECT_TRUE(parse_mesh(bytes, ending, mesh, why)) << why;
  return mesh;
}
MeshBody body_of(const Polygons& p, MeshMass how) {
  return mesh_body(io::surface_of(parsed(stl_binary(facets_of(p))), {1, 1, 1}), how);
}

TEST(MeshFile, TheSameMeshInEveryForm) {
  for (const Polygons& p : {box(1, 2, 3), ell()}) {
    const Facets f = facets_of(p);
    for (const auto& [ending, bytes] : {std::pair<std::string, std::string>{"stl", stl_text(f)},
                                        {"stl", stl_binary(f)},
                                        {"stl", stl_binary(f, "solid, but binary")},
                                        {"obj", obj(p)},
                                        {"msh", msh(p)}}) {
      const TriangleMesh m = parsed(bytes, ending);
      EXPECT_EQ(m.points.size(), p.points.size()) << ending;
      EXPECT_EQ(m.triangles.size(), f.size()) << ending;
      const io::Surface s = io::surface_of(m, {1, 1, 1});
      EXPECT_EQ(io::fault_of(s), SurfaceFault::none) << ending;
      EXPECT_NEAR(mesh_body(s, MeshMass::exact).volume, p.points.size() == 8 ? 6 : 2, 1e-14) << ending;
    }
  }
}

TEST(MeshFile, CornersOfAnObjInAllForms) {
  const TriangleMesh m =
      parsed("v 0 0 0\nv +1 0 0\nv 0 1e0 0\nv -0 -0.0 1\nf 1/1/1 3 2\nf 1 2 4\nf -3//1 -2//1 -1//1\nf 1 4 3\n", "obj");
  EXPECT_EQ(m.points.size(), 4u);
  EXPECT_EQ(m.triangles.size(), 4u);
  EXPECT_NEAR(mesh_body(io::surface_of(m, {1, 1, 1}), MeshMass::exact).volume, 1 / 6., 1e-16);
  // Points that are equal are one, and triangles that they collapse go.
  const TriangleMesh flat = parsed("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1 0 0\nf 1 2 3\nf 4 5 2\nf 4 5 3", "obj");
  EXPECT_EQ(flat.points.size(), 3u);
  EXPECT_EQ(flat.triangles.size(), 2u);
}

TEST(MeshFile, BrokenFilesAreRefusedWithAReason) {
  const Facets f = facets_of(box(1, 1, 1));
  const std::string binary = stl_binary(f), points = msh(box(1, 1, 1));
  std::string nan = binary, many = binary, negative = points, far_off = points, huge = points;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(nan.data() + 84 + 12, &bad, 4);
  const std::uint32_t count = 0xFFFFFFFF;
  std::memcpy(many.data() + 80, &count, 4);
  std::memcpy(negative.data(), &count, 4);
  std::memcpy(far_off.data() + far_off.size() - 4, &count, 4);
  const std::int32_t most = 0x7FFFFFFF;
  for (std::size_t k = 0; k < 4; ++k) std::memcpy(huge.data() + 4 * k, &most, 4);
  for (const auto& [ending, bytes] : {std::pair<std::string, std::string>{"stl", ""},
                                      {"stl", "solid\nfacet\nvertex 0 0\nvertex a b c"},
                                      {"stl", "solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet\nfacet"},
                                      {"stl", "solid\nvertex 0 0 0"},
                                      {"stl", "solid\nfacet vertex 0 0 0 vertex 0 1 0 vertex 1 0 1e39"},
                                      {"stl", binary.substr(0, 120)},
                                      {"stl", nan},
                                      {"stl", many},
                                      {"stl", "solid empty\nendsolid"},
                                      {"obj", "v 0 0 0\nf 1 2 3"},
                                      {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0"},
                                      {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4"},
                                      {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1e300"},
                                      {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x"},
                                      {"obj", std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n\0f 1 2 3", 41)},
                                      {"obj", "v 0 nan 0"},
                                      {"obj", "v 0 0"},
                                      {"obj", ""},
                                      {"msh", points.substr(0, 15)},
                                      {"msh", points.substr(0, points.size() - 1)},
                                      {"msh", negative},
                                      {"msh", far_off},
                                      {"msh", huge},
                                      {"dae", "<COLLADA/>"},
                                      {"", "x"}}) {
    TriangleMesh m;
    std::string why;
    EXPECT_FALSE(parse_mesh(bytes, ending, m, why)) << ending << bytes.substr(0, 60);
    EXPECT_FALSE(why.empty());
  }
}

/// A zero byte before a word would hide it.
TEST(MeshFile, AZeroByteInAnObjIsSaidWithItsLine) {
  TriangleMesh m;
  std::string why;
  const std::string good = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  EXPECT_FALSE(parse_mesh(good + '\0' + "f 3 2 1\n", "obj", m, why));
  EXPECT_NE(why.find("line 5 "), std::string::npos) << why;
  EXPECT_TRUE(parse_mesh(good + "f 3 2 1\n", "obj", m, why)) << why;
}

/// Signed pyramids are exact: what is left are float corners, which a box does not round.
TEST(MeshBodies, ABoxATetrahedronAndAnL) {
  const MeshBody b = body_of(box(1, 2, 3), MeshMass::exact);
  EXPECT_NEAR(b.volume, 6, 1e-14);
  const double wanted[6] = {13 / 12., 0, 0, 10 / 12., 0, 5 / 12.};
  const double got[6] = {b.inertia.xx, b.inertia.xy, b.inertia.xz, b.inertia.yy, b.inertia.yz, b.inertia.zz};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(got[k], wanted[k], 1e-14) << k;
  EXPECT_NEAR(b.centre.z, 1.5, 1e-14);
  // Of mass 1: 3/80 a^2 each for yy + zz, and products -(-1/80) a^2.
  Polygons t;
  t.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  t.faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  const MeshBody four = body_of(t, MeshMass::exact);
  EXPECT_NEAR(four.volume, 1 / 6., 1e-16);
  EXPECT_NEAR(four.centre.x, 0.25, 1e-15);
  EXPECT_NEAR(four.inertia.xx, 3 / 40., 1e-15);
  EXPECT_NEAR(four.inertia.xy, 1 / 80., 1e-15);
  // Two boxes: 2 x 1 x 0.5 about (1, 0.5) and 1 x 2 x 0.5 about (0.5, 2), each 1/2 of the mass.
  const MeshBody l = body_of(ell(), MeshMass::exact);
  EXPECT_NEAR(l.volume, 2, 1e-14);
  EXPECT_NEAR(l.centre.x, 0.75, 1e-15);
  EXPECT_NEAR(l.centre.y, 1.25, 1e-15);
  EXPECT_NEAR(l.inertia.xy, 0.25 * 0.75, 1e-14);
  // Without signs the L is too heavy.
  EXPECT_GT(body_of(ell(), MeshMass::legacy).volume, 2.05);
}

/// An icosphere of n triangles lacks a part of its ball that falls as 1 / n.
TEST(MeshBodies, FinerSpheresApproachTheSphere) {
  double before = 1;
  for (int times = 1; times < 5; ++times) {
    const Polygons p = icosphere(times);
    const MeshBody solid = body_of(p, MeshMass::exact), shell = body_of(p, MeshMass::shell);
    const double lack = 1 - solid.volume / (4 * std::numbers::pi / 3);
    EXPECT_GT(lack, 0);
    EXPECT_NEAR(before / lack, times > 1 ? 4 : before / lack, 0.3);
    EXPECT_NEAR(solid.inertia.yy, 0.4, 0.5 * lack);
    EXPECT_NEAR(shell.volume, 4 * std::numbers::pi, 4 * std::numbers::pi * lack);
    EXPECT_NEAR(shell.inertia.zz, 2 / 3., lack);
    EXPECT_NEAR(norm(solid.centre), 0, 1e-7);  // floats
    EXPECT_EQ(io::fault_of(io::surface_of(parsed(stl_binary(facets_of(p))), {1, 1, 1})), SurfaceFault::none);
    before = lack;
  }
}

TEST(MeshBodies, FaultsOfSurfaces) {
  Facets f = facets_of(box(1, 2, 3));
  const auto fault = [](const Facets& facets, const Vec3<double>& scale = {1, 1, 1}) {
    return io::fault_of(io::surface_of(parsed(stl_binary(facets)), scale));
  };
  EXPECT_EQ(fault(f), SurfaceFault::none);
  EXPECT_EQ(fault(f, {-1, 2, 1}), SurfaceFault::none);
  EXPECT_GT(mesh_body(io::surface_of(parsed(stl_binary(f)), {-1, 2, 1}), MeshMass::exact).volume, 11.9);
  std::swap(f[3][0], f[3][1]);
  EXPECT_EQ(fault(f), SurfaceFault::inconsistent);
  f.pop_back();
  EXPECT_EQ(fault(f), SurfaceFault::open);
}

class MeshMasses : public FilesInAFolder {
 protected:
  LinkDescription link_of(const std::string& mesh, const std::string& geom = "", const std::string& more = "",
                          Diagnostics* found = nullptr) {
    const Model m = load(
        write("robot.xml", "<mujoco><compiler angle='radian' meshdir='meshes'/>" + more + "<asset><mesh name='m' " +
                               mesh + "/></asset><worldbody><body name='a'><joint/><geom type='mesh' mesh='m' " + geom +
                               "/></body></worldbody></mujoco>"),
        {}, found);
    return m.description().links[1];
  }
  void SetUp() override {
    FilesInAFolder::SetUp();
    write("meshes/box.stl", stl_binary(facets_of(box(1, 2, 3))));
    write("meshes/L.stl", stl_binary(facets_of(ell())));
    write("meshes/L.OBJ", obj(ell()));
    write("meshes/L.msh", msh(ell()));
    Facets open = facets_of(box(1, 2, 3));
    open.resize(open.size() - 2);
    write("meshes/open.stl", stl_binary(open));
    Facets inside = facets_of(box(1, 2, 3));
    for (auto& f : inside) std::swap(f[0], f[1]);
    write("meshes/inside.stl", stl_binary(inside));
  }
  static void expect(const LinkDescription& l, double mass, const std::array<double, 3>& centre,
                     const std::array<double, 6>& inertia, double relative = 1e-13) {
    const double tiny = relative * std::max(1.0, inertia[0]);  // as many roundings as terms, and those of both readers
    EXPECT_NEAR(l.mass, mass, 1e-14 * mass);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(l.centre[k], centre[static_cast<std::size_t>(k)], 1e-14);
    const double got[6] = {l.inertia.xx, l.inertia.xy, l.inertia.xz, l.inertia.yy, l.inertia.yz, l.inertia.zz};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(got[k], inertia[k], tiny) << k;
  }
};

/// The numbers are those of MuJoCo 4.0.0 for the same files.
TEST_F(MeshMasses, AreThoseOfMuJoCo) {
  expect(link_of("file='box.stl'"), 6000, {0.5, 1, 1.5}, {6500, 0, 0, 5000, 0, 2500});
  const std::array<double, 3> legacy{0.7743629070316187, 1.2421543180745633, 0.25};
  const std::array<double, 6> of_legacy{1587.3053426571726, 383.8923723966555, 0, 615.0665494788808, 0,
                                        2117.020606152097};
  for (const char* file : {"L.stl", "L.OBJ", "L.msh"})
    expect(link_of("file='" + std::string(file) + '\''), 2080.7181060248545, legacy, of_legacy);
  expect(link_of("file='L.stl' inertia='exact'"), 2000, {0.75, 1.25, 0.25},
         {1583.333333333343, 375, 0, 583.3333333333369, 0, 2083.3333333333453});
  expect(link_of("file='L.stl' inertia='convex'"), 2500, {0.8666666666666666, 1.3333333333333333, 0.25},
         {1774.3055555555657, 305.5555555555575, 0, 757.6388888888933, 0, 2427.7777777777915});
  expect(link_of("file='L.stl' inertia='shell'"), 13000, {0.7692307692307695, 1.2692307692307696, 0.25},
         {12328.525641025715, 2692.3076923077097, 0, 5245.192307692344, 0, 16365.384615384717});
  // MuJoCo keeps principal axes, which it turns until products of inertia are below 1e-12 of its own float mesh.
  constexpr double tilted = 1e-8;
  const std::string placed = "file='L.stl' scale='0.5 2 -1' refpos='0.1 0.2 0.3' refquat='0.8 0 0.6 0'";
  const std::string pose = "pos='1 2 3' quat='0.6 0.8 0 0'";
  expect(link_of(placed, pose), 2080.6614921858854, {1.1185016290072212, 2.025139416649534, 5.178133322684566},
         {6709.3756178458425, -98.44286251214184, 83.25586089886926, 5360.5414957284365, 2139.5891529224427,
          1390.9363564563328},
         tilted);
  expect(link_of(placed + " inertia='exact'", pose + " mass='3'"), 3, {1.115, 1.9976, 5.1868},
         {10.003700008285957, -0.14086797211010235, 0.12297601223298467, 8.033607072618379, 3.194461437354276,
          2.0307429190957356},
         tilted);
  Diagnostics found;
  expect(link_of("file='open.stl'", "", "", &found), 4837.2448979591845, {0.5, 1, 1.2558673469387758},
         {4502.793780035053, 0, 0, 3177.2070453411748, 0, 2209.311224489796});
  EXPECT_NE(find(found, "N_MJCF_MESH"), nullptr) << all(found);
  expect(link_of("file='inside.stl'"), 6000, {0.5, 1, 1.5}, {6500, 0, 0, 5000, 0, 2500});
  expect(link_of("file='/else/where/box.stl'", "", "<compiler strippath='true'/>"), 6000, {0.5, 1, 1.5},
         {6500, 0, 0, 5000, 0, 2500});
}

/// Of four corners that do not lie in a plane the shorter diagonal is an edge: the number is MuJoCo 4.0.0's, whose
/// points are floats, too.
TEST_F(MeshMasses, OfBentQuadrilaterals) {
  write("meshes/bent.obj",
        "v 0.4118348 0.229372 0.2667337\n"
        "v 0.01191818 0.2291637 1.092737\n"
        "v 0.1532973 0.9619518 -0.368472\n"
        "v 0.2572136 0.5162601 0.9400158\n"
        "v 0.9488694 -0.260715 0.1532808\n"
        "v 0.9499176 -0.1092171 1.12996\n"
        "v 0.8808552 1.347245 0.08786377\n"
        "v 0.8814168 0.5139338 0.6730617\n"
        "f 1 2 4 3\n"
        "f 5 7 8 6\n"
        "f 1 5 6 2\n"
        "f 3 4 8 7\n"
        "f 1 3 7 5\n"
        "f 2 6 8 4\n");
  EXPECT_NEAR(link_of("file='bent.obj' inertia='exact'").mass, 402.52276202308997, 1e-11);
}

TEST_F(MeshMasses, AreRefusedWithTheirReason) {
  const auto refused = [&](const std::string& mesh, const std::string& geom = "") {
    try {
      link_of(mesh, geom);
    } catch (const ModelError& error) { return std::string(error.what()); }
    return std::string("loaded");
  };
  EXPECT_TRUE(has(refused("file='none.stl'"), "E_MASS_FROM_MESH")) << refused("file='none.stl'");
  EXPECT_TRUE(has(refused("file='inside.stl' inertia='exact'"), "inwards"));
  write("meshes/cut.stl", stl_binary(facets_of(box(1, 1, 1))).substr(0, 500));
  EXPECT_TRUE(has(refused("file='cut.stl'"), "cut off"));
  write("meshes/x.dae", "<COLLADA/>");
  EXPECT_TRUE(has(refused("file='x.dae'"), ".dae"));
  Facets turned = facets_of(box(1, 1, 1));
  std::swap(turned[2][0], turned[2][1]);
  write("meshes/turned.stl", stl_binary(turned));
  EXPECT_TRUE(has(refused("file='turned.stl' inertia='exact'"), "turned"));
  EXPECT_EQ(refused("file='turned.stl'"), "loaded");
  write("meshes/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3");
  EXPECT_TRUE(has(refused("file='flat.obj'"), "volume is 0"));
  EXPECT_TRUE(has(refused("file='box.stl'", "shellinertia='true'"), "E_MJCF_GEOM"));
  LoadOptions small;
  small.limits.file_bytes = 600;
  EXPECT_THROW(load((write("big.xml",
                           "<mujoco><asset><mesh name='m' file='meshes/box.stl'/></asset><worldbody><body>"
                           "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>")),
                    small),
               ModelError);
}

/// A file is opened where its mass is needed, and nowhere else.
TEST_F(MeshMasses, ABodyWithAnInertialOpensNothing) {
  write("meshes/broken.stl", "nothing");
  const std::string mesh = "<mujoco><asset><mesh name='m' file='meshes/broken.stl'/></asset><worldbody><body>";
  const std::string end = "</body></worldbody></mujoco>", geom = "<geom type='mesh' mesh='m'/>";
  EXPECT_NO_THROW(load(write("a.xml", mesh + geom + "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>" + end)));
  EXPECT_NO_THROW(load(write("b.xml", mesh + "<geom type='mesh' mesh='m' mass='0'/><geom size='1'/>" + end)));
  EXPECT_THROW(load(write("c.xml", mesh + geom + end)), ModelError);
}

/// Geoms of the worldbody of an attached model weigh on the body that they go to.
TEST_F(MeshMasses, ComeWithAttachedWorlds) {
  write("child.xml",
        "<mujoco><asset><mesh name='m' file='meshes/box.stl'/></asset><worldbody>"
        "<geom type='mesh' mesh='m'/></worldbody></mujoco>");
  const Model m = load(write("top.xml",
                             "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><body>"
                             "<joint/><attach model='c' prefix='p'/></body></worldbody></mujoco>"));
  EXPECT_NEAR(m.description().links[1].mass, 6000, 1e-10);
}

TEST_F(MeshMasses, OfSdf) {
  const auto read = [&](const std::string& mesh, const std::string& pose = "") {
    const Robot r =
        load_robot(write("robot.sdf",
                         "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'><density>2</density>"
                         "</inertial><collision name='c'>" +
                             pose + "<geometry><mesh>" + mesh + "</mesh></geometry></collision></link></model></sdf>"));
    for (const LinkDescription& l : r.model.description().links)
      if (l.name == "a") return l;
    throw std::out_of_range("a");
  };
  const LinkDescription l = read("<uri>meshes/L.stl</uri><scale>1 1 -2</scale>", "<pose>1 0 0 0 0 0</pose>");
  EXPECT_NEAR(l.mass, 8, 1e-13);
  EXPECT_NEAR(l.centre.x, 1.75, 1e-14);
  EXPECT_NEAR(l.centre.z, -0.5, 1e-14);
  EXPECT_NEAR(l.inertia.xy, 8 * 0.1875, 1e-13);
  for (const char* mesh : {"<uri>meshes/open.stl</uri>", "<uri>meshes/inside.stl</uri>", "<uri>meshes/none.stl</uri>",
                           "<uri>meshes/L.stl</uri><submesh><name>x</name></submesh>"}) {
    try {
      read(mesh);
      ADD_FAILURE() << mesh;
    } catch (const ModelError& error) { EXPECT_EQ(error.code(), "E_MASS_FROM_MESH") << error.what(); }
  }
}

}  // namespace
}  // namespace zwang::test
