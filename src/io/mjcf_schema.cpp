// SPDX-License-Identifier: BSD-3-Clause
// The table of MJCF, ready to be asked, and the look at a document by it.
#include "io/mjcf_schema.hpp"

#include <deque>

#include "io/mjcf.hpp"
#include "io/number.hpp"

namespace zwang::io {

using detail::Weight;

namespace {

template <class F> void each_word(std::string_view text, F&& f) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    if (end > i) f(text.substr(i, end - i));
    i = end + 1;
  }
}

struct MjcfTable {
  std::deque<MjcfRule> rules;
  std::unordered_map<std::string_view, const MjcfRule*> by_name;

  MjcfTable() {
    std::unordered_map<std::string_view, const MjcfRow*> rows;
    for (const MjcfRow& row : k_mjcf_rows) rows.emplace(row.element, &row);
    for (const MjcfRow& row : k_mjcf_rows) {
      MjcfRule& rule = rules.emplace_back();
      rule.row = &row;
      each_word(row.children, [&](std::string_view name) { rule.children.emplace_back(name); });
      const auto columns = [&](const MjcfRow& of) {
        const std::pair<const char*, Treatment> lists[] = {{of.read, Treatment::read},
                                                           {of.named, Treatment::named},
                                                           {of.warned, Treatment::warned},
                                                           {of.looks, Treatment::looks}};
        for (const auto& [list, how] : lists) {
          const Treatment treatment = how;
          each_word(list, [&](std::string_view name) {
            if (rule.treatment.emplace(name, treatment).second) rule.attributes.emplace_back(name);
          });
        }
      };
      columns(row);
      if (*row.like) columns(*rows.at(row.like));
      by_name.emplace(row.element, &rule);
    }
  }
};

bool in_list(std::string_view list, std::string_view name) {
  bool found = false;
  each_word(list, [&](std::string_view word) { found = found || word == name; });
  return found;
}

/// Has the value of an attribute an effect? Zeros, and words that say "as it is", have none.
bool has_effect(std::string_view text) {
  for (const std::string_view word : {"enable", "false", "none", "auto"})
    if (trimmed(text) == word) return false;
  std::string_view parts[8];
  const int count = tokens(text, parts, 8, 8);
  bool effect = false;
  for (int k = 0; k < count; ++k) {
    double value = 0;
    effect = effect || parse_number(parts[k], value) != NumberFault::none || value != 0;
  }
  return effect;
}

}  // namespace

std::string listed_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

bool MjcfRule::is_text_of_motor(std::string_view name) const {
  constexpr std::string_view k_elsewhere =
      "name class joint jointinparent tendon site slidersite body gear armature damping forcerange forcelimited "
      "ctrlrange ctrllimited";
  const auto it = treatment.find(name);
  return it != treatment.end() && it->second == Treatment::read && !in_list(k_elsewhere, name);
}

const MjcfRule* mjcf_rule(std::string_view parent, std::string_view element) {
  static const MjcfTable table;
  const auto ask = [](const std::string& key) -> const MjcfRule* {
    const auto it = table.by_name.find(key);
    return it == table.by_name.end() ? nullptr : it->second;
  };
  if (const MjcfRule* rule = ask(std::string(parent) + '/' + std::string(element))) return rule;
  if (const MjcfRule* rule = ask(std::string(parent) + "/*")) return rule;
  return ask(std::string(element));
}

/// One look at the whole document: unknown elements and attributes, what is refused, what has no counterpart.
bool MjcfSchemaCheck::run() {
  const MjcfRule* rule = mjcf_rule("", "mujoco");
  look(document_.root(), *rule, "", 0);
  for (const Kind& kind : kinds_) {
    Diagnostic d = kind.first;
    std::string names;
    for (const std::string& name : kind.attributes) names += (names.empty() ? "" : ", ") + name;
    d.found = '<' + kind.element + '>' + (names.empty() ? "" : " " + names);
    if (kind.count > 1) d.found += ", in " + std::to_string(kind.count) + " elements";
    d.expected = kind.warned ? "nothing that the model cannot hold" : "";
    d.hint = kind.warned ? "left out: the robot moves otherwise without it" : "left out: not part of the model";
    work_.found.add(kind.warned ? Weight::warn : Weight::note, d);
  }
  return !work_.found.refused();
}

