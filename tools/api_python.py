# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the Python package, from its stubs (.pyi) and sources: nothing of the package is imported."""
import ast
import re

from api_markdown import Entry, Page, Section, escape, wrap_call

# What users call by writing something else: a + b, len(a), a[k]. Their stubs have no text of their own.
_SHOWN = {"__init__", "__call__", "__getitem__", "__setitem__", "__len__", "__iter__", "__contains__"}
# Modules for other packages: the page that says more, and what its link is called.
MODULES = {"torch": ("PyTorch and the others", "autodiff.md"), "jax": ("JAX and the others", "autodiff.md"),
           "casadi": ("CasADi and the others", "autodiff.md"), "gym": ("Many at once", "contact-in-time.md#many-at-once")}


def _paragraph(lines, parameters):
    """Lines of a docstring without an empty one between them: prose, a formula, or one line for each parameter."""
    if all(line.startswith("    ") for line in lines):
        language = "python" if lines[0].startswith("    import ") else "text"
        return f"```{language}\n" + "\n".join(line[4:] for line in lines) + "\n```"
    items = []
    for line in lines:
        named = re.match(r"([a-z_]\w*(?:, [a-z_]\w*)*): ", line)
        if named and set(named[1].split(", ")) & parameters:
            items.append(f"- **{escape(named[1])}**: {escape(line[named.end():])}")
        elif line.startswith("- "):
            items.append("- " + escape(line[2:]))
        elif not items or (line.startswith("Raises") and items[-1].startswith("- ")):
            items.append(escape(line))
        else:
            items[-1] += " " + escape(line.strip())
    text = ""
    for item, before in zip(items, [None, *items]):
        text += ("\n" if before and not (item.startswith("- ") and before.startswith("- ")) else "") + item + "\n"
    return text.rstrip("\n")


def markdown(docstring, parameters=frozenset()):
    blocks = re.split(r"\n\s*\n", docstring.strip("\n")) if docstring else []
    return "\n\n".join(_paragraph(block.splitlines(), parameters) for block in blocks)


def _arguments(function, method):
    """The arguments as written, with / and *; `self` left out."""
    a = function.args
    texts = []
    plain = a.posonlyargs + a.args
    defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)

    def one(argument, default, prefix=""):
        text = prefix + argument.arg + (f": {ast.unparse(argument.annotation)}" if argument.annotation else "")
        return text + (f" = {ast.unparse(default)}" if default is not None else "")

    for number, (argument, default) in enumerate(zip(plain, defaults)):
        if not (method and number == 0):
            texts.append(one(argument, default))
        if a.posonlyargs and number + 1 == len(a.posonlyargs) and texts:
            texts.append("/")
    if a.vararg:
        texts.append(one(a.vararg, None, "*"))
    elif a.kwonlyargs:
        texts.append("*")
    texts += [one(argument, default) for argument, default in zip(a.kwonlyargs, a.kw_defaults)]
    return texts + ([one(a.kwarg, None, "**")] if a.kwarg else [])


def _decorators(node):
    return {ast.unparse(d) for d in node.decorator_list}


def _signature(function, method=False, owner=""):
    bound = method and "staticmethod" not in _decorators(function)
    name = owner if function.name == "__init__" else function.name
    returns = f" -> {ast.unparse(function.returns)}" if function.returns and function.name != "__init__" else ""
    return wrap_call(name, _arguments(function, bound), returns)


def _function(nodes, method=False, owner=""):
    """One entry for all overloads of a name."""
    names = {a.arg for n in nodes for a in n.args.posonlyargs + n.args.args + n.args.kwonlyargs}
    texts = dict.fromkeys(markdown(ast.get_docstring(n), names) for n in nodes)
    shown = owner if nodes[0].name == "__init__" else nodes[0].name
    return Entry(shown, "function", [_signature(n, method, owner) for n in nodes], "\n\n".join(t for t in texts if t))


def _property(node, writable):
    text = markdown(ast.get_docstring(node))
    kind = f": {ast.unparse(node.returns)}" if node.returns else ""
    return Entry(node.name, "value", [f"{node.name}{kind}"], text + (" (can be set)" if writable and text else ""))


def _class(node):
    functions, members = {}, []
    setters = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and f"{n.name}.setter" in _decorators(n)}
    for n in node.body:
        if isinstance(n, ast.FunctionDef) and "property" in _decorators(n):
            members.append(_property(n, n.name in setters))
        elif isinstance(n, ast.FunctionDef) and f"{n.name}.setter" not in _decorators(n):
            if n.name in _SHOWN or not n.name.startswith("_"):
                functions.setdefault(n.name, []).append(n)
        elif isinstance(n, ast.AnnAssign) and not n.target.id.startswith("_"):
            members.append(Entry(n.target.id, "value", [f"{n.target.id}: {ast.unparse(n.annotation)}"]))
        elif isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and not n.targets[0].id.startswith("_"):
            members.append(Entry(n.targets[0].id, "value", [ast.unparse(n)]))
        elif isinstance(n, ast.Expr) and members and isinstance(n.value, ast.Constant) and isinstance(n.value.value, str):
            members[-1].text = members[-1].text or markdown(n.value.value)  # the text below an attribute
    members += [_function(nodes, True, node.name) for nodes in functions.values()]
    bases = ", ".join(ast.unparse(b) for b in node.bases)
    return Entry(node.name, "class", [f"class {node.name}" + (f"({bases})" if bases else "")],
                 markdown(ast.get_docstring(node)), [m for m in members if m.text or m.kind == "value" or not m.name == node.name])


