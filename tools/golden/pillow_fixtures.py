#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Small picture files of every kind -> tests/golden/pictures/, and the pixels they hold -> tests/golden/image_files.npz.

Run from the source root. Where a file is 8-bit grey or RGB, the pixels are what Pillow decodes; elsewhere they follow
the rules of docs/formats.md: alpha over white, 16 bits to their high byte, EXIF orientation applied, the first frame of
an animation. The kinds Pillow cannot write (16-bit colour, interlacing, colour keys) are written here."""
import io
import os
import struct
import zlib
import numpy
from PIL import Image, ImageOps

OUT = "tests/golden/pictures"
WIDTH, HEIGHT = 27, 18
expected = {}


def scene(width=WIDTH, height=HEIGHT):
    random = numpy.random.RandomState(7)
    y, x = numpy.mgrid[0:height, 0:width]
    picture = numpy.stack([x * 9, y * 13, (x + y) * 5], axis=2) % 256
    picture[4:12, 6:15] = (230, 40, 90)
    return numpy.clip(picture + random.randint(-12, 13, picture.shape), 0, 255).astype(numpy.uint8)


def over_white(rgba):
    rgba = rgba.astype(numpy.uint32)
    colour, alpha = rgba[:, :, :-1], rgba[:, :, -1:]
    return ((colour * alpha + 255 * (255 - alpha) + 127) // 255).astype(numpy.uint8)


def keep(name, data, pixels=None):
    """The file, and its pixels: Pillow's when none are given."""
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(data)
    if pixels is None:
        pixels = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    if pixels.ndim == 2 or pixels.shape[2] == 1:
        pixels = numpy.repeat(pixels.reshape(pixels.shape[0], pixels.shape[1], 1), 3, axis=2)
    expected[name] = pixels


def saved(picture, kind, **options):
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


