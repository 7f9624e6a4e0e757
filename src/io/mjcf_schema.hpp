// SPDX-License-Identifier: BSD-3-Clause
// THE table of MJCF: every element and attribute of MuJoCo 4.0's schema, and what the reader makes of it.
//
//   read    it is in the model that comes out
//   named   it has no counterpart: one note for all of its kind (N_MJCF_IGNORED)
//   warned  the same, and the robot moves otherwise without it: a warning, where its value has an effect
//   refused E_MJCF_UNSUPPORTED
//   looks   appearance, solver memory, names for other programs: passed over
//
// A row is found under `parent/element`, `parent/*` or `element`, in this order. docs/formats/mjcf.md shows the table.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zwang::io {

enum class Treatment { read, named, warned, refused, looks };

/// A row: names are separated by blanks. `how` treats the element, the columns its attributes.
struct MjcfRow {
  const char* element;
  Treatment how = Treatment::read;
  const char* children = "";
  const char* read = "";
  const char* named = "";
  const char* warned = "";
  const char* looks = "";
  const char* like = "";  ///< the attributes of that row, too
};

/// Attributes that elements have and their defaults have not.
inline constexpr const char* k_mjcf_not_in_defaults =
    "name class target body joint jointinparent tendon site refsite slidersite cranksite lengthrange geom1 geom2";

