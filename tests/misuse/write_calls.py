#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes calls.h for test_misuse.c from the headers of include/: every function that takes
or makes an object of the library, callable with any of its pointers missing.

    write_calls.py OUT HEADER...
"""
import re
import sys

HANDLES = ("gig_model", "gig_network", "gig_session", "gig_explainer", "gig_film", "gig_pic", "gig_sheet",
           "gig_spectral_path", "gig_description")
MAY_BE_NULL = (("gig_description_label", "description"), ("gig_description_class", "description"))
# They end what they are given, change the process, or only take what the library gave out.
LEFT_OUT = re.compile(r"_(free|clear|close)$|^gig_interrupt$|^gig_memory_|^gig_study_run_worker$|^gig_fail_because$")


def declarations(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#.*$", " ", text, flags=re.M)
    for found in re.finditer(r"^(?:GIG_API\s+)?(\w[^;{}()]*?)\b(gig_\w+)\(([^;{}]*)\);", text, flags=re.M):
        yield " ".join(found.group(1).split()), found.group(2), " ".join(found.group(3).split())


def split(parameter):
    """'const float *const *points' -> its type and name; an array is a pointer."""
    array = re.search(r"\[\w*\]$", parameter)
    parameter = re.sub(r"\[\w*\]$", "", parameter)
    kind, name = re.match(r"(.*?)(\w+)$", parameter).groups()
    return kind.strip() + (" *" if array else ""), name


def value(kind, callbacks, number):
    if kind == "const char *":
        return '"x"'
    base = re.sub(r"\bconst\b|\*", "", kind).strip()
    if kind.count("*") == 1 and base in HANDLES:
        return "fixture." + base[4:]
    if kind.endswith("*"):
        return "(void *)rooms[%d]" % number
    if kind in callbacks:
        return "(%s)(uintptr_t)refuse" % kind
    if kind in ("size_t", "int64_t"):
        return "1"
    return "{0}"  # a number, an enumerator or a struct


def emit(result, name, parameters, callbacks):
    lines = ["static gig_status call_%s(int missing)" % name, "{", "    (void)missing;"]
    pointers = []
    for i, (kind, _) in enumerate(parameters):
        lines.append("    %s%sa%d = %s;" % (kind, "" if kind.endswith("*") else " ", i, value(kind, callbacks, i)))
        if kind.endswith("*"):
            pointers.append(i)
            lines.append("    if (missing == %d) a%d = NULL;" % (i, i))
    call = "%s(%s)" % (name, ", ".join("a%d" % i for i in range(len(parameters))))
    lines.append("    return %s;" % call if result == "gig_status" else "    (void)%s;\n    return GIG_OK;" % call)
    return "\n".join(lines + ["}"]), pointers


def main():
    out, headers = sys.argv[1], [open(path).read() for path in sys.argv[2:]]
    callbacks = set(re.findall(r"typedef\s+[^;{]*?\(\*(gig_\w+)\)", "\n".join(headers)))
    text, table = [], []
    for header in headers:
        for result, name, rest in declarations(header):
            parameters = [] if rest == "void" else [split(p.strip()) for p in rest.split(",")]
            if LEFT_OUT.search(name) or not any(kind.endswith("*") for kind, _ in parameters):
                continue
            code, pointers = emit(result, name, parameters, callbacks)
            rows = len(table)
            for i in pointers:
                kind, parameter = parameters[i]
                if re.sub(r"\bconst\b|\*", "", kind).strip() not in HANDLES or (name, parameter) in MAY_BE_NULL:
                    continue
                table.append('    {"%s", "%s", call_%s, %d, %d},' % (name, parameter, name, i, result == "gig_status"))
            if len(table) > rows:
                text.append(code)
    with open(out, "w") as file:
        file.write("\n\n".join(text) + "\n\nstatic const misuse misuses[] = {\n" + "\n".join(table) + "\n};\n")


main()
