#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the code blocks of Markdown pages, so that no page shows what does not work.

    tools/docs_snippets.py [--only python|cpp|c|sh] [--update] [--build build] [--python .venv/bin/python] [PAGE...]

Pages: docs/**/*.md and README.md. Every fenced `python`, `cpp`, `c` and `sh` block of docs/ runs. In other pages those run that
are marked `<!-- run -->`, of them only `python`: tools/readme_snippets.py makes tests of the others. Marks stand above a fence:

    <!-- not run: REASON -->   leaves a block out; without a reason it is an error
    <!-- prints -->            above a `text` block: what the block before prints. `...` stands for any text (alone on a
                               line: lines); blanks and the sign of zeros do not count

Blocks may be indented, as in tabs. The blocks of a page that share a language run in order in one namespace: one Python session, one shell (with `zwang` in
PATH), one C++ function. A `cpp` block that has a `main` is a program of its own, and
so is every `c` block. Python finds libzwang_c where it looks for libraries. All run in a scratch folder that shows the
project's models/, examples/ and README.md. `--update` writes into the page what its blocks print now. Exit 77: this language
cannot run here.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import sources

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"<!-- (?P<word>run|prints|not run: *(?P<reason>[^\n]*?)) -->\s*\Z")
_FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-psabi"]
_LANGUAGES = ("python", "cpp", "c", "sh")
_C_FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"]
_ELSEWHERE = ("js",)  # tests/web/face_test.mjs runs these
_SEPARATOR = "\x1e"  # printed before the output of each block
_MISSING = 77


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    line: int  # of the first line of the body, 1-based
    language: str
    body: str
    span: tuple  # of the body in the page's text
    mark: str = ""
    indent: str = ""  # of a block in a list or in a tab (=== "Python"); the body is without it
    prints: "Block | None" = None

    def place(self):
        return f"{sources.relative(self.page)}:{self.line}"


def blocks_of(page, text):
    """All fenced blocks of a page; a `prints` block hangs on the block that prints it."""
    found = []
    for match in _FENCE.finditer(text):
        mark = _MARK.search(text[:match.start()])
        body = match["body"]
        if match["indent"]:
            body = "".join(line[len(match["indent"]):] if line.strip() else line for line in body.splitlines(keepends=True))
        line = text.count("\n", 0, match.start("body")) + 1
        block = Block(page, line, match["language"], body, match.span("body"), mark["word"] if mark else "", match["indent"])
        if block.mark == "prints":
            if not found or found[-1].language not in _LANGUAGES + _ELSEWHERE or found[-1].prints:
                sys.exit(f"{block.place()}: no block before it that could print this")
            found[-1].prints = block
        elif mark and block.mark.startswith("not run") and len(mark["reason"]) < 8:
            sys.exit(f"{block.place()}: 'not run' without a reason")
        else:
            found.append(block)
    return found


def chosen(page, blocks):
    if sources.relative(page).startswith("docs/"):
        return [b for b in blocks if b.language in _LANGUAGES and not b.mark.startswith("not run")]
    return [b for b in blocks if b.language == "python" and b.mark == "run"]


# --- one program per page and language ------------------------------------------------------------------

def python_program(blocks):
    lines = ["import sys", "space = {'__name__': '__main__'}"]
    for number, block in enumerate(blocks):
        code = "\n" * (block.line - 1) + block.body  # so that tracebacks name the page's own lines
        lines.append(f"print('{_SEPARATOR}{number}', flush=True)")
        lines.append(f"exec(compile({code!r}, {str(block.page)!r}, 'exec'), space)")
    return "\n".join(lines) + "\n"


def shell_program(blocks):
    body = "".join(f"printf '{_SEPARATOR}%d\\n' {number}\n{block.body}" for number, block in enumerate(blocks))
    return "set -euo pipefail\nexec 2>&1\n" + body


