// SPDX-License-Identifier: Apache-2.0
// Inputs that are not pictures: signals as lines over coloured bars, tokens as coloured words, tables as bars, volumes slice by
// slice. Dims are [channels, positions], [positions, values] or [channels, depth, height, width].
import { arrayOf } from './data.js';
import { choice, make, number, slider } from './dom.js';
import { percentile } from './display.js';
import { coloursFor, displayed } from './paint.js';
import { MapView } from './map_view.js';
import { table } from './table.js';

const MOST_CHANNELS = 12, MOST_TOKENS = 2000, MOST_BARS = 24;

function largest(values) {
    const sorted = Float32Array.from(values, Math.abs).sort();
    return percentile(sorted, 99) || sorted[sorted.length - 1] || 1;
}

function colourCss(value, most) {
    const colours = coloursFor({ signed: true, colours: 'auto' });
    const at = 3 * Math.round(1023 * Math.min(1, Math.max(0, 0.5 + value / most / 2)));
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const light = 0.2126 * linear(colours[at] / 255) + 0.7152 * linear(colours[at + 1] / 255) + 0.0722 * linear(colours[at + 2] / 255);
    // From 0.179 on black has more contrast than white; either way it is above 4.5.
    return { css: `rgb(${colours[at]} ${colours[at + 1]} ${colours[at + 2]})`, dark: light < 0.179 };
}

// [channels, length]: one strip per channel.
function signals(values, map, channels, length) {
    const node = make('div', { class: 'signals' }), most = largest(map);
    const readout = make('output', { class: 'readout' }, 'Point at a signal, or press the arrow keys on it, to read values.');
    for (let c = 0; c < Math.min(channels, MOST_CHANNELS); c++) {
        const canvas = make('canvas', { class: 'strip', tabIndex: 0, role: 'img', 'aria-label': `channel ${c}: signal over its attributions` });
        const wide = canvas.width = Math.max(600, Math.min(length, 4000)), high = canvas.height = 120, on = canvas.getContext('2d');
        let low = Infinity, top = -Infinity, at = 0;
        for (let i = 0; i < length; i++) {
            low = Math.min(low, values[c * length + i]);
            top = Math.max(top, values[c * length + i]);
        }
        const draw = () => {
            for (let x = 0; x < wide; x++) {
                const from = Math.floor(x * length / wide), to = Math.max(from + 1, Math.floor((x + 1) * length / wide));
                let strongest = 0;
                for (let i = from; i < to; i++) if (Math.abs(map[c * length + i]) > Math.abs(strongest)) strongest = map[c * length + i];
                on.fillStyle = colourCss(strongest, most).css;
                on.fillRect(x, 0, 1, high);
            }
            on.strokeStyle = '#000';
            on.lineWidth = 1.5;
            on.beginPath();
            for (let i = 0; i < length; i++) on.lineTo((i + 0.5) / length * wide, high - 6 - (values[c * length + i] - low) / (top - low || 1) * (high - 12));
            on.stroke();
        };
        const tell = (i) => {
            at = Math.min(length - 1, Math.max(0, i));
            draw();
            on.fillStyle = '#000';
            on.fillRect(Math.round((at + 0.5) / length * wide), 0, 2, high);
            readout.textContent = `channel ${c}, position ${at}: value ${number(values[c * length + at], 5)}, attribution ${number(map[c * length + at], 5)}`;
        };
        canvas.addEventListener('pointermove', (event) => {
            const box = canvas.getBoundingClientRect();
            tell(Math.floor((event.clientX - box.left) / box.width * length));
        });
        canvas.addEventListener('keydown', (event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!by) return;
            event.preventDefault();
            tell(at + by * (event.shiftKey ? 10 : 1));
        });
        draw();
        node.append(canvas);
    }
    if (channels > MOST_CHANNELS) node.append(make('p', { class: 'note' }, `${channels - MOST_CHANNELS} more channels are not shown.`));
    node.append(readout);
    return node;
}

