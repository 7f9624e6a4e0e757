# SPDX-License-Identifier: BSD-3-Clause
"""The C++ reference: Doxygen reads the public headers, this file reads Doxygen's XML. Nothing is compiled."""
import fnmatch
import re
import subprocess
import xml.etree.ElementTree as xml

from api_markdown import Entry, Page, Section, anchor, escape, wrap_call
from sources import ROOT

# Headers that public headers need, but users' programs do not name. `core/pack.hpp` and what is left of core and spatial are public:
# they are the vocabulary of own scalars.
INTERNAL = (
    "*/page/*",  # the algorithms over any scalar, included by generic.hpp
    "algorithm/algorithm_row.hpp", "algorithm/algorithm_words.hpp", "algorithm/list/*",  # how the list of algorithms is written
    "batch/derivative_calls.hpp", "batch/one_state.hpp",  # parts of batch/evaluate.hpp
    "constraint/tracked.hpp", "constraint/relation.hpp", "constraint/rows_on_body.hpp",  # how a bound constraint is stored
    "core/buffer.hpp", "core/copy_matrix.hpp", "core/eigen_shape.hpp", "core/side_by_side.hpp",
    "core/sincos.hpp", "core/strips.hpp", "core/transpose.hpp", "core/wide.hpp",  # for kernels
    "model/check_configuration.hpp", "model/data_members.hpp", "model/for_each_joint.hpp", "model/joints/groups.hpp",
    "model/local_motion.hpp", "model/stages.hpp",  # what models are made of
    "spatial/gathered.hpp", "spatial/padded.hpp", "spatial/vec4.hpp",  # for kernels
)
_INTERNAL_SPACES = re.compile(r"\b(detail|impl|page|algorithm_list|one_state)\b")


def is_public(header):
    """Of a path below include/zwang."""
    return not any(fnmatch.fnmatch(header, pattern) for pattern in INTERNAL)


def public_headers(folder):
    headers = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.hpp"))
    return [h for h in headers if is_public(h)]


def escape_comments(text):
    """A header for Doxygen: comments are plain text, and users do not write the inline namespace of an instruction set. Lines keep
    their numbers."""
    lines = []
    for line in text.splitlines():
        if re.fullmatch(r"inline namespace ZWANG_ISA \{|\}  // namespace ZWANG_ISA", line):
            line = ""
        code, mark, comment = line.partition("///")
        back = "<" if comment.startswith("<") else ""
        comment = re.sub(r"[<@#%\\&]|::", lambda m: "\\" + m[0], comment[len(back):])
        lines.append(code + mark + back + comment)
    return "\n".join(lines) + "\n"


def run_doxygen(include, headers, scratch):
    """The folder of the XML of these headers, made in the scratch folder from copies with plain comments."""
    scratch.mkdir(exist_ok=True)
    copies = scratch / "include"
    for header in headers:
        copy = copies / header
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(escape_comments((include / header).read_text(encoding="utf-8")), encoding="utf-8")
    settings = {
        "INPUT": copies, "RECURSIVE": "YES", "FILE_PATTERNS": "*.hpp *.h", "OUTPUT_DIRECTORY": scratch, "GENERATE_HTML": "NO",
        "GENERATE_LATEX": "NO", "GENERATE_XML": "YES", "XML_PROGRAMLISTING": "NO", "EXTRACT_ALL": "YES", "MARKDOWN_SUPPORT": "NO",
        "AUTOLINK_SUPPORT": "NO", "MACRO_EXPANSION": "YES", "PREDEFINED": "ZWANG_INLINE=inline ZWANG_LAMBDA=", "QUIET": "YES",
        "WARNINGS": "NO", "STRIP_FROM_PATH": copies, "SORT_MEMBER_DOCS": "NO",
    }
    (scratch / "Doxyfile").write_text("".join(f'{k} = "{v}"\n' if "/" in str(v) else f"{k} = {v}\n" for k, v in settings.items()))
    subprocess.run(["doxygen", "Doxyfile"], cwd=scratch, check=True, capture_output=True)
    return scratch / "xml"


