# SPDX-License-Identifier: BSD-3-Clause
"""Files of the project that pages link to (`../examples/tray.py`) become part of the built site.

In the repository such a link leads to the file. In the site it leads to a copy: Markdown as a page, all else as text. A link to a
file that does not exist stops the build.
"""
import pathlib
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")


def _place(name):
    """Where a file of the project stands in the site."""
    return f"project/{name}" if name.endswith(".md") else f"project/{name}.txt"


def _project_file(folder, match):
    """The file of the project that a link in a page of this folder leads to; None where it leads to another page."""
    path = (folder / ".." / match[1]).resolve()
    return None if path.is_relative_to(_ROOT / "docs") else path.relative_to(_ROOT).as_posix()


def on_files(files, config):
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
    folder = pathlib.Path(page.file.abs_src_path).resolve().parent if page.file.abs_src_path else None
    up = "../" * page.file.src_uri.count("/")

    def place(match):
        name = _project_file(folder, match) if folder else None
        return match[0] if name is None else f"]({up}{_place(name)}{match[2] or ''})"

    return _LINK.sub(place, markdown)
