# SPDX-License-Identifier: BSD-3-Clause
"""Texts of C++ names that have no comment at their declaration, because one elsewhere says it: the opening of the header, the call of
the same name with an output, the call that throws. Each such text names its source."""
import re

from api_markdown import anchor, escape, first_sentence, plain


def _from_opening(entry, section):
    """`Random: seeded random numbers` opens the header of Random; a header with one class speaks of this class."""
    opening, name = plain(section.text), re.escape(entry.name)
    about = re.match(rf"(?:\w+, )*{name}(?:<[\w, ]+>)?(?: = [^:]*)?: ", opening)
    if about:
        text = first_sentence(opening[about.end():])
        return escape(text[0].upper() + text[1:])
    if re.search(rf"\b{name}\b", opening):
        return f"See the opening of `{section.title}`."
    classes = [e for e in section.entries if e.kind == "class"]
    return escape(first_sentence(opening)) if classes == [entry] and opening else ""


def _link(entry, page):
    return f"[{escape(entry.name)}]({page}#{anchor(entry.name)})"


def complete_facade(python, cpp):
    """Texts for names of zwang.kdl or zwang.rbdl that have none of their own: those of the C++ names."""
    texts = {}
    for section in cpp.sections:
        for e in section.entries:
            for name in e.name.split(", "):
                texts.setdefault(name, e.text)
            texts.update({(e.name, name): m.text for m in e.members for name in m.name.split(", ")})
    for section in python.sections:
        for e in section.entries:
            e.text = e.text or texts.get(e.name, "").replace("(#", f"({cpp.path}#")
            for m in e.members:
                m.text = m.text or texts.get((e.name, m.name), "").replace("(#", f"({cpp.path}#")


def complete(pages):
    """Fills in what can be said of entries without a text. Run once over all pages of C++."""
    known = {}
    for page in pages:
        for section in page.sections:
            for e in section.entries:
                for name in e.name.split(", "):
                    if e.text:
                        known.setdefault(name, _link(e, page.path))
                known.update({m.name: _link(e, page.path) for m in e.members if m.text and m.kind == "function" and m.name not in known})
    for page in pages:
        for section in page.sections:
            for e in section.entries:
                if e.text or e.name == "Operators":
                    continue
                name = e.name.split(", ")[0]
                if name.startswith("try_") and name[4:] in known:
                    e.text = f"{known[name[4:]]} for callers that take no exceptions: what it would throw is a status."
                elif name == "bind":
                    e.text = "Checks the struct and binds it to a model; `ConstraintSet::add` calls it."
                elif e.kind == "function" and name in known and not e.signatures[0].startswith("void ") and "spatial" not in page.path:
                    e.text = f"As {known[name]}; this form returns the result."
                elif e.kind == "type" and (m := re.search(r"= (?:Basic)?(\w+)<([\w:]+)>$", e.signatures[0])):
                    e.text = f"`{m[1]}` over `{m[2]}`."
                else:
                    e.text = _from_opening(e, section)