# --- text ------------------------------------------------------------------------------------------------

def _said(text):
    """What a comment says. Between quotation marks Doxygen keeps the backslashes of escape_comments()."""
    return escape(re.sub(r"\\([<@#%\\&]|::)", r"\1", text or ""))


def _plain(node):
    return _said(node.text) + "".join(_plain(child) + _said(child.tail) for child in node)


def _description(node):
    """Paragraphs; a list that Doxygen finds in a comment (lines with a dash) is one here."""
    blocks = []
    for tag in ("briefdescription", "detaileddescription"):
        for child in node.find(tag) if node.find(tag) is not None else []:
            lists = child.findall("itemizedlist") + child.findall("orderedlist")
            text = _plain(child)
            for one in lists:
                text = text.replace(_plain(one), "\n".join("- " + _plain(item).strip() for item in one))
            blocks.append(text.strip())
    return "\n\n".join(b for b in blocks if b)


def _words(node, tag):
    found = node.find(tag)
    text = "".join(found.itertext()) if found is not None else ""
    text = re.sub(r"\s+", " ", re.sub(r"\bzwang::", "", text)).strip()
    return re.sub(r"(?<=\w)< | >(?=[\s>:,)&*]|$)", lambda m: m[0].strip(), text)  # Vec3< double >


def _template(node):
    found = node.find("templateparamlist")
    if found is None:
        return ""
    texts = []
    for p in found:
        name, default = _words(p, "declname"), _words(p, "defval")
        texts.append(_words(p, "type") + (f" {name}" if name else "") + (f" = {default}" if default else ""))
    return f"template <{', '.join(texts)}>\n"


def _argument(p):
    kind, name, array, default = (_words(p, tag) for tag in ("type", "declname", "array", "defval"))
    kind = re.sub(r" ([&*]+)$", r"\1", kind)
    return kind + (f" {name}" if name else "") + array + (f" = {default}" if default else "")


def _signature(node):
    name, kind = _words(node, "name"), re.sub(r" ([&*]+)$", r"\1", _words(node, "type"))
    kind = re.sub(r"\bconstexpr |\binline ", "", kind)
    if node.get("kind") != "function":
        kind = re.sub(r"[\w:]*@\d+", "{ ... }", kind)  # a struct without a name
        initial = _words(node, "initializer") if node.get("kind") == "variable" else ""
        text = f"using {name} = {kind}" if node.get("kind") == "typedef" else f"{kind} {name}{_words(node, 'argsstring')}"
        return _template(node) + text + (f" {initial}" if initial and len(text + initial) < 100 else "")
    arguments = _words(node, "argsstring")
    tail = arguments[arguments.rindex(")") + 1:].replace("=default", "").replace("=0", "").strip()
    head = ("static " if node.get("static") == "yes" else "") + (f"{kind} " if kind else "") + name
    return _template(node) + wrap_call(head, [_argument(p) for p in node.findall("param")], f" {tail}" if tail else "")


# --- members ---------------------------------------------------------------------------------------------

def _place(node):
    location = node.find("location")
    return location.get("declfile", location.get("file")), int(location.get("declline", location.get("line")))


def _is_special(node, owner):
    """Copies, moves and the end of an object: without a comment they do what they do everywhere."""
    name, arguments = _words(node, "name"), _words(node, "argsstring")
    if name.startswith("~"):
        return True
    return name in (owner, "operator=") and re.match(rf"\((const )?{re.escape(owner)}(<.*>)? ?&+( ?\w+)?\)", arguments) is not None


def _shares(lines, last, name, line):
    """A declaration without a comment of its own right below another one, with a word of its name in common: both stand under the
    comment above. What stands beside a declaration is of its line alone."""
    if last.line == line:
        return True
    between = lines[last.line - 1:line]
    words = {w for n in last.name.split(", ") for w in [n, *n.split("_")] if (len(w) > 3 and w not in ("from", "with")) or w == name}
    return bool(words & {name, *name.split("_")}) and all(text.strip() for text in between) and "///<" not in between[0]


