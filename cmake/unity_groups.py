#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups the sources of each library for a unity build.

No two of a group define one name in an unnamed namespace, and none uses by a bare name a function or a constant that
another defines there: it would hide the one that is meant. Standard input: a line a library,
"target;folder;source;source…". Standard output: "target;source;group" a line, the source with its whole path, because
CMake takes a relative one for a file of its own folder. A group has at most SOURCES files and LINES lines, so that two
processors have enough to share. CMake runs it while it configures.
"""
import os
import re
import sys

SOURCES, LINES = 8, 3500
BEGIN = re.compile(r"^namespace \{$")
END = re.compile(r"^\} // namespace$")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|enum(?: class)?|union)\s+(\w+)")
ALIAS = re.compile(r"^(?:using\s+(\w+)\s*=|typedef\b.*\b(\w+);)")
# The name before the first bracket or before what a constant is given: column 0 alone is a declaration, since nothing is
# indented by a namespace here (.clang-format).
FUNCTION = re.compile(r"^[A-Za-z_].*?(?<![\w:])(~?\w+)\(")
CONSTANT = re.compile(r"^(?:inline |static |thread_local )*(?:constexpr|const|std::|[A-Za-z_]).*?(\w+)(?:\[[^\]]*\])*\s*(?:=|\{|;)")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')
USE = re.compile(r"(?<![\w.:>])(\w+(?=\()|k[A-Z]\w*)")  # a call, or a constant by this house's spelling
SKIP = ("#", "//", "}", "{", "using namespace", "namespace", "return", "public", "private", "protected", "case", "default", "extern",
        "Q_DECLARE", "static_assert")


def names_of(path):
    """(names that the file defines for itself alone, functions and constants that it names bare, lines)."""
    own, called, lines, inside = set(), set(), 0, False
    with open(path, encoding="utf-8") as source:
        for line in source:
            lines += 1
            line = line.rstrip("\n")
            if not END.match(line):
                line = STRING.sub('""', line).split("//")[0]
            called.update(USE.findall(line))
            if BEGIN.match(line):
                inside = True
            elif END.match(line):
                inside = False
            elif (inside or line.startswith("static ")) and line and not line.startswith(SKIP) and not line[0].isspace():
                head = line.split("=")[0]
                patterns = (TYPE, ALIAS, FUNCTION if "(" in head else CONSTANT)
                if "(" not in head: # int kLeft = 12, kRight = 32;
                    own.update(re.findall(r"(\w+)\s*=", line))
                for pattern in patterns:
                    if match := pattern.match(line):
                        own.add(next(group for group in match.groups() if group))
                        break
    return own, called - own, lines


def groups(folder, sources):
    made = []  # [names, calls, lines, sources]
    for source in sources:
        path = source if os.path.isabs(source) else os.path.join(folder, source)
        if not path.endswith(".cpp") or not os.path.exists(path):
            continue
        names, calls, lines = names_of(path)
        for group in made:
            if (len(group[3]) < SOURCES and group[2] + lines <= LINES and not group[0] & names
                    and not group[0] & calls and not group[1] & names):
                break
        else:
            group = [set(), set(), 0, []]
            made.append(group)
        group[0] |= names
        group[1] |= calls
        group[2] += lines
        group[3].append(source)
    return made


def main():
    for row in sys.stdin.read().split("\n"):
        if not row:
            continue
        target, folder, *sources = row.split(";")
        for number, group in enumerate(groups(folder, sources)):
            for source in group[3]:
                if len(group[3]) > 1:
                    print(f"{target};{os.path.join(folder, source)};{number}")


if __name__ == "__main__":
    main()
