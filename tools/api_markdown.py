# SPDX-License-Identifier: BSD-3-Clause
"""What the API reference of both languages is made of: entries, and the Markdown that shows them."""
import dataclasses
import re
import textwrap

WIDTH = 88  # columns of a signature
_MARKUP = {c: f"\\{c}" for c in "\\*_[]"} | {"<": "&lt;", ">": "&gt;"}


@dataclasses.dataclass
class Entry:
    """A public name: how it is written, what it means, and, of a class, its members."""
    name: str
    kind: str  # class (has members), function, value, type
    signatures: list
    text: str = ""  # Markdown
    members: list = dataclasses.field(default_factory=list)
    line: int = 0  # where it is declared


@dataclasses.dataclass
class Section:
    """Entries below one heading: a header, a module."""
    title: str
    text: str
    entries: list


@dataclasses.dataclass
class Page:
    path: str  # in the folder of the reference
    title: str
    text: str
    sections: list
    language: str  # of the signatures: python or cpp


def escape(text):
    """Plain text as Markdown that shows exactly this text; what stands between backticks is code already."""
    parts = re.split(r"(`[^`\n]+`)", text)
    return "".join(part if part.startswith("`") and len(part) > 1 else "".join(_MARKUP.get(c, c) for c in part) for part in parts)


def plain(text):
    """The text that was escaped."""
    return re.sub(r"\\(.)", r"\1", text).replace("&lt;", "<").replace("&gt;", ">")


def wrap_call(head, arguments, tail, comma=", "):
    """`head(arguments)tail` in lines of at most WIDTH columns, broken between arguments."""
    line = head + "(" + comma.join(arguments) + ")" + tail
    if len(line) <= WIDTH:
        return line
    lines, current = [head + "("], "    "
    for number, argument in enumerate(arguments):
        piece = argument + ("," if number + 1 < len(arguments) else ")" + tail)
        if len(current) + len(piece) > WIDTH and current.strip():
            lines.append(current.rstrip())
            current = "    "
        current += piece + " "
    return "\n".join([*lines, current.rstrip()])


def _code(signatures):
    """Signatures as lines of code of at most WIDTH columns, where words allow it."""
    lines = []
    for line in "\n".join(signatures).splitlines():
        start = re.match(" *", line)[0]
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=start + "    ", break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def anchor(*names):
    """An identifier for links that is unique on a page where the names are."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(names)).strip("-")


def first_sentence(text):
    """The beginning of a text up to the end of its first sentence, with its point."""
    paragraph = text.split("\n\n")[0].replace("\n", " ")
    found = re.match(r"(.+?)[.:](?:\s|$)", paragraph)
    return (found[1] if found else paragraph) + "."


def _is_short(entry):
    """Worth a line of a list: fields, properties, enumerators, calls of which little is to be said."""
    if entry.kind == "value":
        return True
    return len(entry.signatures) == 1 and "\n" not in entry.signatures[0] + entry.text and len(entry.text) < 140


def _member(owner, entry, language):
    mark = f'<a id="{anchor(owner, entry.name)}"></a>'
    if _is_short(entry):
        return f"- {mark}`{entry.signatures[0]}`" + (": " + entry.text.replace("\n\n", " ") if entry.text else "")
    return f"\n{mark}**{escape(entry.name)}**\n\n```{language}\n{_code(entry.signatures)}\n```\n\n{entry.text}\n"


def _entry(entry, language, used):
    identifier, number = anchor(entry.name), 1
    while identifier.lower() in used:
        number += 1
        identifier = f"{anchor(entry.name)}-{number}"
    used.add(identifier.lower())
    lines = [f"### {escape(entry.name)} {{ #{identifier} }}", ""]
    if entry.signatures:
        lines += [f"```{language}", _code(entry.signatures), "```", ""]
    values = [_member(entry.name, m, language) for m in entry.members if m.kind == "value"]
    calls = [("\n" if _is_short(m) else "") + _member(entry.name, m, language) for m in entry.members if m.kind != "value"]
    members = values + calls  # calls in their order: one may speak of the one before
    return "\n".join([*lines, entry.text, "", *members, ""])


def render(page):
    """A page of the site."""
    used, parts = set(), [f"# {page.title}\n", page.text, ""]
    for section in page.sections:
        if section.title:
            parts += [f"## {escape(section.title)}\n", section.text, ""]
        parts += [_entry(entry, page.language, used) for entry in section.entries]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).rstrip() + "\n"


def undocumented(page):
    """The names on a page without a text: (names of entries, names of members)."""
    entries = [e for section in page.sections for e in section.entries]
    members = [f"{e.name}.{m.name}" for e in entries for m in e.members if not m.text]
    return [e.name for e in entries if not e.text], members