def cpp_programs(blocks):
    """Yields (numbers, text): fragments together, whole programs apart."""
    fragments = [(n, b) for n, b in enumerate(blocks) if "int main(" not in b.body]
    if fragments:
        includes, body = {}, ""
        for number, block in fragments:
            lines = block.body.splitlines(keepends=True)
            includes.update((line, None) for line in lines if line.startswith("#include"))
            body += f'std::printf("\\x1e%d\\n", {number});\n#line {block.line} "{sources.relative(block.page)}"\n'
            body += "".join("\n" if line.startswith("#include") else line for line in lines)
        yield "#include <cstdio>\n" + "".join(includes) + "int main() {\n" + body + "}\n"
    for number, block in enumerate(blocks):
        if "int main(" in block.body:
            start = f'namespace {{ const int announced = std::printf("\\x1e%d\\n", {number}); }}\n'
            yield f'#include <cstdio>\n{start}#line {block.line} "{sources.relative(block.page)}"\n' + block.body


def compile_and_run(setup, blocks, scratch):
    output = ""
    for number, text in enumerate(cpp_programs(blocks)):
        source, program = scratch / f"page_{number}.cpp", scratch / f"page_{number}"
        source.write_text(text, encoding="utf-8")
        libraries = [str(setup.build / "lib" / name) for name in ("libzwang_kdl.a", "libzwang_rbdl.a", "libzwang.a") if (setup.build / "lib" / name).is_file()]
        build = [*setup.compiler, *_FLAGS, f"-I{sources.ROOT}/include", f"-I{sources.ROOT}/compat/kdl/include",
                 f"-I{sources.ROOT}/compat/rbdl/include", *setup.includes,
                 str(source), "-o", str(program), *libraries, *setup.libraries]
        done = subprocess.run(build, cwd=scratch, text=True, capture_output=True)
        if done.returncode:
            return done.returncode, output, done.stderr
        done = subprocess.run([program], cwd=scratch, text=True, capture_output=True)
        output += done.stdout
        if done.returncode:
            return done.returncode, output, done.stderr
    return 0, output, ""


def compile_and_run_c(setup, blocks, scratch):
    output = ""
    for number, block in enumerate(blocks):
        source, program = scratch / f"page_{number}.c", scratch / f"page_c_{number}"
        source.write_text(f'#line {block.line} "{sources.relative(block.page)}"\n' + block.body, encoding="utf-8")
        library = setup.build / "lib"
        build = ["cc", *_C_FLAGS, f"-I{sources.ROOT}/compat/c/include", str(source), "-o", str(program), f"-L{library}", "-lzwang_c", f"-Wl,-rpath,{library}"]
        done = subprocess.run(build, cwd=scratch, text=True, capture_output=True)
        output += f"{_SEPARATOR}{number}\n"
        if done.returncode == 0:
            done = subprocess.run([program], cwd=scratch, text=True, capture_output=True)
            output += done.stdout
        if done.returncode:
            return done.returncode, output, done.stderr
    return 0, output, ""


def run_page(setup, language, blocks, scratch):
    """Exit status, standard output, what went wrong."""
    if language == "c":
        return compile_and_run_c(setup, blocks, scratch)
    if language == "cpp":
        return compile_and_run(setup, blocks, scratch)
    program = python_program(blocks) if language == "python" else shell_program(blocks)
    command = [setup.python, "-"] if language == "python" else ["bash", "-s"]
    environment = dict(os.environ, PATH=f"{setup.build / 'bin'}:{os.environ['PATH']}", LC_ALL="C.UTF-8", LD_LIBRARY_PATH=str(setup.build / "lib"))
    done = subprocess.run(command, input=program, cwd=scratch, env=environment, text=True, capture_output=True)
    return done.returncode, done.stdout, done.stderr


# --- what was printed ------------------------------------------------------------------------------------

def canonical(text):
    """Without what differs between machines and says nothing: the sign of zeros, and how many blanks stand in a row."""
    text = re.sub(r"[-+](?=0(?:\.0+)?(?![\d.eE]))", " ", text)
    return "".join(re.sub(r"[ \t]+", " ", line).strip() + "\n" for line in text.rstrip("\n").split("\n"))