// One word per position; a value is the sum over what the position holds (an embedding, say).
function tokens(values, map, count, width, labels) {
    const sums = new Float32Array(count);
    for (let i = 0; i < count * width; i++) sums[Math.floor(i / width)] += map[i];
    const most = largest(sums), line = make('p', { class: 'tokens' }), rows = [];
    for (let i = 0; i < Math.min(count, MOST_TOKENS); i++) {
        const words = labels && labels[i] !== undefined ? labels[i] : width === 1 ? number(values[i]) : String(i);
        const { css, dark } = colourCss(sums[i], most);
        const token = make('span', { class: 'token', title: `${i}: ${number(sums[i])}` }, words, make('small', {}, number(sums[i], 2)));
        token.style.background = css;
        token.style.color = dark ? '#fff' : '#000';
        line.append(token, ' ');
        rows.push([i, words, sums[i]]);
    }
    return make('div', {}, line, table('Tokens', ['position', 'token', 'attribution'], rows));
}

// One bar a column, longest first.
function bars(values, map, labels) {
    const order = [...map.keys()].sort((a, b) => Math.abs(map[b]) - Math.abs(map[a]) || a - b);
    const name = (i) => (labels ? labels[i] : `column ${i}`);
    const most = Math.max(...order.slice(0, 1).map((i) => Math.abs(map[i])), 1e-300), list = make('div', { class: 'bars' });
    for (const i of order.slice(0, MOST_BARS)) {
        const bar = make('span', { class: 'bar', title: `${name(i)}: ${number(map[i])}` });
        bar.style.width = `${50 * Math.abs(map[i]) / most}%`;
        bar.style.marginLeft = `${map[i] < 0 ? 50 - 50 * Math.abs(map[i]) / most : 50}%`;
        bar.style.background = colourCss(Math.sign(map[i]) * 0.76, 1).css;
        list.append(make('span', {}, `${name(i)} = ${number(values[i], 4)}`), make('span', { class: 'track' }, bar));
    }
    return make('div', {}, list, table('Columns', ['column', 'value', 'attribution'], order.map((i) => [name(i), values[i], map[i]])));
}

// [channels, depth, height, width], one slice at a time.
function slices(values, map, [channels, depth, height, width], controls) {
    const item = { height, width, pixels: new Uint8Array(3 * height * width) };
    const look = { mode: 'overlay', opacity: 0.85, top: 100, signed: false, colours: 'auto', divider: 0.5 };
    const stage = new MapView(item, look), size = height * width;
    let low = Infinity, top = -Infinity;
    for (const v of values) {
        low = Math.min(low, v);
        top = Math.max(top, v);
    }
    const go = (z) => {
        const own = new Float32Array(size * channels);
        for (let i = 0; i < size; i++) {
            let sum = 0;
            for (let c = 0; c < channels; c++) {
                sum += values[(c * depth + z) * size + i];
                own[i * channels + c] = map[(c * depth + z) * size + i];
            }
            item.pixels.fill(255 * (sum / channels - low) / (top - low || 1), 3 * i, 3 * i + 3);
        }
        stage.setMaps(displayed({ name: `slice ${z}`, channels, values: own }), null);
    };
    if (depth > 1) controls.append(slider('Slice', { min: 0, max: depth - 1, step: 1, value: depth >> 1, say: (v) => `${v} of ${depth}`, change: go }));
    go(depth >> 1);
    return make('div', { class: 'sliced' }, stage.canvas, stage.readout);
}

export function arrayView(panel) {
    const values = arrayOf(panel.values), map = arrayOf(panel.map), { dims, labels } = panel, last = dims[dims.length - 1];
    const controls = make('div', { class: 'row' }), body = make('div');
    const views = {
        signal: () => (panel.shown === 'signal' || panel.shown === 'slices' ? signals(values, map, values.length / last, last)
            : signals(values, map, 1, values.length)),
        tokens: () => tokens(values, map, dims[0], dims[1], labels),
        table: () => bars(values, map, labels),
        slices: () => slices(values, map, dims, controls),
    };
    const showAs = (kind) => {
        controls.replaceChildren(pick);
        body.replaceChildren(views[kind]());
    };
    const names = { signal: 'signals', tokens: 'tokens', table: 'table', slices: 'slices' };
    const pick = choice('Show as', [...new Set([panel.shown, 'signal'])].map((kind) => [kind, names[kind]]), panel.shown, showAs);
    showAs(panel.shown);
    return make('section', { class: 'array' }, controls, body);
}
