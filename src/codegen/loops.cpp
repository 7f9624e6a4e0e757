// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "codegen/c_tables.hpp"
#include "codegen/joint_lines.hpp"
#include "codegen/loop_pieces.hpp"
#include "codegen/recorder.hpp"
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/for_each_joint.hpp"

namespace zwang::codegen {
namespace {

bool is_letter_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The identifiers and numbers of a text, and what stands between them, in turn: f(word) and g(other).
template <class F, class G> void for_words(std::string_view text, F&& word, G&& other) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    const bool is_word = is_letter_of_word(text[at]);
    while (end < text.size() && is_letter_of_word(text[end]) == is_word) ++end;
    if (is_word)
      word(text.substr(at, end - at));
    else
      other(text.substr(at, end - at));
    at = end;
  }
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> all;
  for_words(
      text, [&](std::string_view w) { all.emplace(w); }, [](std::string_view) {});
  return all;
}

/// Which of two formulas of a list is the same: its number; a new one is added.
Index case_of(const std::string& text, std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) known.push_back(text);
  return static_cast<Index>(std::find(known.begin(), known.end(), text) - known.begin());
}

/// Numbers in the arrays that a function declares: lines `real x[3], y[2 * 7][6];`.
Index array_numbers(const std::string& text, const CScalar& scalar) {
  const std::string type = std::string(scalar.type) + ' ';
  Index sum = 0;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.substr(0, type.size()) != type || line.find('=') < line.find('[')) continue;
    Index size = 0;  // of the array at hand
    bool inside = false;
    for_words(
        line,
        [&](std::string_view word) {
          if (inside) size = std::max<Index>(size, 1) * std::stol(std::string(word));
        },
        [&](std::string_view other) {
          for (const char c : other) {
            if (c == '[' || c == ']') inside = c == '[';
            if (c == ',' || c == ';' || c == '=') sum += std::exchange(size, 0);
          }
        });
  }
  return sum;
}

}  // namespace

void check_loops(const std::string& function) {
  if (loop_body(function).empty())
    throw UnsupportedError("E_UNSUPPORTED generate: " + function +
                           " has no loops over bodies (size), only straight lines");
}

Loops::Loops(const Model& model, const FormulaOptions& options, const CScalar& scalar, const std::string& prefix,
             const std::vector<Written>& all)
    : model_(model),
      tree_(model.tree<double>()),
      options_(options),
      scalar_(scalar),
      prefix_(prefix) {
  for (const Written& w : all) functions_.insert(w.formula.function);
  choose_tags();
  add_joints();
  add_groups();
  choose_words();
}

// --- What stands in the text ----------------------------------------------------------------------------------------

void Loops::choose_tags() {
  const auto any_of = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return functions_.count(n) > 0; });
  };
  const auto set = [&](const char* tag, bool on) {
    if (on) tags_.insert(tag);
  };
  const JointEffects& e = options_.effects;
  const bool motion =
      any_of({"inverse_dynamics", "forward_dynamics", "bias_forces", "gravity_forces", "velocity", "acceleration"});
  bool rates = false, rotors = false, damping = false, friction = false, springs = false, resting = false,
       excess = false;
  for (Index i = 1; i <= tree_.n; ++i) {
    visit(tree_.body[i].kind, [&](auto joint) { rates = rates || !decltype(joint)::constant_columns; });
    resting = resting || !page::moves(tree_, i);
    excess = excess || (tree_.excess != nullptr && (tree_.excess[i].m != 0 || tree_.excess[i].h.x != 0 ||
                                                    tree_.excess[i].h.y != 0 || tree_.excess[i].h.z != 0));
  }
  for (Index k = 0; k < tree_.spanning_nv; ++k) {
    rotors = rotors || tree_.column[k].armature != 0;
    if (tree_.passive == nullptr) continue;
    damping = damping || tree_.passive[k].damping != 0;
    friction = friction || tree_.passive[k].friction != 0;
    springs = springs || tree_.passive[k].q >= 0;
  }
  damping = damping && e.damping, friction = friction && e.friction, springs = springs && e.springs;
  set("motion", motion);
  set("columns", motion || any_of({"mass_matrix", "jacobian", "inverse_kinematics_step"}));
  set("rates", motion && rates);
  set("mimic", tree_.mimic);
  set("rotors", rotors && e.armature);
  set("damping", damping), set("friction", friction), set("springs", springs);
  set("passive", damping || friction || springs);
  set("balls", e.springs && tree_.ball_springs > 0);
  set("excess", excess && e.gravity_scale);
  set("resting", resting);
  const std::vector<bool> slides = without_turning(tree_);
  set("slides", std::count(slides.begin(), slides.end(), true) > 1);
  set("axes", static_cast<bool>(options_.axes));
  set("classical", options_.kind == AccelerationKind::classical);
  set("wrench_local", options_.wrenches_in == Reference::local);
  set("wrench_world", options_.wrenches_in == Reference::world);
  set("wrench_axes", static_cast<bool>(options_.wrench_axes));
}

