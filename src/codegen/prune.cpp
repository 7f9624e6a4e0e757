// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/prune.hpp"

namespace zwang::codegen {

Formula prune(Formula formula) {
  const std::vector<FormulaNode> all = std::move(formula.nodes);
  formula.nodes.clear();
  std::vector<char> needed(all.size(), 0);
  const auto need = [&](int k) { needed[static_cast<std::size_t>(k)] = 1; };
  need(0);
  need(formula.singular);
  for (const std::vector<FormulaArgument>* const list : {&formula.inputs, &formula.outputs})
    for (const FormulaArgument& x : *list)
      for (const int k : x.nodes) need(k);
  for (std::size_t k = all.size(); k-- > 0;)
    if (needed[k] && all[k].operation > Operation::input)
      for (const int operand : {all[k].a, all[k].b, all[k].c}) need(operand);

  std::vector<int> place(all.size(), 0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!needed[k]) continue;
    place[k] = static_cast<int>(formula.nodes.size());
    FormulaNode x = all[k];
    if (x.operation > Operation::input)
      for (int* const operand : {&x.a, &x.b, &x.c}) *operand = place[static_cast<std::size_t>(*operand)];
    formula.nodes.push_back(x);
  }
  formula.singular = place[static_cast<std::size_t>(formula.singular)];
  for (std::vector<FormulaArgument>* const list : {&formula.inputs, &formula.outputs})
    for (FormulaArgument& x : *list)
      for (int& k : x.nodes) k = place[static_cast<std::size_t>(k)];
  return formula;
}

}  // namespace zwang::codegen
