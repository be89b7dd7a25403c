#!/usr/bin/env python3
"""joint_tidy.py DATABASE JOBS CLANG-TIDY ARGUMENT... -- PATTERN...   clang-tidy, several of our sources a translation unit.

Nine tenths of clang-tidy's time on one of our files go into the headers of Qt, VTK, fmt and the standard library, which it
reads and walks anew for each. So sources of the same compiler flags are set end to end in one file: not included from one,
so that what a check says of the main file alone it says of each of them. Two sources where one names for itself (unnamed
namespace, macro, alias) what the other has a word for are not joined. Should a joint file not compile for all that,
its sources are read one by one. PATTERN: regular expressions for absolute paths; none of them: a source's own path.
Exit 1 if anything was found.
"""
import bisect
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

LINES = 5000  # of one joint file: the longest shall not be what all cores but one wait for


def bare(text):
    """The source without its comments and literals, but for what ends a namespace."""
    return re.sub(r'//(?! namespace).*|"(?:\\.|[^"\\\n])*"', " ", text)


def own_names(text):
    """What a source declares for itself."""
    names = set(re.findall(r"^#\s*define (\w+)", text, re.M))
    names |= set(re.findall(r"^(?:static|enum|struct|class) .*?(\w+)\s*(?:[({=;]|$)", text, re.M))
    names |= set(re.findall(r"^(?:using|namespace) (\w+) =", text, re.M))
    inside = False
    for line in text.splitlines():
        if re.match(r"namespace\s*\{", line):
            inside = True
        elif re.match(r"\} // namespace\s*$", line):
            inside = False
        elif inside and re.match(r"[\w:\[]", line):
            names |= set(re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*[({=;]", line + ";"))
    return names


def used_names(text):
    """Words that may mean something declared outside of the source's own functions."""
    return set(re.findall(r"(?<![.\w:>])[A-Za-z_]\w*", text.replace("->", ".")))


def unused_usings(path, text):
    """Joined, one source's `using` counts as used by its neighbour: so this is asked of each source by itself."""
    words = re.findall(r"\w+", bare(text))
    for match in re.finditer(r"^using [\w:]*::(\w+);", text, re.M):
        if words.count(match[1]) < 2:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: error: using declaration of '{match[1]}' is not used [misc-unused-using-decls]\n"


class Joint:
    def __init__(self, entry, command):
        self.directory, self.command = entry["directory"], command
        self.names, self.used, self.starts, self.paths, self.texts, self.lines = set(), set(), [], [], [], 0

    def takes(self, entry, command, names, used, lines):
        return (self.command == command and self.directory == entry["directory"] and self.lines + lines <= LINES
                and not self.names & used and not self.used & names)

    def add(self, path, text, names, used):
        self.starts.append(self.lines)
        self.paths.append(path)
        self.texts.append(text)
        self.lines += text.count("\n")
        self.names |= names
        self.used |= used

    def place(self, line):
        """The source and its line of a line of the joint file."""
        part = bisect.bisect_left(self.starts, line) - 1
        return f"{self.paths[part]}:{line - self.starts[part]}"


def joints(database, patterns):
    found, seen = [], set()
    with open(os.path.join(database, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if path in seen or not any(p.search(path) for p in patterns):
            continue
        seen.add(path)
        command = re.sub(r" -o \S+ -c \S+$", "", entry["command"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names, used = own_names(bare(text)), used_names(bare(text))
        joint = next((j for j in found if j.takes(entry, command, names, used, text.count("\n"))), None)
        if joint is None:
            joint = Joint(entry, command)
            found.append(joint)
        joint.add(path, text, names, used)
    return found


def tidy(database, arguments, path):
    run = subprocess.run(["clang-tidy-16", "-quiet", "-p", database, *arguments, path], capture_output=True, text=True)
    return run.returncode, run.stdout + ("" if run.returncode in (0, 1) else run.stderr)


def main():
    split = sys.argv.index("--")
    database, jobs, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:split]
    found = joints(database, [re.compile(p) for p in sys.argv[split + 1:]])
    if not found:
        sys.exit("clang-tidy: no source matches")
    failed = False
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        entries = []
        for number, joint in enumerate(found):
            joint.source = os.path.join(folder, f"joint_{number}.cpp") if len(joint.paths) > 1 else joint.paths[0]
            if len(joint.paths) > 1:
                with open(joint.source, "w", encoding="utf-8") as out:
                    out.write("".join(joint.texts))
            entries.append({"directory": joint.directory, "file": joint.source,
                            "command": f"{joint.command} -o joint_{number}.o -c {joint.source}"})
        with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as out:
            json.dump(entries, out)

        def run(joint):
            status, said = tidy(folder, arguments, joint.source)
            if len(joint.paths) > 1:
                if "clang-diagnostic-error" in said:
                    print(f"not to be joined, read one by one: {len(joint.paths)} sources, since\n  "
                          + next(line for line in said.splitlines() if "clang-diagnostic-error" in line))
                    each = [tidy(database, arguments, path) for path in joint.paths]
                    return max(code for code, _ in each), "".join(text for _, text in each)
                said = re.sub(re.escape(joint.source) + r":(\d+)", lambda m: joint.place(int(m[1])), said)
                extra = "".join(line for path, text in zip(joint.paths, joint.texts) for line in unused_usings(path, text))
                status, said = status or bool(extra), said + extra
            return status, said

        # The longest first, and the instantiations, which are short and take long, before all.
        order = sorted(found, key=lambda joint: (not re.search(r"_host_\dd_", joint.source), -joint.lines))
        for status, said in pool.map(run, order):
            failed |= status != 0
            print(said, end="", flush=True)
    sys.exit(failed)


main()