def _members(nodes, lines, owner=""):
    """Entries of declarations in the order of their lines; those under one comment are one entry."""
    entries, last = [], None
    for node in sorted(nodes, key=lambda n: _place(n)[1]):
        name, line, text = _words(node, "name"), _place(node)[1], _description(node)
        if (owner and _is_special(node, owner) and not text) or "=delete" in _words(node, "argsstring") or node.get("kind") == "friend":
            continue
        if "<" in name.removeprefix("operator"):  # a specialisation of a template that is here already
            continue
        kind = {"function": "function", "typedef": "type", "enum": "class"}.get(node.get("kind"), "value")
        together = last is not None and not text and last.text and last.kind == kind and _shares(lines, last, name, line)
        if kind == "class":
            entry = _enumeration(node)
        elif together and kind == "function" and (owner or last.name == name):
            last.signatures.append(_signature(node))
            if name not in last.name.split(", "):
                last.name += f", {name}"
            last.line = line
            continue
        else:
            entry = Entry(name, kind, [_signature(node)], last.text if together and (kind == "function" or line == last.line) else text)
        entry.line = line
        entries.append(entry)
        last = entry
    return entries


def _enumeration(node):
    strong = "class " if node.get("strong") == "yes" else ""
    values = [Entry(_words(v, "name"), "value", [(_words(v, "name") + " " + _words(v, "initializer")).strip()], _description(v))
              for v in node.findall("enumvalue")]
    name = _words(node, "name")
    shown = f"enum {strong}{name}" if not name.startswith("@") else "enum"
    return Entry(name if shown != "enum" else "values", "class", [shown], _description(node), values)


def _class(root, lines):
    name = re.sub(r"^(zwang|KDL|RigidBodyDynamics(::(Math|Utils|Errors|Addons))?)::", "", root.findtext("compoundname"))
    short = name.split("::")[-1]
    bases = ", ".join(re.sub(r"\bzwang::", "", b.text) for b in root.findall("basecompoundref") if b.get("prot") == "public")
    head = _template(root) + f"{root.get('kind')} {name}" + (f" : {bases}" if bases else "")
    nodes = [m for s in root.findall("sectiondef") for m in s if m.tag == "memberdef" and m.get("prot") == "public"]
    return Entry(name, "class", [head], _description(root), _merged(_members(nodes, lines, short)))


def _nested(entry):
    """The enumerations of a class as entries of their own; they are members no longer."""
    found = [m for m in entry.members if m.kind == "class"]
    entry.members = [m for m in entry.members if m.kind != "class"]
    for enumeration in found:
        enumeration.name = f"{entry.name}::{enumeration.name}"
        enumeration.text = enumeration.text or f"Of [{entry.name}](#{anchor(entry.name)})."
    return found


def _introduction(text):
    """The comment that a header opens with, which says what it is for: prose, and formulas that are indented."""
    body = []
    for line in text.splitlines()[1:]:
        if not line.startswith("//"):
            break
        body.append(line[2:].removeprefix(" "))
    blocks = re.split(r"\n\s*\n", "\n".join(body).strip("\n"))
    return "\n\n".join("```text\n" + b + "\n```" if "\n  " in "\n" + b else escape(b) for b in blocks if b.strip())


def _namespace_nodes(folder, space):
    path = folder / f"namespace{space.replace('::', '_1_1')}.xml"
    root = xml.parse(path).getroot().find("compounddef")
    return [m for s in root.findall("sectiondef") for m in s if m.tag == "memberdef"]


