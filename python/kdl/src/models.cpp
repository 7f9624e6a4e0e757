// SPDX-License-Identifier: BSD-3-Clause
// Trees of models and models of trees. Models pass between the two modules of the package as documents, which are
// exact.
#include <kdl/zwang_model.hpp>
#include <kdl_parser/kdl_parser.hpp>
#include <zwang/io/model.hpp>
#include <zwang/model/builder.hpp>

#include "bind.hpp"

namespace zwang::python::kdl {

void bind_models(nb::module_& m) {
  m.def(
      "tree_of_document",
      [](const std::string& document) { return KDL::tree_of(zwang::model_from_json(document).description()); },
      "document"_a,
      "tree_of() of the text that zwang.Model.to_json() gives. Raises ValueError naming the joint that KDL does not "
      "have.");
  m.def(
      "document_of_tree",
      [](const KDL::Tree& tree) {
        zwang::BuildOptions options;
        options.root = "fixed";
        return zwang::to_json(zwang::build(KDL::description_of(tree), options));
      },
      "tree"_a, "The text of model_of(tree), as zwang.Model.to_json() gives it.");
  m.def(
      "treeFromFile",
      [](const std::string& filename) {
        KDL::Tree tree;
        const bool is_read = kdl_parser::treeFromFile(filename, tree);
        return std::make_tuple(is_read, tree);
      },
      "filename"_a,
      "kdl_parser's: whether the URDF file could be read, and its tree. Joints that mimic move by themselves, floating "
      "and planar joints are fixed; what is wrong is said on standard error.");
  m.def(
      "treeFromString",
      [](const std::string& xml) {
        KDL::Tree tree;
        const bool is_read = kdl_parser::treeFromString(xml, tree);
        return std::make_tuple(is_read, tree);
      },
      "xml"_a, "treeFromFile() of the text of a URDF file.");
}

}  // namespace zwang::python::kdl