def agrees(wanted, said):
    pattern = ""
    for line in canonical(wanted).splitlines():
        pattern += r"(?:[^\n]*\n)*?" if line == "..." else r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n"
    return re.fullmatch(pattern, canonical(said)) is not None


def as_written(said, indent=""):
    """What --update writes: rounding errors are not worth comparing."""
    said = re.sub(r"[-+]?\d(?:\.\d+)?e-1[3-9]\b", "...", said)
    return "".join((indent + line).rstrip() + "\n" for line in said.rstrip("\n").split("\n"))


def printed(output, count):
    """The output of each block, and the number of the last one that began."""
    parts = output.split(_SEPARATOR)[1:]
    texts, last = [""] * count, -1
    for part in parts:
        number, _, text = part.partition("\n")
        last = int(number)
        texts[last] = text
    return texts, last


def check_page(setup, page, language):
    """Problems of one page, and how many blocks ran."""
    text = page.read_text(encoding="utf-8")
    blocks = [b for b in chosen(page, blocks_of(page, text)) if b.language == language]
    if not blocks:
        return [], 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for name in ("models", "examples", "README.md"):
            (scratch / name).symlink_to(sources.ROOT / name)
        status, output, errors = run_page(setup, language, blocks, scratch)
    texts, last = printed(output, len(blocks))
    if status:
        place = blocks[max(last, 0)].place()
        return [f"{place}: {language} block failed (exit {status})\n{texts[max(last, 0)]}{errors}"], len(blocks)
    problems, changes = [], []
    for block, said in zip(blocks, texts):
        wanted = block.prints
        if wanted and not agrees(wanted.body, said):
            changes.append((wanted, said))
            problems.append(f"{wanted.place()}: the block before prints\n{said}instead of\n{wanted.body}")
    if setup.update and changes:
        for wanted, said in sorted(changes, key=lambda c: -c[0].span[0]):
            text = text[:wanted.span[0]] + as_written(said, wanted.indent) + text[wanted.span[1]:]
        page.write_text(text, encoding="utf-8")
        problems = []
    return problems, len(blocks)


def can_run(setup, language):
    if language == "cpp":
        return (setup.build / "lib/libzwang.a").is_file()
    if language == "c":
        return (setup.build / "lib/libzwang_c.so").is_file()
    if language == "sh":
        return (setup.build / "bin/zwang").is_file()
    if not setup.python.is_file():
        return False
    return subprocess.run([setup.python, "-c", "import zwang"], capture_output=True).returncode == 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=_LANGUAGES)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", type=pathlib.Path, default=sources.ROOT / "build")
    parser.add_argument("--python", type=pathlib.Path, default=sources.ROOT / ".venv/bin/python")
    parser.add_argument("--compiler", type=shlex.split, default=[*(["ccache"] if shutil.which("ccache") else []), "c++"])
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--libraries", type=shlex.split, default=["-lpugixml"])
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    setup = parser.parse_args()
    setup.build, setup.python = setup.build.absolute(), setup.python.absolute()  # a link of a virtual environment stays a link
    setup.includes = [word for folder in setup.include or ["/usr/include/eigen3"] for word in ("-isystem", folder)]
    return setup


def main():
    setup = arguments()
    every = sorted((sources.ROOT / "docs").rglob("*.md")) + [sources.ROOT / "README.md"]
    pages = [p.resolve() for p in setup.pages] or every
    failed = missing = False
    for language in [setup.only] if setup.only else _LANGUAGES:
        if not can_run(setup, language):
            print(f"{language}: cannot run here (library, program or Python package is not built)")
            missing = True
            continue
        total = 0
        for page in pages:
            problems, count = check_page(setup, page, language)
            total += count
            for problem in problems:
                print(problem, file=sys.stderr)
            failed = failed or bool(problems)
        print(f"{language}: {total} blocks ran")
        failed = failed or total == 0
    return 1 if failed else _MISSING if missing else 0


if __name__ == "__main__":
    sys.exit(main())