def rgba_of(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


# ---- PNG by hand ----

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def rows_of(array, depth):
    """Unfiltered rows: 16-bit big-endian, 8-bit, or packed below that."""
    if depth == 16:
        return b"".join(b"\0" + row.astype(">u2").tobytes() for row in array)
    if depth == 8:
        return b"".join(b"\0" + row.astype(numpy.uint8).tobytes() for row in array)
    bits = ((array[:, :, None] >> numpy.arange(depth - 1, -1, -1)) & 1).reshape(array.shape[0], -1)
    return b"".join(b"\0" + numpy.packbits(row).tobytes() for row in bits.astype(numpy.uint8))


ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def png(array, depth, colour, extra=b"", interlaced=False):
    height, width = array.shape[:2]
    if interlaced:
        parts = (array[y::dy, x::dx] for x, y, dx, dy in ADAM7)
        rows = b"".join(rows_of(part, depth) for part in parts if part.size)
    else:
        rows = rows_of(array, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def make_jpeg():
    rgb = Image.fromarray(scene())
    keep("rgb444.jpg", saved(rgb, "JPEG", quality=92, subsampling=0))
    keep("rgb422.jpg", saved(rgb, "JPEG", quality=80, subsampling=1))
    keep("rgb420.jpg", saved(rgb, "JPEG", quality=75, subsampling=2))
    keep("rgb420_tiny.jpg", saved(rgb.crop((0, 0, 3, 1)), "JPEG"))
    keep("optimised.jpg", saved(rgb, "JPEG", quality=40, optimize=True))
    keep("progressive.jpg", saved(rgb, "JPEG", quality=85, progressive=True))
    keep("grey.jpg", saved(rgb.convert("L"), "JPEG", quality=85))
    keep("grey_progressive.jpg", saved(rgb.convert("L"), "JPEG", progressive=True))
    keep("cmyk.jpg", saved(rgb.convert("CMYK"), "JPEG", quality=90))
    whole = saved(rgb, "JPEG", quality=85)
    keep("trailing_bytes.jpg", whole + b"trailing bytes" * 4, numpy.asarray(Image.open(io.BytesIO(whole))))
    keep("without_end_marker.jpg", whole[:-2], numpy.asarray(Image.open(io.BytesIO(whole))))
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        data = saved(rgb.crop((0, 0, 20, 13)), "JPEG", quality=90, exif=exif)
        turned = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
        keep("orientation%d.jpg" % orientation, data, numpy.asarray(turned))


def make_png():
    rgb = scene()
    grey = numpy.asarray(Image.fromarray(rgb).convert("L"))
    alpha = (numpy.mgrid[0:HEIGHT, 0:WIDTH][1] * 255 // (WIDTH - 1)).astype(numpy.uint8)
    rgba, la = numpy.dstack([rgb, alpha]), numpy.dstack([grey, alpha])
    keep("rgb.png", saved(Image.fromarray(rgb), "PNG"))
    keep("grey.png", saved(Image.fromarray(grey), "PNG"))
    keep("rgba.png", saved(Image.fromarray(rgba), "PNG"), over_white(rgba))
    keep("grey_alpha.png", png(la, 8, 4), over_white(la))
    palette = Image.fromarray(rgb).quantize(40)
    keep("palette.png", saved(palette, "PNG"))
    keep("palette4.png", saved(Image.fromarray(rgb).quantize(11), "PNG", bits=4))
    keep("palette1.png", saved(Image.fromarray(rgb).quantize(2), "PNG", bits=1))
    clear = saved(palette, "PNG", transparency=bytes([0, 128, 255, 30]))
    keep("palette_alpha.png", clear, over_white(rgba_of(clear)))
    for depth in (1, 2, 4):
        levels = (grey >> (8 - depth)).astype(numpy.uint8)
        keep("grey%d.png" % depth, png(levels, depth, 0))
    wide = rgb.astype(numpy.uint16) * 256 + numpy.random.RandomState(1).randint(0, 256, rgb.shape).astype(numpy.uint16)
    keep("rgb16.png", png(wide, 16, 2))
    keep("grey16.png", png(wide[:, :, 0], 16, 0), rgb[:, :, 0])
    keep("rgba16.png", png(numpy.dstack([wide, alpha.astype(numpy.uint16) * 257]), 16, 6), over_white(rgba))
    keep("interlaced.png", png(rgb, 8, 2, interlaced=True))
    keep("interlaced_grey.png", png(grey, 8, 0, interlaced=True))
    keep("interlaced16.png", png(wide, 16, 2, interlaced=True))
    keep("one_pixel_interlaced.png", png(rgb[:1, :1], 8, 2, interlaced=True))
    keyed = rgb.copy()
    keyed[3:6, 3:6] = (1, 2, 3)
    shown = keyed.copy()
    shown[(keyed == (1, 2, 3)).all(axis=2)] = 255
    keep("colour_key.png", png(keyed, 8, 2, chunk(b"tRNS", struct.pack(">HHH", 1, 2, 3))), shown)
    exif = b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, 6, 0, 0)
    keep("orientation6.png", png(rgb, 8, 2, chunk(b"eXIf", exif)), numpy.rot90(rgb, 3))
    text = chunk(b"zTXt", b"note\0\0" + zlib.compress(b"x" * 100000)) + chunk(b"tEXt", b"k\0v")
    keep("with_text.png", png(rgb, 8, 2, text))
    frames = [Image.fromarray(rgb), Image.fromarray(255 - rgb)]
    keep("animated.png", saved(frames[0], "PNG", save_all=True, append_images=frames[1:]), rgb)


def make_webp():
    rgb = scene()
    alpha = (numpy.mgrid[0:HEIGHT, 0:WIDTH][0] * 255 // (HEIGHT - 1)).astype(numpy.uint8)
    rgba = Image.fromarray(numpy.dstack([rgb, alpha]))
    keep("lossy.webp", saved(Image.fromarray(rgb), "WEBP", quality=80))
    keep("lossless.webp", saved(Image.fromarray(rgb), "WEBP", lossless=True, quality=100))
    for name, options in (("lossy_alpha.webp", {"quality": 80}), ("lossless_alpha.webp", {"lossless": True})):
        data = saved(rgba, "WEBP", **options)
        keep(name, data, over_white(rgba_of(data)))
    exif = Image.Exif()
    exif[0x0112] = 8
    keep("orientation8.webp", saved(Image.fromarray(rgb), "WEBP", lossless=True, exif=exif), numpy.rot90(rgb, 1))
    frames = [Image.fromarray(rgb), Image.fromarray(255 - rgb)]
    keep("animated.webp", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True), rgb)


def make_encoded():
    """What the lossless WebP encoder must give, byte for byte."""
    rgb = scene(61, 47)
    expected["encode_rgb"] = rgb
    expected["encode_rgb_webp"] = numpy.frombuffer(saved(Image.fromarray(rgb), "WEBP", lossless=True, quality=100), "u1")
    grey = numpy.asarray(Image.fromarray(rgb).convert("L"))
    expected["encode_grey"] = grey
    expected["encode_grey_webp"] = numpy.frombuffer(saved(Image.fromarray(grey), "WEBP", lossless=True, quality=100), "u1")
    expected["luma"] = grey


os.makedirs(OUT, exist_ok=True)
make_jpeg()
make_png()
make_webp()
make_encoded()
numpy.savez_compressed("tests/golden/image_files.npz", **expected)
print(len(expected), "arrays")
