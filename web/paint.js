// SPDX-License-Identifier: Apache-2.0
// A picture, a map or an overlay as pixels, at the map's own size.
import { display, ramp, threshold } from './display.js';

let palette = {};

// Colour maps come with the document, as the library computes them.
export function usePalette(colours) {
    palette = {};
    for (const [name, stops] of Object.entries(colours || {})) palette[name] = ramp(stops);
}

export function paletteNames() {
    return Object.keys(palette);
}

export function coloursFor(look) {
    const name = look.colours !== 'auto' && palette[look.colours] ? look.colours : look.signed ? 'diverging' : 'heat';
    return palette[name];
}

// The library dims the picture under an overlay too, so that light colours stand out on white things.
const DIMMED = 0.7;

// mode: picture, map, overlay. Pixels outside the top percent show the dimmed picture, or nothing of the map.
export function paint(item, map, look, mode) {
    const { height, width } = item, pixels = item.pixels;
    const image = new ImageData(Math.max(1, width), Math.max(1, height)), out = image.data;
    const shown = map ? map.shown(look.signed) : null;
    const inside = shown ? threshold(shown, look.signed, look.top) : () => true;
    const colours = coloursFor(look);
    for (let i = 0; i < height * width; i++) {
        let r = pixels ? pixels[3 * i] : 128, g = pixels ? pixels[3 * i + 1] : 128, b = pixels ? pixels[3 * i + 2] : 128;
        const kept = inside(i);
        if (mode === 'picture') {
            if (!kept) r = g = b = 0;
        } else {
            const grey = DIMMED * (0.299 * r + 0.587 * g + 0.114 * b);
            const opacity = !kept ? 0 : mode === 'map' ? 1 : look.opacity * shown.size(i);
            const at = 3 * Math.round(1023 * shown.place(i));
            const under = mode === 'map' ? 40 : grey;
            r = under + opacity * (colours[at] - under);
            g = under + opacity * (colours[at + 1] - under);
            b = under + opacity * (colours[at + 2] - under);
        }
        out[4 * i] = r;
        out[4 * i + 1] = g;
        out[4 * i + 2] = b;
        out[4 * i + 3] = 255;
    }
    return image;
}

// Maps remember their display values, once for each reduction.
export function displayed(map) {
    const kept = {};
    map.shown = (signed) => (kept[signed] = kept[signed] || display(map, signed));
    return map;
}

export function canvasOf(image) {
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d').putImageData(image, 0, 0);
    return canvas;
}

export function show(canvas, image) {
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d').putImageData(image, 0, 0);
}

// A bar with the colours, and what its ends stand for.
export function legendOf(canvas, look) {
    const colours = coloursFor(look);
    canvas.width = 256;
    canvas.height = 1;
    const image = new ImageData(256, 1);
    for (let x = 0; x < 256; x++) {
        const at = 3 * Math.round(x / 255 * 1023);
        image.data.set([colours[at], colours[at + 1], colours[at + 2], 255], 4 * x);
    }
    canvas.getContext('2d').putImageData(image, 0, 0);
}
