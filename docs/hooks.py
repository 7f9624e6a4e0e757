# SPDX-License-Identifier: BSD-3-Clause
"""What the built site has beside the pages of docs/.

Files of the project that pages link to (`../examples/02_tray.py`): in the repository such a link leads to the file, in the site to a copy,
Markdown as a page, all else as text. A link to a file that does not exist stops the build.

The API reference: pages that tools/api_reference.py has written, with their place in the menu.

Places where long names in tables may break, so that no table scrolls sideways.

The page "Try it", where tools/build_web.sh has built it: the module, its JavaScript and the robots. Elsewhere the page says how to.

KaTeX, which typesets formulas: the folder of Debian's libjs-katex, or the one that the variable KATEX names.
"""
import json
import os
import pathlib
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_REFERENCE = _ROOT / "build/api_reference"
_LIVE = _ROOT / "build/web/site"
_NO_LIVE = """!!! note "Not in this site"
    The module was not built when this site was made. `tools/build_web.sh` builds it (Debian's emscripten, some minutes), and `make docs` takes it
    along.
"""
_KATEX = pathlib.Path(os.environ.get("KATEX", "/usr/share/javascript/katex"))
_LINK = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")


def _place(name):
    """Where a file of the project stands in the site."""
    return f"project/{name}" if name.endswith(".md") else f"project/{name}.txt"


def _project_file(folder, match):
    """The file of the project that a link in a page of this folder leads to; None where it leads to another page."""
    path = (folder / ".." / match[1]).resolve()
    return None if path.is_relative_to(_ROOT / "docs") else path.relative_to(_ROOT).as_posix()


def _reference(name):
    """The text of a file of the reference."""
    path = _REFERENCE / name
    if not path.is_file():
        raise PluginError(f"build/api_reference has no {name}: `make docs` writes the reference before it builds the site")
    return path.read_text(encoding="utf-8")


def on_config(config):
    menu = json.loads(_reference("menu.json"))
    section = next(item["API reference"] for item in config["nav"] if "API reference" in item)
    for group, pages in menu.items():
        section.append({group: [{title: f"reference/{path}"} for title, path in pages]})
    return config


def _add_reference(files, config):
    for path in sorted(_REFERENCE.glob("*.md")):
        files.append(File.generated(config, f"reference/{path.name}", content=path.read_text(encoding="utf-8")))


def _add_katex(files, config):
    paths = [_KATEX / "katex.min.js", _KATEX / "katex.min.css", *sorted((_KATEX / "fonts").glob("*.woff2"))]
    if len(paths) < 3 or not paths[0].is_file() or not paths[1].is_file():
        raise PluginError(f"{_KATEX} has no KaTeX (katex.min.js, katex.min.css, fonts): install libjs-katex, or name another folder in KATEX")
    for path in paths:
        files.append(File.generated(config, f"assets/katex/{path.relative_to(_KATEX).as_posix()}", content=path.read_bytes()))


def _is_live():
    return (_LIVE / "zwang_module.wasm").is_file()


def _add_live(files, config):
    for path in sorted(_LIVE.iterdir()) if _is_live() else ():
        files.append(File.generated(config, f"live/{path.name}", content=path.read_bytes()))


def on_files(files, config):
    _add_reference(files, config)
    _add_live(files, config)
    _add_katex(files, config)
    docs = pathlib.Path(config["docs_dir"]).resolve()
    pages = sorted(docs.rglob("*.md"))
    links = [(page.parent, match) for page in pages for match in _LINK.finditer(page.read_text(encoding="utf-8"))]
    wanted = sorted({_project_file(folder, match) for folder, match in links} - {None})
    for name in wanted:
        path = _ROOT / name
        if not path.is_file():
            raise PluginError(f"a page links to ../{name}, which is no file of the project")
        text = path.read_text(encoding="utf-8")
        if name.endswith(".md"):  # its own links lead to places that only exist in the repository
            text = re.sub(r"\[([^\]\n]+)\]\((?!https?:)[^)\n]+\)", r"\1", text)
        files.append(File.generated(config, _place(name), content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri == "reference.md":
        markdown += "\n" + _reference("contents.txt")
    if not _is_live():
        markdown = re.sub(r"<iframe.*?</iframe>\n", _NO_LIVE, markdown, flags=re.DOTALL)
    folder = pathlib.Path(page.file.abs_src_path).resolve().parent if page.file.abs_src_path else None
    up = "../" * page.file.src_uri.count("/")

    def place(match):
        name = _project_file(folder, match) if folder else None
        return match[0] if name is None else f"]({up}{_place(name)}{match[2] or ''})"

    return _LINK.sub(place, markdown)


def _breakable(cell):
    """A cell of a table whose names of more than twenty letters may be broken before capitals and after underscores."""
    def broken(match):
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_.])", "<wbr>", match[0])

    parts = re.split(r"(<[^>]*>)", cell)
    return "".join(part if part.startswith("<") else re.sub(r"\w[\w.]{20,}", broken, part) for part in parts)


def on_page_content(html, page, config, files):
    return re.sub(r"<td.*?</td>", lambda m: _breakable(m[0]), html, flags=re.DOTALL)