void Loops::choose_words() {
  const auto has = [&](const char* tag) { return tags_.count(tag) > 0; };
  const auto number = [](Index k) { return std::to_string(k); };
  Index width = 1, length = 1;
  for (Index i = 1; i <= tree_.n; ++i)
    width = std::max(width, tree_.body[i].nv), length = std::max(length, tree_.body[i].nq);
  const double mass = functions_.count("centre_of_mass") > 0 ? page::moving_mass(BasicData<double>(model_)) : 0;
  const bool motion = has("motion"), columns = has("columns"), rates = has("rates");
  const std::string speed = has("damping") || has("friction") ? "v" : "", place = has("springs") ? "q" : "";
  const std::string both = place + (place.empty() || speed.empty() ? "" : ", ") + speed;
  const auto argument = [](const std::string& x) { return x.empty() ? x : "const real *" + x + ", "; };
  const auto zeros = [&](const std::string& velocities, const std::string& tail) {
    return std::string("Z_move(q") + (motion ? velocities : "") + ", at" + (columns ? tail : "") +
           (motion ? ", 0, 0)" : ")");
  };
  words_ = {
      {"real", std::string(scalar_.type)},
      {"N", number(tree_.n)},
      {"BODIES", number(tree_.n + 1)},
      {"NV", number(tree_.nv)},
      {"COLUMNS", number(tree_.spanning_nv)},
      {"ROWS", number(std::max<Index>(tree_.spanning_nv, 1))},
      {"SIDE", number(std::max<Index>(tree_.nv, 1))},
      {"SQUARE", number(std::max<Index>(tree_.nv * tree_.nv, 1))},
      {"WIDTH", number(width)},
      {"LENGTH", number(length)},
      {"BALLS", number(tree_.ball_springs)},
      {"JOINTS", number(static_cast<Index>(joint_q_.size()))},
      {"LEAST", literal(options_.least_pivot, scalar_)},
      {"LOST", literal(least_share(scalar_.is_float() ? Digits::of_float : Digits::of_double), scalar_)},
      {"INVERSE_MASS", literal(mass > 0 ? 1 / mass : 0, scalar_)},
      {"REFERENCE", options_.reference == Reference::world   ? "0"
                    : options_.reference == Reference::local ? "2"
                                                             : "1"},
      {"POINT", options_.reference == Reference::world ? "-x[12 + r]" : "x[9 + r]"},
      {"AXES", has("axes") ? "axes" : "0"},
      {"PASSIVE", argument(place) + argument(speed) + "real *tau"},
      {"PASSIVE_OF", both},
      {"JOINT", std::string("Z_kind[i - 1], x") + (rates ? ", u" : "") + ", joint" + (columns ? ", s" : "") +
                    (rates ? ", c" : "")},
      {"MOVE", std::string("const real *q") + (motion ? ", const real *v, const real *a" : "") + ", real at[][15]" +
                   (columns ? ", real axis[][6]" : "") + (motion ? ", real twist[][6], real rate[][6]" : "")},
      {"MOVED_POSES", zeros(", 0, 0", ", 0")},
      {"MOVED_COLUMNS", zeros(", 0, 0", ", axis")},
  };
  for (const char* const phrase : {"PASSIVE", "JOINT", "MOVE", "MOVED_POSES", "MOVED_COLUMNS"})
    words_[phrase] = expand(words_[phrase]);
}

/// Lines whose tags hold, with words in the place of those of the pieces.
std::string Loops::expand(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    bool holds = true;
    if (line.front() == '[') {
      const std::string_view list = line.substr(1, line.find(']') - 1);
      line.remove_prefix(list.size() + 2);
      bool not_this = false;
      for_words(
          list,
          [&](std::string_view tag) {
            holds = holds && (tags_.count(std::string(tag)) > 0) != not_this;
            not_this = false;
          },
          [&](std::string_view other) { not_this = other.back() == '!'; });
    }
    if (!holds) continue;
    for_words(
        line,
        [&](std::string_view word) {
          const auto found = words_.find(std::string(word));
          if (found != words_.end())
            out += found->second;
          else if (word.substr(0, 2) == "Z_")
            out += name(std::string(word.substr(2)));
          else
            out += word;
        },
        [&](std::string_view other) { out += other; });
  }
  return out;
}