MjcfSchemaCheck::Kind& MjcfSchemaCheck::kind_of(pugi::xml_node node, bool warned) {
  const std::string name = node.name();
  const std::string key = (warned ? "W" : "N") + name;
  const auto [it, fresh] = index_.emplace(key, kinds_.size());
  if (fresh) {
    kinds_.push_back(
        {name, warned, document_.at(node, warned ? "W_MJCF_IGNORED" : "N_MJCF_IGNORED"), {}, 0, pugi::xml_node()});
  }
  Kind& kind = kinds_[it->second];
  if (kind.last != node) ++kind.count;
  kind.last = node;
  return kind;
}

void MjcfSchemaCheck::look(pugi::xml_node node, const MjcfRule& rule, std::string_view parent, int depth) {
  if (depth > work_.options.limits.depth) {
    document_.refuse(node, "E_LIMIT_DEPTH", "elements nested deeper than " + std::to_string(depth - 1),
                     "at most " + std::to_string(work_.options.limits.depth), "files included count with their place");
    work_.exhausted = true;
  }
  if (!document_.spend(node)) return;
  if (rule.row->how == Treatment::refused) {
    document_.refuse(node, "E_MJCF_UNSUPPORTED", '<' + std::string(node.name()) + '>', "rigid bodies, joints, loops",
                     "it has no rigid counterpart here");
    return;
  }
  if (rule.row->how == Treatment::named || rule.row->how == Treatment::warned)
    kind_of(node, rule.row->how == Treatment::warned);
  look_at_attributes(node, rule, parent == "default");
  document_.each(node, [&](pugi::xml_node child) {
    bool known = false;
    for (const std::string& name : rule.children) known = known || name == child.name();
    const MjcfRule* below = known ? mjcf_rule(node.name(), child.name()) : nullptr;
    if (below) return look(child, *below, node.name(), depth + 1);
    document_.refuse(child, "E_MJCF_ELEMENT", '<' + detail::excerpt(child.name(), 60) + '>',
                     rule.children.empty() ? "nothing inside of this element" : listed_names(rule.children),
                     work_.found.did_you_mean(child.name(), rule.children, "MuJoCo refuses it, too"));
  });
}

void MjcfSchemaCheck::look_at_attributes(pugi::xml_node node, const MjcfRule& rule, bool is_default) {
  for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute()) {
    const auto it = rule.treatment.find(a.name());
    const bool above = is_default && std::string_view(node.name()) != "default";
    if (it == rule.treatment.end() || (above && in_list(k_mjcf_not_in_defaults, a.name()))) {
      if (std::string_view(a.name()).starts_with("xmlns")) continue;
      Diagnostic d = document_.at(node, "W_UNKNOWN_ATTRIBUTE");
      d.found = "attribute " + detail::quoted(a.name());
      d.expected = rule.attributes.empty() ? "no attributes" : listed_names(rule.attributes);
      d.hint = work_.found.did_you_mean(a.name(), rule.attributes, "passed over");
      work_.found.add(Weight::warn, d);
      continue;
    }
    const bool warned = it->second == Treatment::warned;
    if (warned && !has_effect(a.value())) continue;
    if (!warned && it->second != Treatment::named) continue;
    if (rule.row->how == Treatment::named && !warned) continue;  // the element is named as a whole
    Kind& kind = kind_of(node, warned);
    bool listed = false;
    for (const std::string& name : kind.attributes) listed = listed || name == a.name();
    if (!listed) kind.attributes.emplace_back(a.name());
  }
}

}  // namespace zwang::io
