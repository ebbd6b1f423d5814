#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of this folder as C arrays, when the program is compiled.

    embed.py OUT.c PREFIX STYLE.css... MODULE.js...

Writes PREFIX_style and PREFIX_script, each with a NUL behind it, and PREFIX_style_hash and PREFIX_script_hash, their
SHA-256 in base64 as a Content-Security-Policy wants it. Styles are joined; modules are joined into one, in the order
given: `import` lines go, the word `export` goes. So each module stands behind those that it imports, and no two
have a name in common, which is checked."""
import base64
import hashlib
import pathlib
import re
import sys

IMPORT = re.compile(r"^import \{ ([^}]*) \} from '\./([a-z_]+\.js)';$")
NAME = re.compile(r'^(?:export )?(?:async )?(?:const|let|class|function\*?) ([A-Za-z_$][\w$]*)', re.M)


def fail(message):
    sys.exit(f'embed.py: {message}')


def joined(paths):
    seen, names, out = set(), {}, []
    for path in paths:
        lines = path.read_text(encoding='utf-8').splitlines()
        for line in lines:
            found = IMPORT.match(line)
            if line.startswith('import') and not found:
                fail(f"{path.name}: expected import {{ a, b }} from './module.js'; on one line, found: {line}")
            if found and found[2] not in seen:
                fail(f'{path.name}: imports {found[2]}, which has to stand before it')
        text = '\n'.join(line for line in lines if not IMPORT.match(line)) + '\n'
        for name in NAME.findall(text):
            if names.setdefault(name, path.name) != path.name:
                fail(f'{path.name}: {name} is a name of {names[name]} too')
        seen.add(path.name)
        out.append(re.sub(r'^export ', '', text, flags=re.M))
    return ''.join(out)


def emit(name, text, tag):
    if f'</{tag}' in text.lower() or '<!--' in text:
        fail(f'{name}: </{tag} or <!-- cannot stand inside a page')
    data = text.encode('utf-8')
    rows = [','.join(str(b - 256 if b > 127 else b) for b in data[i:i + 32]) + ',' for i in range(0, len(data), 32)]
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    return (f'extern const char {name}[], {name}_hash[];\n'
            f'const char {name}_hash[] = "{digest}";\n'
            f'const char {name}[] = {{\n' + '\n'.join(rows) + '0};\n')


def main():
    out, prefix, *files = sys.argv[1:]
    paths = [pathlib.Path(file) for file in files]
    style = ''.join(path.read_text(encoding='utf-8') for path in paths if path.suffix == '.css')
    script = joined([path for path in paths if path.suffix == '.js'])
    pathlib.Path(out).write_text('/* Made by web/embed.py. */\n' + emit(f'{prefix}_style', style, 'style') +
                                 emit(f'{prefix}_script', script, 'script'), encoding='utf-8')


main()