// --- Joints ---------------------------------------------------------------------------------------------------------

/// A function of straight lines: one formula, or a switch over several.
std::string Loops::recorded(const std::string& head, const std::vector<Formula>& cases) const {
  std::string text, all;
  const bool is_switch = head.find("(int kind,") != std::string::npos;
  const Zeros zeros = head.find("joint(") != std::string::npos ? Zeros::are_there : Zeros::are_written;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string lines = statements(cases[k], scalar_, "", zeros);
    if (!is_switch) {
      all += lines;
      continue;
    }
    std::string indented;
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
      indented += "    " + lines.substr(at, lines.find('\n', at) + 1 - at);
    all += fmt::format("    case {}: {{\n{}      break;\n    }}\n", k, indented);
  }
  if (is_switch) all = "  switch (kind) {\n" + all + "    default: break;\n  }\n";
  const std::set<std::string> used = words_of(all),
                              parameters = words_of(std::string_view(head).substr(head.rfind('(')));
  for (const char* const argument : {"q", "u", "joint", "s", "c", "d", "q0", "q1", "out"})
    if (parameters.count(argument) > 0 && used.count(argument) == 0) text += fmt::format("  (void){};\n", argument);
  return head + " {\n" + text + all + "}\n";
}

void Loops::add_joints() {
  const JointResults wanted{tags_.count("columns") > 0, tags_.count("rates") > 0};
  std::vector<std::string> known;
  std::vector<Formula> cases;
  for (Index i = 1; i <= tree_.n; ++i) {
    Formula f = joint_motion(tree_.body[i], wanted);
    kind_.push_back(case_of(statements(f, scalar_, "", Zeros::are_there), known));
    if (known.size() > cases.size()) cases.push_back(std::move(f));
  }
  std::string head = fmt::format(
      "\n/* Pose of a joint{} at its coordinates; zeros are there. */\nstatic void {}(int kind, const {} *q",
      wanted.columns ? ", its columns" : "", name("joint"), scalar_.type);
  if (wanted.rates) head += fmt::format(", const {} *u", scalar_.type);
  for (const char* const out : {"joint", wanted.columns ? "s" : "", wanted.rates ? "c" : ""})
    if (*out != 0) head += fmt::format(", {} *{}", scalar_.type, out);
  add_recorded("joint", recorded(head + ')', cases));
}

void Loops::add_groups() {
  std::vector<std::string> known_steps, known_ways;
  std::vector<Formula> steps, ways;
  for_each_joint(tree_, [&](const JointCoordinates& joint) {
    const Index kind = tree_.body[joint.body].kind;
    Formula step = joint_step(kind), way = joint_way(kind);
    step_kind_.push_back(case_of(statements(step, scalar_, ""), known_steps));
    way_kind_.push_back(case_of(statements(way, scalar_, ""), known_ways));
    if (known_steps.size() > steps.size()) steps.push_back(std::move(step));
    if (known_ways.size() > ways.size()) ways.push_back(std::move(way));
    joint_q_.push_back(joint.q), joint_v_.push_back(joint.v);
  });
  const std::string type(scalar_.type);
  add_recorded("step", recorded(fmt::format("\n/* out = q after the difference d, of a joint. */\nstatic void {1}(int "
                                            "kind, const {0} *q, const {0} *d, {0} *out)",
                                            type, name("step")),
                                steps));
  add_recorded("way", recorded(fmt::format("\n/* d: what takes q0 to q1, of a joint. */\nstatic void {1}(int kind, "
                                           "const {0} *q0, const {0} *q1, {0} *d)",
                                           type, name("way")),
                               ways));
  add_recorded("stretch", recorded(fmt::format("\n/* The rotation vector from one attitude to another. */\nstatic void "
                                               "{1}(const {0} *rest, const {0} *q, {0} *phi)",
                                               type, name("stretch")),
                                   {ball_way()}));
  add_recorded(
      "log", recorded(fmt::format("\n/* The rotation vector of a rotation. */\nstatic void {1}(const {0} *R, {0} *phi)",
                                  type, name("log")),
                      {rotation_vector()}));
}

// --- Functions ------------------------------------------------------------------------------------------------------

Index Loops::frame_number(FrameId id) {
  const auto found = std::find(frames_.begin(), frames_.end(), id);
  if (found == frames_.end()) frames_.push_back(id);
  return static_cast<Index>(std::find(frames_.begin(), frames_.end(), id) - frames_.begin());
}

