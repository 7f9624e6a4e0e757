// SPDX-License-Identifier: BSD-3-Clause
// The rules of MJCF, a file of one line each: mass, mass matrix and bias as MuJoCo 4.0 computes them at a random state.
// docs/formats/mjcf.md says the rules in words.
#include "mjcf_support.hpp"

namespace zwang::test {
namespace {

struct Rule {
  const char* name;
  const char* inside;  ///< of <mujoco>
  double mass;
  std::vector<double> q, v, lower, bias;  ///< `lower`: the lower triangle of M, row by row
  std::vector<double> pose;               ///< of the last body, [R p] row by row
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"default_euler_then_quat",
       R"(<default><geom euler="90 0 0"/></default><worldbody><body><joint/>)"
       R"(<geom type="box" size="1 2 3" quat="1 0 0 0"/></body></worldbody>)",
       48000,
       {0.273923374642909},
       {-0.132104863291302},
       {80000},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"partial_size",
       R"(<default><geom type="box" size="1 2 3"/></default><worldbody><body><joint/><geom size="2"/></body>)"
       R"(</worldbody>)",
       96000,
       {0.273923374642909},
       {-0.132104863291302},
       {256000},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"mass_default_beats_density",
       R"(<default><geom mass="5"/></default><worldbody><body><joint/><geom size="1" density="1"/></body>)"
       R"(</worldbody>)",
       5,
       {0.273923374642909},
       {-0.132104863291302},
       {2},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"inertial_in_frame",
       R"(<worldbody><body><joint/><frame pos="1 0 0"><inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/>)"
       R"(</frame></body></worldbody>)",
       2,
       {0.273923374642909},
       {-0.132104863291302},
       {3},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"joint_in_frame",
       R"(<worldbody><body><frame pos="1 0 0" euler="0 90 0"><joint pos="0 0 1" axis="1 0 0"/></frame>)"
       R"(<geom size=".1" pos="1 2 3"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {20.9607061848},
       {0},
       {0.962716994105594, 0.270510608406197, 0, 0.0745660117888129, -0.270510608406197, 0.962716994105594, 0,
        0.541021216812393, 0, 0, 1, 0}},
      {"boundmass_massless",
       R"(<compiler boundmass="1" boundinertia=".1"/><worldbody><body><joint/><geom size=".1"/>)"
       R"(<body pos="0 0 2"><joint axis="0 1 0"/></body></body></worldbody>)",
       5.18879020479,
       {0.273923374642909, -0.460426572472259},
       {0.640422650443282, 0.10490011715304},
       {0.989717654498, 0, 4.1},
       {-0.213934187098, 9.37080213248},
       {0.862462572965447, -0.270510608406197, -0.427764328776407, 0, 0.242340455989569, 0.962716994105593,
        -0.120196059216009, 0, 0.444330297891769, 0, 0.895863039965045, 2}},
      {"inertiafromgeom_true",
       R"(<compiler inertiafromgeom="true"/><worldbody><body><joint/>)"
       R"(<inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/><geom size=".1"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {0.0167551608191},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"inertiafromgeom_false",
       R"(<compiler inertiafromgeom="false" boundmass=".5" boundinertia=".01"/><worldbody><body><joint/>)"
       R"(<geom size=".1"/></body></worldbody>)",
       0.5,
       {0.273923374642909},
       {-0.132104863291302},
       {0.01},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"group_range",
       R"(<compiler inertiagrouprange="1 2"/><worldbody><body><joint/><geom size=".1" group="0"/>)"
       R"(<geom size=".2" pos="0 1 0" group="2"/></body></worldbody>)",
       33.5103216383,
       {0.273923374642909},
       {-0.132104863291302},
       {34.0464867845},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"ref_hinge",
       R"(<worldbody><body pos="1 0 0"><joint axis="0 1 0" pos="0 .3 .2" ref="30"/>)"
       R"(<geom size=".1" pos="1 2 3"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {37.0456605711},
       {-11.3883382152},
       {0.968992677753536, 0, -0.247089438179846, 1.04941788763597, 0, 1, 0, 0, 0.247089438179846, 0, 0.968992677753536,
        0.00620146444929282}},
      {"ref_slide",
       R"(<worldbody><body pos="1 0 0" euler="20 30 40"><joint type="slide" axis="0 1 1" ref=".5"/>)"
       R"(<geom size=".1" pos="1 2 3"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.18879020479},
       {40.0343228065},
       {0.663413948168938, -0.556670399226419, 0.5, 1.00905934786345, 0.735024088669746, 0.609923155196477,
        -0.296198132726024, -0.0501521808708876, -0.140076844803523, 0.564014017006912, 0.813797681349374,
        -0.220257411913954}},
      {"replicate",
       R"(<worldbody><replicate count="3" offset="1 0 0" euler="0 0 90" sep="_"><body name="b" pos="0 0 1">)"
       R"(<joint/><geom type="box" size=".1 .2 .3" pos=".5 0 0"/></body></replicate></worldbody>)",
       144,
       {0.273923374642909, -0.460426572472259, -0.918052952127611},
       {0.10490011715304, -0.535669373161111, 0.361595054909485},
       {12.8, 0, 12.8, 0, 0, 12.8},
       {0, 0, 0},
       {-0.607368081775913, -0.794420551874036, 0, 1, 0.794420551874036, -0.607368081775913, 0, 1, 0, 0, 1, 1}},
      {"eulerseq_fixed",
       R"(<compiler eulerseq="XYz" angle="radian"/><worldbody><body euler=".1 .2 .3"><joint/>)"
       R"(<geom type="box" size=".1 .2 .3" euler=".3 .2 .1" pos="1 0 0"/></body></worldbody>)",
       48,
       {0.273923374642909},
       {-0.132104863291302},
       {48.912354502},
       {89.4815141482},
       {0.833806091529043, -0.515452500103877, 0.197676811654084, 0, 0.540218586519154, 0.835581933564787,
        -0.0998334166468282, 0, -0.113715788298322, 0.190030398717665, 0.975170327201816, 0}},
      {"zaxis_down",
       R"(<worldbody><body zaxis="0 0 -1"><joint axis="1 0 0"/>)"
       R"(<geom type="box" size=".1 .2 .3" zaxis="1 2 3" pos="1 0 0"/></body></worldbody>)",
       48,
       {0.273923374642909},
       {-0.132104863291302},
       {1.98555398027},
       {0},
       {1, 0, 0, 0, 0, -0.962716994105594, 0.270510608406197, 0, 0, -0.270510608406197, -0.962716994105594, 0}},
      {"xyaxes",
       R"(<worldbody><body xyaxes="1 1 0 0 1 0"><joint axis="1 0 0"/>)"
       R"(<geom type="box" size=".1 .2 .3" xyaxes="1 2 3 0 1 1" pos="1 0 0"/></body></worldbody>)",
       48,
       {0.273923374642909},
       {-0.132104863291302},
       {1.36761904762},
       {0},
       {0.707106781186547, -0.680743714895595, 0.19127988558692, 0, 0.707106781186547, 0.680743714895595,
        -0.19127988558692, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"fromto_box",
       R"(<worldbody><body><joint axis="1 0 0"/><geom type="box" size=".1" fromto="0 0 0 1 2 3"/></body>)"
       R"(</worldbody>)",
       149.666295471,
       {0.273923374642909},
       {-0.132104863291302},
       {649.088469525},
       {817.730258287},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"fromto_in_frame",
       R"(<worldbody><body><joint axis="1 0 0"/><frame pos="0 0 1" euler="0 45 0">)"
       R"(<geom type="cylinder" size=".1" fromto="0 0 0 1 2 3"/></frame></body></worldbody>)",
       117.547633585,
       {0.273923374642909},
       {-0.132104863291302},
       {519.342152672},
       {577.639529194},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"shell",
       R"(<worldbody><body><joint axis="1 0 0"/>)"
       R"(<geom type="cylinder" size=".1 .2" pos="0 1 0" shellinertia="true" density="10"/>)"
       R"(<geom type="sphere" size=".1" shellinertia="true"/>)"
       R"(<geom type="capsule" size=".1 .3" shellinertia="true" euler="0 50 0"/></body></worldbody>)",
       631.460123372,
       {0.273923374642909},
       {-0.132104863291302},
       {18.7844373255},
       {29.6699980808},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"balance",
       R"(<compiler balanceinertia="true"/><worldbody><body><joint axis="1 0 0"/>)"
       R"(<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body></worldbody>)",
       1,
       {0.273923374642909},
       {-0.132104863291302},
       {1.66666666667},
       {0},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"settotal",
       R"(<compiler settotalmass="7"/><worldbody><body><joint axis="1 0 0"/><geom size=".1" pos="0 1 0"/>)"
       R"(<body pos="0 0 1"><geom size=".3"/></body></body></worldbody>)",
       7,
       {0.273923374642909},
       {-0.132104863291302},
       {7.244},
       {-15.5514727841},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, -0.270510608406197, 0, 0.270510608406197,
        0.962716994105594, 0.962716994105594}},
      {"armature_ball",
       R"(<worldbody><body><joint type="ball" armature="2"/><geom type="box" size=".1 .2 .3" pos="1 0 0"/>)"
       R"(</body></worldbody>)",
       48,
       {-0.382670106719293, -0.688098228895399, -0.338917952319205, 0.51499421201623},
       {-0.535669373161111, 0.361595054909485, 1.30400004513014},
       {4.08, 0, 51.6, 0, 0, 50.8},
       {-0.377215974337, 145.566221691, 24.8269895397},
       {-0.176689102026455, 0.875710812955083, -0.44934567239335, 0, 0.177547677783952, 0.477396422038405,
        0.860563465607537, 0, 0.968120748325647, 0.0722719053192623, -0.23983116637108, 0}},
      {"act_armature",
       R"(<worldbody><body><joint name="j"/><geom size=".1" pos="1 0 0"/></body></worldbody><actuator>)"
       R"(<motor joint="j" gear="3" armature="2" damping=".5"/></actuator>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {22.2055453656},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"class_childclass",
       R"(<default><default class="a"><geom size=".2"/><default class="b"><geom density="10"/></default>)"
       R"(</default></default><worldbody><body childclass="b"><joint/><geom/><frame childclass="a">)"
       R"(<geom pos="0 1 0"/></frame><geom class="main" size=".1" pos="0 0 1"/></body></worldbody>)",
       38.0342150595,
       {0.273923374642909},
       {-0.132104863291302},
       {34.0686035968},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"default_order",
       R"(<default><default class="a"><geom density="10"/></default><geom size=".3"/></default><worldbody>)"
       R"(<body><joint/><geom class="a"/></body></worldbody>)",
       1.13097335529,
       {0.273923374642909},
       {-0.132104863291302},
       {0.0407150407905},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"two_worldbodies",
       R"(<worldbody><body><joint/><geom size=".1" pos="1 0 0"/></body></worldbody><worldbody><body><joint/>)"
       R"(<geom size=".2" pos="1 0 0"/></body></worldbody>)",
       37.6991118431,
       {0.273923374642909, -0.460426572472259},
       {0.640422650443282, 0.10490011715304},
       {4.20554536561, 0, 34.0464867845},
       {0, 0},
       {0.895863039965045, 0.444330297891769, 0, 0, -0.444330297891769, 0.895863039965045, 0, 0, 0, 0, 1, 0}},
      {"mocap",
       R"(<worldbody><body mocap="true" pos="1 0 0"><geom size=".1"/></body><body><joint/>)"
       R"(<geom size=".1" pos="1 0 0"/></body></worldbody>)",
       8.37758040957,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"geom_mass_zero_plane",
       R"(<worldbody><body><joint/><geom size=".1" pos="1 0 0" mass="0"/>)"
       R"(<geom size=".1" pos="0 1 0" mass="3"/></body></worldbody>)",
       3,
       {0.273923374642909},
       {-0.132104863291302},
       {3.012},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"ref_and_spring",
       R"(<compiler angle="radian"/><worldbody><body>)"
       R"(<joint ref=".3" springref=".5" stiffness="10" damping="2" range="-1 1"/>)"
       R"(<geom size=".1" pos="1 0 0"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.999660024070678, 0.026073670148461, 0, 0, -0.026073670148461, 0.999660024070678, 0, 0, 0, 0, 1, 0}},
      {"eq_joint_ref",
       R"(<worldbody><body><joint name="a" ref="20"/><geom size=".1" pos="1 0 0"/></body><body>)"
       R"(<joint name="b" type="slide" ref=".3"/><geom size=".1" pos="1 0 0"/></body></worldbody><equality>)"
       R"(<joint joint1="a" joint2="b" polycoef=".1 2 3 4 5"/></equality>)",
       8.37758040957,
       {0.273923374642909, -0.460426572472259},
       {0.640422650443282, 0.10490011715304},
       {4.20554536561, 0, 4.18879020479},
       {0, 41.092031909},
       {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.760426572472259}},
      {"eq_joint_one",
       R"(<worldbody><body><joint name="a" ref="20"/><geom size=".1" pos="1 0 0"/></body></worldbody>)"
       R"(<equality><joint joint1="a" polycoef=".1"/></equality>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.997178132324418, 0.0750717817424425, 0, 0, -0.0750717817424425, 0.997178132324418, 0, 0, 0, 0, 1, 0}},
      {"eq_joint_none",
       R"(<worldbody><body><joint name="a" ref="20"/><geom size=".1" pos="1 0 0"/></body><body>)"
       R"(<joint name="b" type="slide" ref=".3"/><geom size=".1" pos="1 0 0"/></body></worldbody><equality>)"
       R"(<joint joint1="a" joint2="b"/></equality>)",
       8.37758040957,
       {0.273923374642909, -0.460426572472259},
       {0.640422650443282, 0.10490011715304},
       {4.20554536561, 0, 4.18879020479},
       {0, 41.092031909},
       {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.760426572472259}},
      {"eq_connect_world",
       R"(<worldbody><body name="a" pos="0 0 1" euler="0 20 0"><joint type="ball"/>)"
       R"(<geom size=".1" pos="1 0 0"/></body></worldbody><equality><connect body1="a" anchor="1 .1 .2"/>)"
       R"(</equality>)",
       4.18879020479,
       {-0.382670106719293, -0.688098228895399, -0.338917952319205, 0.51499421201623},
       {-0.535669373161111, 0.361595054909485, 1.30400004513014},
       {0.0167551608191, 0, 4.20554536561, 0, 0, 4.20554536561},
       {0, 5.87149554345, -10.3281555537},
       {0.165083351751343, 0.847617436292034, -0.504273902426312, 0, 0.177547677783952, 0.477396422038405,
        0.860563465607537, 0, 0.970167155230514, -0.231597361640087, -0.0716823059986386, 1}},
      {"ellipsoid",
       R"(<worldbody><body><joint axis="1 0 0"/><geom type="ellipsoid" size=".1 .2 .3" pos="1 1 1"/></body>)"
       R"(</worldbody>)",
       25.1327412287,
       {0.273923374642909},
       {-0.132104863291302},
       {50.9189337294},
       {170.665001332},
       {1, 0, 0, 0, 0, 0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0}},
      {"ball_range",
       R"(<worldbody><body><joint type="ball" range="0 60"/><geom size=".1" pos="1 0 0"/></body></worldbody>)",
       4.18879020479,
       {-0.382670106719293, -0.688098228895399, -0.338917952319205, 0.51499421201623},
       {-0.535669373161111, 0.361595054909485, 1.30400004513014},
       {0.0167551608191, 0, 4.20554536561, 0, 0, 4.20554536561},
       {0, 12.7810738793, 2.15845006034},
       {-0.176689102026455, 0.875710812955083, -0.44934567239335, 0, 0.177547677783952, 0.477396422038405,
        0.860563465607537, 0, 0.968120748325647, 0.0722719053192623, -0.23983116637108, 0}},
      {"gravcomp",
       R"(<worldbody><body gravcomp="1"><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>)"
       R"(</worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {-39.5599974411},
       {0.962716994105594, 0, 0.270510608406197, 0, 0, 1, 0, 0, -0.270510608406197, 0, 0.962716994105594, 0}},
      {"limited_false",
       R"(<worldbody><body><joint range="-1 1" limited="false"/><geom size=".1" pos="1 0 0"/></body>)"
       R"(</worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"springdamper",
       R"(<worldbody><body><joint springdamper=".1 1"/><geom size=".1" pos="1 0 0"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
      {"fixed_child_of_world",
       R"(<worldbody><body name="base" pos="0 0 1"><geom size=".1"/><body pos="0 0 1"><joint/>)"
       R"(<geom size=".1"/></body></body></worldbody>)",
       8.37758040957,
       {0.273923374642909},
       {-0.132104863291302},
       {0.0167551608191},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 2}},
      {"tendon_eq",
       R"(<worldbody><body><joint name="a"/><geom size=".1" pos="1 0 0"/></body><body><joint name="b"/>)"
       R"(<geom size=".1" pos="1 0 0"/></body></worldbody><tendon><fixed name="t">)"
       R"(<joint joint="a" coef="1"/><joint joint="b" coef="-3"/></fixed></tendon><equality>)"
       R"(<tendon tendon1="t" polycoef=".2"/></equality>)",
       8.37758040957,
       {0.273923374642909, -0.460426572472259},
       {0.640422650443282, 0.10490011715304},
       {4.20554536561, 0, 4.20554536561},
       {0, 0},
       {0.895863039965045, 0.444330297891769, 0, 0, -0.444330297891769, 0.895863039965045, 0, 0, 0, 0, 1, 0}},
      {"gravity_flag",
       R"(<option gravity="1 2 3"><flag gravity="disable"/></option><worldbody><body><joint/>)"
       R"(<geom size=".1" pos="1 0 0"/></body></worldbody>)",
       4.18879020479,
       {0.273923374642909},
       {-0.132104863291302},
       {4.20554536561},
       {0},
       {0.962716994105594, -0.270510608406197, 0, 0, 0.270510608406197, 0.962716994105594, 0, 0, 0, 0, 1, 0}},
  };
  return all;
}

/// Links without mass of several joints stand behind the bodies.
std::string last_body(const Model& model) {
  std::string name;
  for (const LinkDescription& l : model.description().links)
    if (l.name.find('/') == std::string::npos) name = l.name;
  return name;
}

TEST(MjcfRules, HaveMujocosNumbers) {
  for (const Rule& rule : rules()) {
    SCOPED_TRACE(rule.name);
    Diagnostics found;
    const Model model = loads_robot("<mujoco>" + std::string(rule.inside) + "</mujoco>", {}, &found).model;
    const auto vector = [](const std::vector<double>& x) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    const Eigen::VectorXd q = vector(rule.q), v = vector(rule.v), lower = vector(rule.lower), bias = vector(rule.bias);
    ASSERT_EQ(model.nq(), q.size());
    ASSERT_EQ(model.nv(), v.size());
    Data data(model);
    Eigen::MatrixXd M(model.nv(), model.nv());
    mass_matrix(model, data, q, M);
    Eigen::VectorXd own(lower.size());
    for (Eigen::Index i = 0, k = 0; i < M.rows(); ++i)
      for (Eigen::Index j = 0; j <= i; ++j) own[k++] = M(i, j);
    JointEffects bare;
    bare.damping = bare.springs = bare.gravity_scale = false;
    const Eigen::VectorXd h = bias_forces(model, data, q, v, {}, bare);
    const Transform<double> X = frame_pose(model, data, q, "link:" + last_body(model));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j)
        EXPECT_NEAR(j < 3 ? X.R(i, j) : X.p[i], rule.pose[static_cast<std::size_t>(4 * i + j)], 1e-13) << i << j;
    // The numbers have twelve digits.
    EXPECT_NEAR(total_mass(model), rule.mass, 1e-11 * rule.mass);
    EXPECT_LT(relative(own, lower), 1e-11) << own.transpose();
    EXPECT_LT((h - bias).cwiseAbs().maxCoeff(), 1e-11 * std::max(bias.cwiseAbs().maxCoeff(), 9.81 * rule.mass));
  }
}

}  // namespace
}  // namespace zwang::test
