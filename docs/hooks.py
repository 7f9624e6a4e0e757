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


def on_files(files, config):
    docs = pathlib.Path(config["docs_dir"])
    waiting = [page.read_text(encoding="utf-8") for page in sorted(docs.rglob("*.md"))]
    wanted = sorted({match[1] for text in waiting for match in _LINK.finditer(text)})
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
    return _LINK.sub(lambda match: f"]({_place(match[1])}{match[2] or ''})", markdown)