/// Those on bodies; wrenches on the ground move nothing.
std::string Loops::wrenches(const Written& w) {
  std::string text;
  const std::size_t count = options_.wrenches.size(), inputs = w.formula.inputs.size();
  if (loop_body(w.formula.function).find("WRENCHES") == std::string_view::npos) return text;
  for (std::size_t k = 0; k < count; ++k) {
    const FrameId id = model_.find_frame(options_.wrenches[k]);
    if (model_.frame(id).body.value == 0) continue;
    text += fmt::format("  {}({}, {}, at, force);\n", name("wrench_on"), frame_number(id),
                        w.formula.inputs[inputs - count + k].name);
  }
  return text;
}

std::string Loops::status(const Written& w) const {
  const auto sum = [&](const std::vector<FormulaArgument>& list) {
    std::string all;
    for (const FormulaArgument& x : list)
      all += fmt::format("{}{}({}, {})", all.empty() ? "" : " + ", name("doubt"), x.name, x.size());
    return all;
  };
  const bool solves = loop_body(w.formula.function).find("Z_solve") != std::string_view::npos;
  return fmt::format(
      "  {{\n    const {} in = {}, out = {};\n    status = {};\n  }}\n", scalar_.type, sum(w.formula.inputs),
      sum(w.formula.outputs),
      solves ? "!(in >= 0) ? 1 : (singular != 0 ? 2 : (out >= 0 ? 0 : 1))" : "(in >= 0 && out >= 0) ? 0 : 1");
}

std::string Loops::body(const Written& w) {
  words_["WRENCHES"] = wrenches(w);
  if (options_.wrench_axes) words_["WRENCH_AXES"] = std::to_string(frame_number(options_.wrench_axes));
  if (options_.axes) words_["AXES_FRAME"] = std::to_string(frame_number(options_.axes));
  const std::size_t colon = w.function.word.find(':');
  if (colon != std::string::npos) {
    const FrameId id = model_.find_frame(w.function.word.substr(colon + 1));
    words_["FRAME"] = std::to_string(frame_number(id));
    words_["BODY"] = std::to_string(model_.frame(id).body.value);
  }
  std::string_view text = loop_body(w.formula.function);
  text.remove_prefix(1);  // the break behind R"(
  return expand(text) + status(w);
}

Index Loops::stack(const std::string& body) const {
  std::map<std::string, Index> deepest;  // of functions, with what they call
  const auto numbers = [&](const std::string& text) {
    Index most = 0;
    for (const std::string& word : words_of(text)) {
      const auto found = deepest.find(word);
      if (found != deepest.end()) most = std::max(most, found->second);
    }
    return most + array_numbers(text, scalar_);
  };
  for (const auto& [word, text] : static_functions()) deepest[name(word)] = numbers(text);  // none calls a later one
  return numbers(body) * (scalar_.is_float() ? 4 : 8);
}

// --- Tables ---------------------------------------------------------------------------------------------------------

