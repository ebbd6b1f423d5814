#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/hostile/files: broken or hostile pictures, arrays, descriptions, manifests, lists and stores.

The name of a file begins with its kind, which says what reads it (tests/hostile/test_costs.c). Each must end with one line
and an exit code of the list in docs/limits.md, within 5 s of CPU and the memory limit. Same script, same bytes.
"""
import os
import re
import sqlite3
import struct
import sys
import zlib

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "hostile", "files")
cases = {}


def case(name, data):
    assert name not in cases, name
    cases[name] = data


# ---- arrays ----

def npy(shape, descr="<f4", data=b"", order="False", version=1):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    size = 2 if version == 1 else 4
    header += " " * (-(6 + 2 + size + len(header) + 1) % 64) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header))
            + header.encode() + data)


def npz(entries, method=8, whole=None, crc=None, offset=None, count=None):
    """entries: name, bytes. Sizes may be said otherwise than they are."""
    out, directory = b"", b""
    for name, data in entries:
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(data) + packer.flush() if method == 8 else data
        size = len(data) if whole is None else whole
        check = zlib.crc32(data) if crc is None else crc
        place = len(out) if offset is None else offset
        head = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, check, len(packed), size, len(name), 0)
        out += b"PK\x03\x04" + head + name + packed
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + head + struct.pack("<HHHII", 0, 0, 0, 0, place) + name
    many = len(entries) if count is None else count
    return out + directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, many & 0xffff, many & 0xffff, len(directory),
                                                         len(out), 0)


def array_cases():
    case("array_empty.npy", b"")
    case("array_text.npy", b"<html>\n")
    case("array_magic_only.npy", b"\x93NUMPY\x01\x00")
    case("array_2_62.npy", npy("(4611686018427387904,)"))
    case("array_2_32_by_2_32.npy", npy("(4294967296, 4294967296)"))
    case("array_2_30.npy", npy("(1073741824,)"))
    case("array_0_by_2_62.npy", npy("(0, 4611686018427387904)"))
    case("array_minus_1.npy", npy("(-1,)"))
    case("array_rank_9.npy", npy("(1, 1, 1, 1, 1, 1, 1, 1, 1)", data=bytes(4)))
    case("array_rank_1000.npy", npy("(" + "1, " * 1000 + ")", data=bytes(4), version=2))
    case("array_object.npy", npy("(1,)", "|O", b"\x80\x04N."))
    case("array_text_items.npy", npy("(1,)", "<U4", bytes(16)))
    case("array_item_0.npy", npy("(1,)", "<f0"))
    case("array_item_16.npy", npy("(1,)", "<f16", bytes(16)))
    case("array_complex.npy", npy("(1,)", "<c8", bytes(8)))
    case("array_short.npy", npy("(1, 3, 8, 8)", data=bytes(100)))
    case("array_long.npy", npy("(1, 3, 8, 8)", data=bytes(1000)))
    case("array_nan.npy", npy("(1, 3, 8, 8)", data=struct.pack("<f", float("nan")) * 192))
    case("array_infinite.npy", npy("(1, 3, 8, 8)", data=struct.pack("<f", float("inf")) * 192))
    case("array_too_large_for_float.npy", npy("(1, 3, 8, 8)", "<f8", struct.pack("<d", 1e300) * 192))
    case("array_uint64_max.npy", npy("(1,)", "<u8", b"\xff" * 8))
    case("array_header_of_6000.npy", npy("(1,)" + " " * 6000, data=bytes(4)))
    case("array_header_length_2_32.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{")
    case("array_header_without_shape.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}\n")
    case("array_header_twice.npy", npy("(1,), 'shape': (2,)", data=bytes(8)))
    case("array_fortran_1.npy", npy("(1, 3, 8, 8)", order="True", data=bytes(768)))
    case("array_version_9.npy", npy("(1,)", data=bytes(4), version=1).replace(b"\x01\x00", b"\x09\x00", 1))
    zeros = npy("(16000000,)", "|b1", bytes(16000000))
    case("array_16_mb_of_bool.npz", npz([(b"x.npy", zeros)]))
    case("array_30_mb_of_zeros.npz", npz([(b"x.npy", npy("(7500000,)", data=bytes(30000000)))]))
    case("array_says_4_gb.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], whole=0xfffffff0))
    case("array_says_too_much.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], whole=1000))
    case("array_wrong_checksum.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], crc=1))
    case("array_outside.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], offset=0x7fffffff))
    case("array_65535_entries.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], count=65535))
    case("array_method_99.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))], method=99))
    case("array_twice.npz", npz([(b"x.npy", npy("(1,)", data=bytes(4)))] * 2))
    case("array_none.npz", npz([]))
    case("array_end_only.npz", b"PK\x05\x06" + bytes(18))


# ---- pictures ----

def chunk(kind, body, length=None, crc=None):
    return (struct.pack(">I", len(body) if length is None else length) + kind + body
            + struct.pack(">I", zlib.crc32(kind + body) if crc is None else crc))


def png(width, height, data=None, depth=8, colour=2, between=b"", interlace=0):
    rows = zlib.compress(b"\0" * ((width * 3 + 1) * height), 9) if data is None else data
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + between + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def jpeg(width, height, scans=1, arithmetic=False, components=3):
    """A frame of no coefficients: tables that are never filled."""
    frame = struct.pack(">BHHB", 8, height, width, components)
    for i in range(components):
        frame += bytes([i + 1, 0x11, 0])
    out = b"\xff\xd8\xff\xdb" + struct.pack(">HB", 67, 0) + b"\x01" * 64
    out += (b"\xff\xc9" if arithmetic else b"\xff\xc2") + struct.pack(">H", len(frame) + 2) + frame
    if not arithmetic:
        for table in (0x00, 0x10):
            out += b"\xff\xc4" + struct.pack(">HB", 20, table) + b"\x01" + bytes(15) + b"\0"
    for _ in range(scans):
        scan = bytes([components]) + b"".join(bytes([i + 1, 0]) for i in range(components))
        scan += b"\0\x3f\0" if arithmetic else b"\0\0\x10" if scans > 1 else b"\0\0\0"
        out += b"\xff\xda" + struct.pack(">H", len(scan) + 2) + scan + b"\0" * 16
    return out + b"\xff\xd9"


def picture_cases():
    flat = zlib.compress(bytes(4000000), 9)
    case("picture_empty.png", b"")
    case("picture_text.png", b"not a picture\n")
    case("picture_signature.png", b"\x89PNG\r\n\x1a\n")
    case("picture_20000.png", png(20000, 20000, flat))
    case("picture_9000.png", png(9000, 9000, flat))
    case("picture_2_31.png", png(0x7fffffff, 0x7fffffff, flat))
    case("picture_0_wide.png", png(0, 5, flat))
    case("picture_interlaced.png", png(9000, 9000, flat, interlace=1))
    case("picture_depth_3.png", png(8, 8, flat, depth=3))
    case("picture_colour_7.png", png(8, 8, flat, colour=7))
    case("picture_short.png", png(64, 64, zlib.compress(b"\0" * 10)))
    case("picture_long.png", png(8, 8, flat))
    case("picture_bad_filter.png", png(8, 8, zlib.compress(b"\x09" * 200)))
    case("picture_wrong_checksum.png", png(8, 8)[:-20] + b"\0" * 20)
    case("picture_chunk_2_31.png", png(8, 8, between=chunk(b"tEXt", b"a", length=0x7fffffff)))
    case("picture_text_of_9_mb.png", png(8, 8, between=chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(9000000), 9))))
    case("picture_profile_of_9_mb.png", png(8, 8, between=chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(9000000), 9))))
    case("picture_1000_chunks.png", png(8, 8, between=chunk(b"tEXt", b"a\0b") * 1500))
    case("picture_palette_missing.png", png(8, 8, flat, colour=3))
    case("picture_palette_of_300.png", png(8, 8, flat, colour=3, between=chunk(b"PLTE", bytes(900))))
    case("picture_65500.jpg", jpeg(65500, 65500))
    case("picture_1000_scans.jpg", jpeg(64, 64, scans=1000))
    case("picture_arithmetic.jpg", jpeg(9000, 9000, arithmetic=True))
    case("picture_arithmetic_small.jpg", jpeg(64, 64, arithmetic=True))
    case("picture_0_components.jpg", jpeg(64, 64, components=0))
    case("picture_200_components.jpg", jpeg(64, 64, components=200))
    case("picture_start.jpg", b"\xff\xd8\xff")
    case("picture_ends_early.jpg", jpeg(64, 64)[:100])
    case("picture_big.webp", b"RIFF" + struct.pack("<I", 30) + b"WEBPVP8L" + struct.pack("<I", 18) + b"\x2f"
         + struct.pack("<I", 16382 | 16382 << 14) + bytes(13))
    case("picture_frames.webp", b"RIFF" + struct.pack("<I", 40) + b"WEBPVP8X" + struct.pack("<I", 10) + b"\x02\0\0\0"
         + b"\xff\x3f\0\xff\x3f\0" + b"ANIM" + struct.pack("<I", 6) + bytes(6))
    case("picture_length_2_32.webp", b"RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff")


# ---- JSON and CSV ----

def text_cases():
    case("description_empty.json", b"")
    case("description_nested.json", b"[" * 3000)
    case("description_nested_objects.json", b'{"input":' * 2100)
    case("description_number_1e999.json", b'{"input": {"width": 1e999}}')
    case("description_width_2_62.json", b'{"input": {"width": 4611686018427387904, "height": 4611686018427387904}}')
    case("description_width_2_31.json", b'{"input": {"width": 2147483647, "height": 2147483647}}')
    case("description_width_0.json", b'{"input": {"width": 0, "height": 96}}')
    case("description_std_0.json", b'{"input": {"std": [0, 0, 0]}}')
    case("description_scale_nan.json", b'{"input": {"scale": NaN}}')
    case("description_twice.json", b'{"input": {}, "input": {}}')
    case("description_unknown_key.json", b'{"inptu": {}}')
    case("description_not_utf8.json", b'{"labels": ["\xff\xfe"]}')
    case("description_nul.json", b'{"labels": ["a\\u0000b"]}')
    case("description_2000_labels.json", b'{"labels": [' + b'"a",' * 2000 + b'"a"]}')
    case("description_labels_outside.json", b'{"labels": "/etc/shadow"}')
    case("description_labels_device.json", b'{"labels": "/dev/zero"}')
    case("description_labels_itself.json", b'{"labels": "net.json"}')
    case("manifest_empty.json", b"")
    case("manifest_nested.json", b"[" * 3000)
    case("manifest_number.json", b"3")
    case("manifest_no_models.json", b'{"models": {}, "pictures": {}, "methods": [], "metrics": []}')
    case("manifest_device.json", b'{"models": {"a": "/dev/zero"}, "pictures": {"p": "/dev/zero"}, "methods": ["ig"],'
         b' "metrics": ["auc"]}')
    case("manifest_itself.json", b'{"models": {"a": "manifest_itself.json"}, "pictures": {"p": "manifest_itself.json"},'
         b' "methods": ["ig"], "metrics": ["auc"]}')
    case("manifest_1000_methods.json", b'{"models": {"a": "x"}, "pictures": {"p": "y"}, "metrics": ["auc"], "methods": ['
         + b",".join(b'"ig/steps=%d"' % i for i in range(1, 1000)) + b"]}")
    case("manifest_steps_2_62.json", b'{"models": {"a": "x"}, "pictures": {"p": "y"}, "metrics": ["auc"],'
         b' "methods": ["ig/steps=4611686018427387904"]}')
    case("manifest_method_of_8000.json", b'{"models": {"a": "x"}, "pictures": {"p": "y"}, "metrics": ["auc"],'
         b' "methods": ["' + b"smooth+" * 1000 + b'ig"]}')
    case("manifest_metric_of_8000.json", b'{"models": {"a": "x"}, "pictures": {"p": "y"}, "methods": ["ig"],'
         b' "metrics": ["' + b"auc/" * 2000 + b'"]}')
    case("list_empty.csv", b"")
    case("list_one_quote.csv", b'"')
    case("list_quotes.csv", b'"' * 6001)
    case("list_6000_fields.csv", b"," * 6000 + b"\n")
    case("list_nul.csv", b"a\0b,1,\n")
    case("list_not_utf8.csv", b"\xff\xfe,1,\n")
    case("list_2000_rows.csv", b"a,1,\n" * 2000)
    case("list_label_2_62.csv", b"a.png,4611686018427387904,\n")
    case("list_label_negative.csv", b"a.png,-3,\n")
    case("list_device.csv", b"/dev/zero,1,\n")
    case("list_itself.csv", b"list_itself.csv,1,list_itself.csv\n")
    case("list_bom.csv", b"\xef\xbb\xbfa.png,1,\n")
    case("list_carriage_returns.csv", b"a.png,1,\r" * 500)


# ---- stores ----

TABLES = "PRAGMA application_id = %d; PRAGMA user_version = %%d;" % 0x67696773


def store(sql, version=2, page=4096):
    path = os.path.join(FOLDER, "making.db")
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path, isolation_level=None)
    database.executescript("PRAGMA page_size = %d;" % page + TABLES % version + sql)
    database.close()
    with open(path, "rb") as made:
        data = bytearray(made.read())
    os.remove(path)
    data[96:100] = bytes(4)  # the library that wrote it
    return bytes(data)


def store_cases():
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    case("store_empty.db", b"")
    case("store_text.db", b"SQLite format 3\0" + b"x" * 2000)
    case("store_no_tables.db", store(""))
    case("store_other_version.db", store("CREATE TABLE fact (name, value);", 99))
    case("store_endless_view.db", store("CREATE VIEW cell AS %s SELECT i AS id, 1 AS wanted, 0 AS state, 1 AS model,"
                                        " 1 AS picture FROM n;" % endless))
    case("store_endless_views.db", store("".join("CREATE VIEW %s AS %s SELECT i AS id FROM n;" % (name, endless) for name in (
        "fact", "model", "picture", "ranking", "cell", "score"))))
    case("store_other_columns.db", store("".join("CREATE TABLE %s (a, b, c);" % name for name in (
        "fact", "model", "picture", "ranking", "cell", "score"))))
    case("store_trigger.db", store("CREATE TABLE fact (name, value); CREATE TABLE cell (id);"
                                   "CREATE TRIGGER t AFTER INSERT ON cell BEGIN DELETE FROM fact; END;"))
    case("store_generated_column.db", store("CREATE TABLE cell (id INTEGER PRIMARY KEY, wanted INT, state INT AS"
                                            " (length(zeroblob(1000000000))));"))
    case("store_bad_page_size.db", store("CREATE TABLE cell (id);").replace(b"\x10\x00\x01\x01", b"\x00\x03\x01\x01", 1))
    case("store_cut.db", store("CREATE TABLE cell (id);")[:3000])


# ---- corpora of fuzz/ ----

def whole_store(cells):
    """A store as a study leaves it, in small pages: two models, two pictures, some cells with scores."""
    with open(os.path.join(FOLDER, "..", "..", "..", "src", "work", "store", "store.c")) as source:
        schema = "".join(re.findall(r'"(.*)"', re.search(r"char schema\[\] =\n(.*?);\n\n", source.read(), re.S).group(1)))
    rows = schema + "INSERT INTO fact VALUES ('manifest', '{}'), ('run', '{\"stage\":\"done\",\"cells\":2,\"done\":1}'), ('remarks', '');"
    for i in (1, 2):
        rows += "INSERT INTO model VALUES (%d, '%064x', 'm%d', 'm.onnx');" % (i, i, i)
        rows += "INSERT INTO picture VALUES (%d, '%064x', 'set', 'p%d.png', 'p.png', %d);" % (i, i, i, i)
        rows += "INSERT INTO ranking VALUES (%d, %d, 1, 0.5, 1, 0.5, 0.25);" % (i, i)
    methods = ("ig", "gig:20", "gradients")
    for i in range(cells):
        rows += ("INSERT INTO cell VALUES (%d, '%064x', %d, %d, 1, 'softmax', 'f32', '%s', 'black', 0, 1, %d, 1, %s, 0.9, 0.1,"
                 " 0.8, 1e-3, NULL, 200, 2, 0.5, 'gig', NULL, '2026-01-01T00:00:00Z', 0.5);" % (
                     i + 1, i, i % 2 + 1, i // 2 % 2 + 1, methods[i % 3], 2 if i == 7 else 1, "'why'" if i == 7 else "NULL"))
        for metric, curve in (("auc", "zeroblob(8)"), ("sic", "zeroblob(240)"), ("completeness", "NULL")):
            rows += "INSERT INTO score VALUES (%d, '%s', %s, NULL, %s, 0.1);" % (i + 1, metric, i / 10, curve)
    return store(rows, page=512)


def corpus(target, seeds):
    folder = os.path.join(FOLDER, "..", "..", "..", "fuzz", "corpus", target)
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds:
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


def write_corpora():
    kinds = {"array_": 0, "list_": 2, "description_": 3, "manifest_": 4}
    texts = [("method_%d" % i, b"\x05" + name) for i, name in enumerate((
        b"ig", b"gig:20", b"smooth+gig:20/samples=5/steps=21", b"xrai+ig/min-pixels=9", b"gig/max-dist=0.02",
        b"ig/baseline=black+white", b"blur-ig/sigma=3", b"ig/rule=gauss-legendre", b"gig/fraction=1e-3/fraction-of=remaining"))]
    texts += [("metric_%d" % i, b"\x06" + name) for i, name in enumerate((
        b"auc", b"sic", b"aic", b"insertion", b"deletion", b"completeness", b"gini", b"infidelity"))]
    for name, data in cases.items():
        for kind, number in kinds.items():
            if name.startswith(kind) and len(data) < 1500:
                texts.append((name, bytes([number + name.endswith(".npz")]) + data))
    corpus("text", texts)
    corpus("store", [("whole_%d.db" % cells, whole_store(cells)) for cells in (1, 12)]
           + [(name, data) for name, data in cases.items() if name.startswith("store_") and len(data) < 13000])
    job = b'{"type": "explain", "method": "ig", "class": "", "of": "logit", "region": "", "seed": 0, "picture": %d}'
    post, get, add = b"\x0f\n", b"\x17\n", b"\x0f\n/api/jobs\n\n" + job % 1
    pages = [get + b"/", get + b"/page.js", get + b"/page.css", get + b"/api/state", get + b"/api/jobs/1/events",
             post + b"/api/pictures\na.png\nbytes", add, b"\0".join([add] * 6), add + b"\0" + get + b"/api/jobs/2/events",
             add + b"\0" + post + b"/api/jobs/2/cancel\0" + get + b"/api/jobs/2/events\0" + get + b"/api/state",
             post + b"/api/jobs\n\n" + job.replace(b'""', b'"1,2,3,4"') % 1, post + b"/api/jobs\n\n" + job % 9,
             b"\0".join([post + b"/api/pictures\np\nx"] * 10) + b"\0" + get + b"/api/state",
             post + b'/api/file\n\n{"format": "png", "title": "t", "picture_job": 2, "jobs": [2, 3]}',
             add + b"\0" + post + b'/api/file\n\n{"format": "npy", "title": "", "picture_job": 2, "jobs": [2]}',
             b"\0GET\n/\nlocalhost:8080\n", b"\0GET\n/\nexample.org\n", b"\x05GET\n/\nhttp://127.0.0.1:8080\n",
             b"\x13\n/api/state\nBearer " + b"0" * 32, b"\x07PUT\n/api/jobs\n", get + b"/../x", get + b"/api/jobs/-1/events",
             b"\x80" + struct.pack("<II", 2, 3) + b"{}abc", b"\x80" + struct.pack("<II", 2, 2**31) + b"{}",
             b"\x80" + struct.pack("<II", 2**31, 0) + b"{}", b"\x80" + struct.pack("<II", 2, 0) + b"[]"]
    corpus("http", [("request_%02d" % i, page) for i, page in enumerate(pages)])
    paths = (b"w", b"./w", b"sub/w", b"sub/../w", b"../outside", b"sub/../../outside", b"link", b"up/outside", b"own",
             b"hard", b"pipe", b"environ", b"/etc/passwd", b"", b".", b"sub", b"sub/", b"w/", b"a" * 120)
    corpus("external", [("path_%02d" % i, b"\x04" + path + b"\0" + b"0\0" + b"16") for i, path in enumerate(paths)]
           + [("place_%d" % i, b"\x04w\0" + place + b"\0" + length) for i, (place, length) in enumerate((
               (b"4080", b"16"), (b"4081", b"16"), (b"-1", b"16"), (b"18446744073709551615", b"16"), (b"0x10", b"16"),
               (b"9223372036854775807", b""), (b" 1", b"16"), (b"1e3", b"16"), (b"0", b"17"), (b"", b"16")))])


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for part in (array_cases, picture_cases, text_cases, store_cases):
        part()
    for old in os.listdir(FOLDER):
        if old not in cases:
            os.remove(os.path.join(FOLDER, old))
    for name, data in cases.items():
        assert len(data) <= 65536, (name, len(data))
        with open(os.path.join(FOLDER, name), "wb") as out:
            out.write(data)
    write_corpora()
    print("%d files, %d bytes" % (len(cases), sum(map(len, cases.values()))))


if __name__ == "__main__":
    sys.exit(main())