inline constexpr MjcfRow k_mjcf_rows[] = {
    {.element = "mujoco",
     .children = "compiler option size statistic visual default extension asset worldbody deformable contact tendon "
                 "equality actuator sensor custom keyframe",
     .read = "model"},
    {.element = "compiler",
     .children = "lengthrange",
     .read = "angle eulerseq coordinate autolimits inertiafromgeom inertiagrouprange boundmass boundinertia "
             "balanceinertia settotalmass alignfree meshdir assetdir strippath",
     .named = "fitaabb",
     .looks = "texturedir fusestatic discardvisual conflict usethread saveinertial savecanonical savecompiled "
              "passthrough"},
    {.element = "lengthrange",
     .how = Treatment::looks,
     .looks = "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting uselimit"},
    {.element = "option",
     .children = "flag",
     .read = "gravity",
     .named = "timestep integrator cone jacobian solver impratio iterations tolerance ls_iterations ls_tolerance "
              "noslip_iterations noslip_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints o_margin "
              "o_solref o_solimp o_friction actuatorgroupdisable",
     .warned = "density viscosity wind",
     .looks = "magnetic sleep_tolerance"},
    {.element = "flag",
     .read = "gravity",
     .named = "actuation contact clampctrl eulerdamp filterparent refsafe override diagexact invdiscrete",
     .warned = "constraint equality frictionloss limit spring damper",
     .looks = "autoreset energy fwdinv ipc island midphase multiccd nativeccd sensor sleep speculative warmstart"},
    {.element = "size",
     .how = Treatment::looks,
     .looks = "memory nconmax njmax nkey nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt "
              "nuser_sensor nuser_site nuser_tendon nuserdata"},
    {.element = "statistic", .how = Treatment::looks, .looks = "center extent meaninertia meanmass meansize"},
    {.element = "visual", .how = Treatment::looks, .children = "global quality headlight map scale rgba"},
    {.element = "global",
     .how = Treatment::looks,
     .looks = "azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight offwidth "
              "orthographic realtime"},
    {.element = "quality", .how = Treatment::looks, .looks = "numquads numslices numstacks offsamples shadowsize"},
    {.element = "headlight", .how = Treatment::looks, .looks = "active ambient diffuse specular"},
    {.element = "map",
     .how = Treatment::looks,
     .looks = "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness stiffnessrot torque "
              "zfar znear"},
    {.element = "scale",
     .how = Treatment::looks,
     .looks = "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth forcewidth "
              "framelength framewidth frustum jointlength jointwidth light selectpoint slidercrank"},
    {.element = "rgba",
     .how = Treatment::looks,
     .looks =
         "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint contactforce "
         "contactfriction contactgap contactpoint contacttorque crankbroken fog force frustum haze inertia joint light "
         "rangefinder selectpoint slidercrank"},
    {.element = "default",
     .children = "default mesh texture material joint geom site camera light pair equality tendon general motor "
                 "position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor",
     .read = "class"},
    {.element = "default/mesh", .read = "scale inertia", .named = "maxhullvert"},
    {.element = "default/equality", .read = "active solref", .named = "solimp"},
    {.element = "default/tendon", .looks = "rgba material width", .like = "fixed"},
    {.element = "extension", .children = "plugin"},
    {.element = "extension/plugin", .how = Treatment::named, .children = "instance", .looks = "plugin"},
    {.element = "instance", .how = Treatment::looks, .children = "config", .looks = "name"},
    {.element = "config", .how = Treatment::looks, .looks = "key value"},
    {.element = "asset", .children = "mesh hfield skin texture material model"},
    {.element = "mesh",
     .children = "plugin",
     .read = "name class file vertex face scale refpos refquat inertia builtin",
     .named = "maxhullvert params",
     .looks = "content_type material normal texcoord smoothnormal"},
    {.element = "hfield",
     .how = Treatment::named,
     .named = "name file nrow ncol size elevation",
     .looks = "content_type"},
    {.element = "skin",
     .how = Treatment::looks,
     .children = "bone",
     .looks = "name file material rgba inflate vertex texcoord face group"},
    {.element = "bone", .how = Treatment::looks, .looks = "body bindpos bindquat vertid vertweight"},
    {.element = "texture",
     .how = Treatment::looks,
     .looks = "name class type colorspace content_type file gridsize gridlayout fileright fileleft fileup filedown "
              "filefront fileback builtin rgb1 rgb2 mark markrgb random width height hflip vflip nchannel embed"},
    {.element = "material",
     .children = "layer",
     .read = "name class rgba",
     .looks = "texture texrepeat texuniform emission specular shininess reflectance metallic roughness"},
    {.element = "layer", .how = Treatment::looks, .looks = "texture role"},
    {.element = "model", .read = "name file", .looks = "content_type"},
    {.element = "worldbody",
     .children = "inertial joint freejoint geom site camera light body frame replicate attach plugin flexcomp "
                 "composite"},
    {.element = "body",
     .children = "inertial joint freejoint geom site camera light body frame replicate attach plugin flexcomp "
                 "composite",
     .read = "name childclass mocap gravcomp pos quat axisangle xyaxes zaxis euler",
     .looks = "user fuse simple sleep"},
    {.element = "frame",
     .children = "inertial joint freejoint geom site camera light body frame replicate attach plugin flexcomp "
                 "composite",
     .read = "name childclass pos quat axisangle xyaxes zaxis euler"},
    {.element = "replicate",
     .children = "inertial joint freejoint geom site camera light body frame replicate attach plugin flexcomp "
                 "composite",
     .read = "count offset euler sep childclass"},
    {.element = "attach", .read = "model body frame prefix"},
    {.element = "include", .read = "file"},
    {.element = "inertial", .read = "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia"},
    {.element = "joint",
     .read = "name class type pos axis range limited ref springref stiffness damping armature frictionloss "
             "springdamper actuatorfrcrange actuatorfrclimited",
     .named = "margin solreflimit solimplimit solreffriction solimpfriction actuatorgravcomp",
     .warned = "springyield",
     .looks = "group user"},
    {.element = "freejoint", .read = "name align", .looks = "group"},
    {.element = "geom",
     .children = "plugin",
     .read = "name class type size fromto mass density shellinertia group mesh hfield contype conaffinity rgba "
             "material friction condim priority margin pos quat axisangle xyaxes zaxis euler",
     .named = "gap solref solimp solmix adhesion surfacevel fluidcoef fitscale",
     .warned = "fluidshape",
     .looks = "user castshadow"},
    {.element = "site",
     .read = "name class fromto pos quat axisangle xyaxes zaxis euler",
     .named = "type size",
     .looks = "group material mesh rgba user"},
    {.element = "camera",
     .how = Treatment::looks,
     .looks = "name class target mode fovy ipd resolution output projection sensorsize focal focalpixel principal "
              "principalpixel user pos quat axisangle xyaxes zaxis euler"},
    {.element = "light",
     .how = Treatment::looks,
     .looks = "name class target mode pos dir type directional castshadow active attenuation cutoff exponent ambient "
              "diffuse specular bulbradius intensity range softness texture"},
    {.element = "body/plugin", .how = Treatment::warned, .children = "config", .looks = "plugin instance"},
    {.element = "plugin", .how = Treatment::named, .children = "config", .looks = "plugin instance"},
    {.element = "flexcomp", .how = Treatment::refused},
    {.element = "composite", .how = Treatment::refused},
    {.element = "deformable", .children = "flex skin"},
    {.element = "flex", .how = Treatment::refused},
    {.element = "contact", .children = "pair exclude"},
    {.element = "pair",
     .how = Treatment::named,
     .named = "name class geom1 geom2 condim friction solref solreffriction solimp gap margin adhesion"},
    {.element = "exclude", .read = "name body1 body2"},
    {.element = "tendon", .children = "spatial fixed"},
    {.element = "spatial", .children = "site geom pulley", .looks = "rgba material width", .like = "fixed"},
    {.element = "spatial/site", .named = "site"},
    {.element = "spatial/geom", .named = "geom sidesite"},
    {.element = "pulley", .named = "divisor"},
    {.element = "fixed",
     .children = "joint",
     .read = "name class stiffness damping frictionloss range limited armature",
     .named = "margin solreflimit solimplimit solreffriction solimpfriction actuatorfrclimited actuatorfrcrange "
              "springlength",
     .warned = "springyield",
     .looks = "group user"},
    {.element = "fixed/joint", .read = "joint coef"},
    {.element = "equality", .children = "connect weld joint tendon flex flexvert flexstrain distance"},
    {.element = "connect", .read = "name class active body1 body2 anchor site1 site2 solref", .named = "solimp"},
    {.element = "weld",
     .read = "name class active body1 body2 anchor relpose site1 site2 torquescale solref",
     .named = "solimp"},
    {.element = "equality/joint", .read = "name class active joint1 joint2 polycoef solref", .named = "solimp"},
    {.element = "equality/tendon", .read = "name class active tendon1 tendon2 polycoef solref", .named = "solimp"},
    {.element = "flexvert", .how = Treatment::refused},
    {.element = "flexstrain", .how = Treatment::refused},
    {.element = "distance", .how = Treatment::refused},
    {.element = "actuator",
     .children = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion "
                 "dcmotor plugin"},
    {.element = "transmission",
     .read = "name class joint jointinparent tendon site slidersite body gear armature damping forcerange forcelimited "
             "ctrlrange ctrllimited delay interp nsample lengthrange",
     .named = "cranklength cranksite refsite",
     .looks = "group user"},
    {.element = "general",
     .read = "dyntype gaintype biastype dynprm gainprm biasprm actdim actlimited actrange actearly ffrange velrange "
             "inheritrange input",
     .like = "transmission"},
    {.element = "motor", .like = "transmission"},
    {.element = "position", .read = "kp kv dampratio timeconst inheritrange", .like = "transmission"},
    {.element = "velocity", .read = "kv", .like = "transmission"},
    {.element = "intvelocity", .read = "kp kv dampratio actlimited actrange inheritrange", .like = "transmission"},
    {.element = "orientation", .read = "kp kv dampratio input", .like = "transmission"},
    {.element = "pid",
     .read = "kp ki kv dampratio imax slewmax ffrange posrange velrange inheritrange input",
     .like = "transmission"},
    {.element = "damper", .read = "kv", .like = "transmission"},
    {.element = "cylinder", .read = "timeconst area diameter bias", .like = "transmission"},
    {.element = "muscle",
     .read = "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax",
     .like = "transmission"},
    {.element = "adhesion", .read = "gain", .like = "transmission"},
    {.element = "dcmotor",
     .read = "motorconst resistance inductance nominal saturation thermal lugre cogging controller input",
     .like = "transmission"},
    {.element = "actuator/plugin",
     .children = "config",
     .named = "plugin instance dyntype dynprm actdim actlimited actrange actearly",
     .like = "transmission"},
    {.element = "sensor",
     .how = Treatment::named,
     .children =
         "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos "
         "jointvel tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat "
         "ballangvel jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos "
         "framequat framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom "
         "subtreelinvel subtreeangmom insidesite distance normal fromto contact e_potential e_kinetic clock tactile "
         "user "
         "plugin"},
    {.element = "sensor/*",
     .how = Treatment::looks,
     .children = "config",
     .looks =
         "name site joint tendon actuator camera body body1 body2 geom geom1 geom2 subtree1 subtree2 mesh "
         "objtype objname reftype refname enclosed cutoff noise user data datatype needstage dim num reduce interp "
         "interval delay nsample plugin instance"},
    {.element = "custom", .how = Treatment::looks, .children = "numeric text tuple"},
    {.element = "numeric", .how = Treatment::looks, .looks = "name size data"},
    {.element = "text", .how = Treatment::looks, .looks = "name data"},
    {.element = "tuple", .how = Treatment::looks, .children = "element", .looks = "name"},
    {.element = "element", .how = Treatment::looks, .looks = "objtype objname prm"},
    {.element = "keyframe", .children = "key"},
    {.element = "key", .read = "name qpos qvel", .named = "time act ctrl mpos mquat plastic"},
};

/// A row, ready to be asked.
struct MjcfRule {
  const MjcfRow* row = nullptr;
  std::vector<std::string> children, attributes;
  std::unordered_map<std::string_view, Treatment> treatment;  ///< of attributes

  /// Of an actuator: MotorDescription keeps the attribute as a text. It or its joint holds others in numbers, and some
  /// are references.
  bool is_text_of_motor(std::string_view name) const;
};

/// With a comma between them.
std::string listed_names(const std::vector<std::string>& names);

/// The rule of an element below that parent; nullptr where there is none.
const MjcfRule* mjcf_rule(std::string_view parent, std::string_view element);

}  // namespace zwang::io