std::vector<Loops::Table> Loops::tables() const {
  std::vector<Table> all;
  const auto put = [](std::vector<double>& to, const Vec3<double>& x) { to.insert(to.end(), {x.x, x.y, x.z}); };
  const auto put_pose = [&](std::vector<double>& to, const Transform<double>& X) {
    for (const Vec3<double>& row : {X.R.r0, X.R.r1, X.R.r2, X.p}) put(to, row);
  };
  const auto whole = [&](const char* word, const std::vector<Index>& x) {
    all.emplace_back(word, [this, word, x] { return index_table(name(word), x); });
  };
  const auto numbers = [&](const char* word, const std::vector<double>& x, std::size_t columns = 1) {
    all.emplace_back(word, [this, word, x, columns] { return number_table(name(word), x, columns, scalar_); });
  };
  std::vector<Index> parent, v, q, moves, carrier, before, coordinate, stretched, source;
  std::vector<double> placement, inertia, excess, share, rotor, damping, friction, stiffness, rest, ratio, offset;
  Index next_q = 0, next_v = 0;
  for (Index i = 1; i <= tree_.n; ++i) {
    const Body<double>& b = tree_.body[i];
    parent.push_back(b.parent), q.push_back(next_q), v.push_back(next_v);
    if ((b.nq > 0 && b.q != next_q) || (b.nv > 0 && b.v != next_v))
      throw std::logic_error("generate: coordinates are not in the order of bodies");
    next_q += b.nq, next_v += b.nv;
    moves.push_back(page::moves(tree_, i) ? 1 : 0);
    put_pose(placement, b.placement);
    inertia.push_back(b.inertia.m), put(inertia, b.inertia.h);
    inertia.insert(inertia.end(),
                   {b.inertia.I.xx, b.inertia.I.xy, b.inertia.I.xz, b.inertia.I.yy, b.inertia.I.yz, b.inertia.I.zz});
    if (tree_.excess != nullptr) excess.push_back(tree_.excess[i].m), put(excess, tree_.excess[i].h);
  }
  q.push_back(next_q), v.push_back(next_v);
  for (Index k = 0; k < tree_.spanning_nv; ++k) {
    const auto& c = tree_.column[k];
    carrier.push_back(c.body), before.push_back(c.parent), coordinate.push_back(c.v);
    share.push_back(c.multiplier), rotor.push_back(c.armature);
    if (tree_.passive == nullptr) continue;
    const auto& p = tree_.passive[k];
    damping.push_back(p.damping), friction.push_back(p.friction), stiffness.push_back(p.q >= 0 ? p.stiffness : 0);
    rest.push_back(p.q >= 0 ? p.reference : 0), stretched.push_back(p.q >= 0 ? p.q : -1);
  }
  for (Index k = 0; tree_.mimic && k < tree_.spanning_nq; ++k)
    source.push_back(tree_.q_source[k]), ratio.push_back(tree_.q_multiplier[k]), offset.push_back(tree_.q_offset[k]);
  const std::vector<bool> slides = without_turning(tree_);
  whole("slides", {slides.begin(), slides.end()});
  whole("parent", parent), whole("kind", kind_), whole("v", v), whole("q", q), whole("moves", moves);
  whole("carrier", carrier), whole("before", before), whole("coordinate", coordinate), whole("source", source);
  numbers("ratio", ratio), numbers("offset", offset), numbers("share", share);
  numbers("placement", placement, 12), numbers("inertia", inertia, 10), numbers("excess", excess, 4);
  numbers("rotor", rotor), numbers("damping", damping), numbers("friction", friction);
  numbers("stiffness", stiffness), numbers("rest", rest), whole("stretched", stretched);
  const Vec3<double> g = options_.gravity ? *options_.gravity : model_.gravity();
  numbers("gravity", {g.x, g.y, g.z});

  std::vector<double> ball;
  std::vector<Index> ball_q, ball_v;
  for (Index i = 0; i < tree_.ball_springs; ++i) {
    const Body<double>& b = tree_.body[tree_.ball_spring[i].body];
    const Quat<double>& r = tree_.ball_spring[i].reference;
    ball.insert(ball.end(), {r.x, r.y, r.z, r.w, tree_.passive[b.v].stiffness});
    ball_q.push_back(tree_.mimic ? tree_.q_source[b.q] : b.q), ball_v.push_back(tree_.column[b.v].v);
  }
  numbers("ball", ball, 5), whole("ball_q", ball_q), whole("ball_v", ball_v);
  whole("joint_q", joint_q_), whole("joint_v", joint_v_), whole("step_kind", step_kind_), whole("way_kind", way_kind_);

  std::vector<Index> frame_body, frame_column;
  std::vector<double> frame_place;
  for (const FrameId id : frames_) {
    const Frame& f = model_.frame(id);
    Index i = f.body.value;
    frame_body.push_back(i), put_pose(frame_place, f.in_body);
    while (i > 0 && tree_.body[i].nv == 0) i = tree_.body[i].parent;
    frame_column.push_back(i > 0 ? tree_.body[i].v + tree_.body[i].nv - 1 : -1);
  }
  whole("frame_body", frame_body), whole("frame_column", frame_column), numbers("frame_place", frame_place, 12);
  return all;
}

std::vector<std::pair<std::string, std::string>> Loops::static_functions() const {
  std::vector<std::pair<std::string, std::string>> all = recorded_;
  for (const Piece& piece : loop_pieces()) all.emplace_back(piece.name, expand(piece.text));
  return all;
}

std::string Loops::helpers(const std::string& bodies) const {
  const std::vector<std::pair<std::string, std::string>> all = static_functions();
  std::set<std::string> used = words_of(bodies);
  std::vector<std::string> chosen;
  for (std::size_t k = all.size(); k-- > 0;) {
    if (used.count(name(all[k].first)) == 0) continue;
    used.merge(words_of(all[k].second));
    chosen.push_back(all[k].second);
  }
  std::string text = "\n";
  for (const auto& [word, table] : tables())  // what nobody reads may hold numbers that no float holds
    if (used.count(name(word)) > 0) text += table();
  for (std::size_t k = chosen.size(); k-- > 0;) text += chosen[k];
  return text;
}

}  // namespace zwang::codegen
