# SPDX-License-Identifier: BSD-3-Clause
"""The C reference: a page of compat/c/include/zwang.h, whose comments stand above what they speak of. A comment holds for all declarations
up to the next empty line or comment; `/* --- Title ---*/` begins a section."""
import re

from api_markdown import Entry, Page, Section, escape
from sources import ROOT

INCLUDE = ROOT / "compat/c/include"
_PIECE = re.compile(r"/\*(?P<comment>.*?)\*/(?P<after>[ \t]*\n)|(?P<blank>\n)|typedef struct (?P<struct>\w+) \{(?P<members>.*?)\n\} \w+;[^\n]*\n"
                    r"|typedef struct \w+ (?P<opaque>\w+);[ ]*/\* (?P<says>[^\n]*?) \*/\n|(?P<function>(?:const char\*|int|void) \w+\([^;]*\);)\n"
                    r"|[^\n]*\n", re.DOTALL)


def _text(comment):
    return escape(" ".join(line.strip().removeprefix("* ").removeprefix("*").strip() for line in comment.strip().splitlines()).strip())


def _member(line):
    """A member with its comment: `int nq; /* numbers of a configuration */`."""
    code, _, comment = line.partition("/*")
    return Entry(code.strip().rstrip(";"), "value", [code.strip().rstrip(";")], _text(comment.replace("*/", "")))


def sections(text):
    """The sections of zwang.h."""
    found, comment = [Section("Handles and arrays", "", [])], ""
    for piece in _PIECE.finditer(text[text.index('#include "zwang_lists.h"'):]):
        title = piece["comment"] and re.match(r" --- (.*?) ?-{3,}(.*)", piece["comment"], re.DOTALL)
        if title:
            found.append(Section(title[1], _text(title[2]), []))
            comment = ""
        elif piece["comment"]:
            comment = _text(piece["comment"])
        elif piece["blank"]:
            comment = ""
        elif piece["struct"]:
            lines = re.sub(r"\s*\n\s*\*", " ", piece["members"]).strip().splitlines()
            head = _text(lines.pop(0)[2:-2]) if lines[0].startswith("/*") else comment
            members = [_member(line) for line in lines if line.strip() and not line.strip().startswith("/*")]
            found[-1].entries.append(Entry(piece["struct"], "class", [f"struct {piece['struct']}"], head or "What a call reads or fills in.", members))
        elif piece["opaque"]:
            found[-1].entries.append(Entry(piece["opaque"], "type", [f"struct {piece['opaque']}"], _text(piece["says"])))
        elif piece["function"]:
            name = re.search(r"(\w+)\(", piece["function"])[1]
            found[-1].entries.append(Entry(name, "function", [" ".join(piece["function"].split())], comment))
    return found


def constants(text):
    """The lists of zwang_lists.h, an entry each: named by what its constants begin with."""
    entries = []
    for says, body in re.findall(r"/\* ([^\n]*?) \*/\nenum \{\n(.*?)\};", text, re.DOTALL):
        names = re.findall(r"(\w+) = (\d+)", body)
        prefix = re.match(r"ZWANG_(?:LIST|REFERENCE|ACCELERATION|EFFECT|MODE|NAMES|NUMBERS|TAKES|PER|SOLUTION|PART|STATE|METHOD|ALG)_|ZWANG_", names[0][0])[0]
        entries.append(Entry(prefix, "class", [], escape(says), [Entry(name, "value", [f"{name} = {number}"]) for name, number in names]))
    return Section("Constants", "Of `zwang_lists.h`, written from the lists of the library.", entries)


def pages():
    found = sections((INCLUDE / "zwang.h").read_text(encoding="utf-8"))
    found.append(constants((INCLUDE / "zwang_lists.h").read_text(encoding="utf-8")))
    text = "`zwang.h`, the face of `libzwang_c`. [C and other languages](../c.md) says what all calls share."
    return [Page("c.md", "C", text, found, "c")]