def sections(include, headers, scratch, space="zwang", inner=()):
    """A section for each header that declares something: {header: Section}. `inner` namespaces are public, too."""
    folder = run_doxygen(include, headers, scratch)
    texts = {h: (include / h).read_text(encoding="utf-8") for h in headers}
    free, classes = {}, {}
    for node in [n for name in (space, *inner) for n in _namespace_nodes(folder, name)]:
        free.setdefault(_place(node)[0], []).append(node)
    for path in sorted(folder.glob("class*.xml")) + sorted(folder.glob("struct*.xml")):
        root = xml.parse(path).getroot().find("compounddef")
        name = root.findtext("compoundname")
        if root.get("prot") == "public" and "<" not in name and name.startswith(f"{space}::") and not _INTERNAL_SPACES.search(name):
            header, line = _place(root)
            entry = _class(root, texts[header].splitlines())
            entry.line = line
            classes.setdefault(header, []).extend([entry, *_nested(entry)])
    result = {}
    for header in headers:
        lines = texts[header].splitlines()
        named = [e for e in classes.get(header, []) if e.text or e.members] + _members(free.get(header, []), lines)
        if named:
            entries = _merged(sorted(named, key=lambda e: e.line))
            result[header] = Section(f"{include.name}/{header}", _introduction(texts[header]), entries)
    return result


def _merged(entries):
    """Overloads with comments of their own are one entry with all their texts, and so are the operators of a header."""
    found = {}
    for e in entries:
        name = "Operators" if e.name.startswith("operator") and e.line else e.name
        first = found.setdefault((name, e.kind), e)
        if first is not e:
            first.signatures += e.signatures
            if e.text and e.text not in first.text:
                first.text += ("\n\n" if first.text else "") + e.text
        first.name = name
    return sorted(found.values(), key=lambda e: e.name == "Operators")


TITLES = {
    "": "one header for all", "core": "numbers and errors", "spatial": "vectors, poses, inertias", "model": "models and data",
    "manifold": "configurations", "algorithm": "algorithms", "constraint": "constraints", "linear": "matrices",
    "geometry": "solids that touch", "contact": "contact with friction", "codegen": "formulas and generated C",
    "rows": "rows and settings", "factor": "methods and their matrices", "certify": "reports", "solve": "constrained dynamics",
    "question": "questions about solutions and mechanisms",
    "batch": "many states", "simulation": "motion in time", "path": "paths", "io": "files",
}


# Programs written for another library: its name, namespace, public namespaces in it, ending of headers.
FACADES = {"kdl": ("KDL", "KDL", (), "hpp"),
           "rbdl": ("RBDL", "RigidBodyDynamics", tuple(f"RigidBodyDynamics::{n}" for n in ("Math", "Utils", "Errors", "Addons")), "h")}


def facade_page(facade, scratch):
    title, space, inner, ending = FACADES[facade]
    include = ROOT / f"compat/{facade}/include/{facade}"
    headers = sorted(p.relative_to(include).as_posix() for p in include.rglob(f"*.{ending}"))
    text = (f"The public headers of `compat/{facade}/include/{facade}`, in namespace `{space}`: programs written for {title} compile with "
            f"them. What is different from {title} is said in [From {title}](../migrate/{facade}.md).")
    return Page(f"cpp-{facade}.md", f"C++: {title}'s names", text, list(sections(include, headers, scratch, space, inner).values()), "cpp")


def pages(scratch):
    include = ROOT / "include/zwang"
    headers = public_headers(include)
    found = sections(include, headers, scratch)
    result = []
    for folder, title in TITLES.items():
        own = [s for h, s in found.items() if (h.split("/")[0] if "/" in h else "") == folder]
        if own:
            text = f"The public headers of `include/zwang/{folder}`, all in namespace `zwang`."
            result.append(Page(f"cpp-{folder}.md", f"C++: {title}", text, own, "cpp"))
    result.extend(facade_page(facade, scratch / facade) for facade in FACADES)
    missing = {h.split("/")[0] for h in found if "/" in h} - set(TITLES)
    if missing:
        raise SystemExit(f"api_cpp.py: folders without a title: {', '.join(sorted(missing))}")
    return result
