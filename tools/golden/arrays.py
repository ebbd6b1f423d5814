# SPDX-License-Identifier: Apache-2.0
"""Numbers as the inside of a C array."""


def wrap(values, form):
    """The values, each by form, with commas after them, in lines of at most 118 characters."""
    lines, line = [], "   "
    for value in values:
        text = " " + form(value) + ","
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "   "
        line += text
    return "\n".join(lines + [line])


def define(kind, name, values, form):
    return f"static const {kind} {name}[] = {{\n{wrap(values, form)}\n}};\n"