def entries_of(path, names=None):
    """The public names of a stub or source, in its order; `names`: only these."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions, entries = {}, {}
    for node in tree.body:
        name = getattr(node, "name", None)
        if isinstance(node, ast.AnnAssign):
            name = node.target.id
        if name is None or name.startswith("_") or (names is not None and name not in names):
            continue
        if isinstance(node, ast.ClassDef):
            entries[name] = _class(node)
        elif isinstance(node, ast.FunctionDef):
            functions.setdefault(name, []).append(node)
            entries[name] = _function(functions[name])
        elif isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
            entries[name] = Entry(name, "type", [f"{name} = {ast.unparse(node.value)}"])
    for node in tree.body:  # rnea = inverse_dynamics
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and isinstance(node.targets[0], ast.Name):
            name, target = node.targets[0].id, node.value.id
            if target in entries and (names is None or name in names):
                entries[name] = Entry(name, "function", [f"{name} = {target}"], f"Another name of [{target}](#{target}).")
    return list(entries.values())


def public_names(package):
    """What zwang/__init__.pyi takes from its parts: all of the extension, and what it names of others."""
    tree = ast.parse((package / "__init__.pyi").read_text(encoding="utf-8"))
    named = {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    return named | {e.name for e in entries_of(package / "_zwang.pyi")}


def _all_of(source):
    return next(ast.literal_eval(n.value) for n in source.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "__all__")


def _sorted(entries, kinds):
    return sorted((e for e in entries if e.kind in kinds), key=lambda e: e.name.lower())


def pinocchio_page(folder):
    """zwang.pinocchio: what its __init__ takes from the files of the folder, by name or by their __all__."""
    source = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    names = set()
    for n in (n for n in source.body if isinstance(n, ast.ImportFrom) and n.module):
        stars = [a for a in n.names if a.name == "*"]
        names |= set(_all_of(ast.parse((folder / f"{n.module}.py").read_text(encoding="utf-8")))) if stars else {a.asname for a in n.names}
    files = [folder / "_compiled.pyi", *(path for path in sorted(folder.glob("*.py")) if path.stem not in ("__init__", "liegroups", "missing"))]
    own = [e for path in files for e in entries_of(path, names)]
    compiled = {e.name: e for e in entries_of(folder / "_compiled.pyi")}
    for e in own:  # the stub of what is compiled names modules; a class has the members of the one that it derives from
        base = re.search(r"\(_compiled\.(\w+)\)", e.signatures[0])
        if base is not None:
            e.signatures[0] = e.signatures[0][:base.start()]
            e.members = [x for x in compiled[base[1]].members if not x.name.split(".")[-1].startswith("_")] + e.members
        e.signatures = [re.sub(r"\b_(core|data|model|spatial)\.", "", text) for text in e.signatures]
    once = {e.name: e for e in own if e.kind in ("class", "function")}
    text = markdown(ast.get_docstring(source)) + "\n\nMore: [From Pinocchio](../migrate/pinocchio.md)."
    return Page("python-pinocchio.md", "zwang.pinocchio", text, [Section("", "", _sorted(once.values(), {"class", "function"}))], "python")


def pages(package):
    """The pages of the package in this folder, which holds the stubs."""
    names = public_names(package)
    entries = [e for file in ("_zwang.pyi", "_live.py", "_progress.py", "_status.py", "_verify.py") for e in entries_of(package / file, names)]
    types = entries_of(package / "_types.py")
    module = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    intro = "\n\nWhat holds for all calls is said on the page [Python](../python.md)."
    result = [Page("python-functions.md", "zwang: functions", markdown(module) + intro,
                   [Section("Functions", "", _sorted(entries, {"function"})),
                    Section("Types in signatures", "Names that signatures use; the package does not export them.", types)], "python"),
              Page("python-classes.md", "zwang: classes", "Classes of the package, and the exceptions that it raises." + intro,
                   [Section("", "", _sorted(entries, {"class"}))], "python")]
    for name, (other, page) in MODULES.items():
        path = package / f"{name}.py"
        text = markdown(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))
        result.append(Page(f"python-{name}.md", f"zwang.{name}",
                           f"{text}\n\nMore: [{other}](../{page}).", [Section("", "", entries_of(path))], "python"))
    path = package / "peers.py"
    source = ast.parse(path.read_text(encoding="utf-8"))
    public = _all_of(source)
    result.append(Page("python-peers.md", "zwang.peers", markdown(ast.get_docstring(source)) + "\n\nMore: [Verify](../verify.md).",
                       [Section("", "", entries_of(path, public))], "python"))
    source = ast.parse((package / "study/__init__.py").read_text(encoding="utf-8"))
    public = set(_all_of(source))
    studied = [e for path in sorted((package / "study").glob("*.py")) if path.stem not in ("__init__", "command", "store", "work", "run")
               for e in entries_of(path, public)]
    text = markdown(ast.get_docstring(source)) + "\n\n`zwang.Study`, `StudyError`, `StudyResults` and `open_study` are names of `zwang`, too."
    result.append(Page("python-study.md", "zwang.study", text + "\n\nMore: [Studies](../studies.md).",
                       [Section("", "", _sorted(studied, {"class", "function"}))], "python"))
    if (package / "pinocchio").is_dir():
        result.append(pinocchio_page(package / "pinocchio"))
    for facade, title, original in (("kdl", "KDL", "PyKDL"), ("rbdl", "RBDL", "rbdl")):
        if (package / f"_{facade}.pyi").is_file():
            text = (f"{title}'s names over zwang's algorithms: `import zwang.{facade} as {original}`. What is different from {title} is said "
                    f"in [From {title}](../migrate/{facade}.md).")
            result.append(Page(f"python-{facade}.md", f"zwang.{facade}", text, [Section("", "", entries_of(package / f"_{facade}.pyi"))],
                               "python"))
    return result
