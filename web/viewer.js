// SPDX-License-Identifier: Apache-2.0
// A document of results: panels in order. A picture and the maps that follow it are shown together.
import { arrayView } from './array.js';
import { arrayOf, mapOf } from './data.js';
import { choice, make, number, slider, tabs } from './dom.js';
import { displayed, legendOf, paint, paletteNames, show, usePalette } from './paint.js';
import { Paths } from './path.js';
import { plot } from './plot.js';
import { MapView } from './map_view.js';
import { table } from './table.js';

// Groups panels: { kind: 'picture', maps, ... } or a single panel.
function grouped(panels) {
    const out = [];
    let item = null;
    for (const panel of panels) {
        const fits = item && panel.height === item.height && panel.width === item.width;
        if (panel.kind === 'picture') {
            item = { ...panel, pixels: arrayOf(panel.pixels), maps: [] };
            out.push(item);
        } else if (panel.kind === 'map' && fits) {
            item.maps.push(displayed(mapOf(panel)));
        } else if (panel.kind === 'map') {
            item = { kind: 'picture', height: panel.height, width: panel.width, pixels: null, maps: [displayed(mapOf(panel))] };
            out.push(item);
        } else if (panel.kind === 'path' && out.length && out[out.length - 1].kind === 'paths') {
            out[out.length - 1].panels.push(panel);
        } else if (panel.kind === 'path') {
            out.push({ kind: 'paths', panels: [panel], height: panel.height, width: panel.width });
        } else {
            out.push(panel);
        }
    }
    for (const thing of out) thing.small = thing.kind === 'picture' && !thing.maps.length;
    return out;
}

// The numbers of the maps: each number that any map has is a column; these come first, in this order.
const COLUMNS = ['score', 'sum', 'should be', 'delta', 'step errors', 'stability', 'gradients', 'values', 'seconds'];

export function mapTable(title, maps, onpick) {
    const names = [], rank = (name) => (COLUMNS.includes(name) ? COLUMNS.indexOf(name) : COLUMNS.length);
    for (const map of maps) for (const [name, value] of Object.entries(map.numbers || {})) if (value !== null && !names.includes(name)) names.push(name);
    names.sort((a, b) => rank(a) - rank(b));
    const rows = maps.map((map) => [map.name, ...names.map((name) => map.numbers?.[name] ?? null)]);
    return names.length ? table(title, ['method', ...names], rows, onpick) : null;
}

function thumbnail(item, map, look, pick) {
    const canvas = make('canvas', {});
    show(canvas, paint(item, map, { ...look, top: 100 }, 'map'));
    return make('button', { type: 'button', class: 'thumb', 'aria-pressed': 'false', onclick: pick }, canvas, make('span', {}, map.name));
}

function headOf(item) {
    const head = make('div', { class: 'head' });
    if (item.title && item.title !== 'picture') head.append(make('h2', {}, item.title));
    if (item.class) head.append(make('p', { class: 'class' }, item.class));
    if (item.note) head.append(make('p', { class: 'note' }, item.note));
    return head;
}

// Everything about one picture. The node has `add(panel)`, for maps that come later.
export function pictureView(item) {
    const look = { mode: item.maps.length ? (item.pixels ? 'overlay' : 'map') : 'picture', opacity: 0.85, top: 100, signed: false, colours: 'auto', divider: 0.5 };
    const stage = new MapView(item, look), bar = make('canvas', { class: 'bar', role: 'img' });
    const beside = new MapView(item, look), besideName = make('figcaption', {}), firstName = make('figcaption', {});
    let first = 0, second = -1, sideBySide = false;
    stage.ondraw = () => sideBySide && second >= 0 && beside.mirror(stage);
    beside.ondraw = () => sideBySide && second >= 0 && stage.mirror(beside);
    const low = make('span'), high = make('span'), rule = make('p', { class: 'note' });
    const legend = make('div', { class: 'colours' }, bar, make('div', { class: 'ends' }, low, high), rule);
    const thumbs = make('div', { class: 'thumbs', role: 'group', 'aria-label': 'Methods' }), words = make('div', { class: 'map-words', 'aria-live': 'polite' });
    const numbers = make('div'), compare = make('div');

    const refresh = () => {
        const map = item.maps[first] || null, other = second >= 0 ? item.maps[second] : null, pair = sideBySide && other !== null;
        stage.setMaps(map, pair ? null : other, pair ? other : null);
        if (pair) beside.setMaps(other, null, null);
        besideFigure.hidden = firstName.hidden = !pair;
        stages.classList.toggle('two', pair);
        firstName.textContent = map ? map.name : '';
        besideName.textContent = other ? other.name : '';
        arrangement.hidden = !other;
        [...thumbs.children].forEach((button, k) => button.setAttribute('aria-pressed', String(k === first)));
        legend.hidden = !map || look.mode === 'picture';
        dividerRow.hidden = !other || pair;
        if (!map) return;
        const shown = map.shown(look.signed);
        legendOf(bar, look);
        low.textContent = number(shown.low, 3);
        high.textContent = number(shown.high, 3);
        rule.textContent = shown.text + (other ? '; each map has its own range, this is that of the first' : '');
        bar.setAttribute('aria-label', `colours from ${low.textContent} to ${high.textContent}`);
        words.replaceChildren(make('h3', {}, map.name), ...[map.completeness, map.note].filter(Boolean).map((text) => make('p', { class: 'note' }, text)));
    };
    const pick = (k) => {
        first = k;
        if (look.mode === 'picture') modes.set(look.mode = item.pixels ? 'overlay' : 'map');
        refresh();
    };
    const modes = tabs('What is shown', [['overlay', 'Overlay'], ['map', 'Map'], ['picture', 'Picture']].filter(([key]) => key === 'map' || item.pixels), look.mode,
        (mode) => {
            look.mode = mode;
            refresh();
        });
    const dividerRow = slider('Divider', { min: 0, max: 1, step: 0.01, value: 0.5, say: (v) => `${Math.round(100 * v)} %`,
        change: (v) => {
            look.divider = v;
            stage.redraw();
        } });
    const arrangement = tabs('How two maps are compared', [['divider', 'Swipe'], ['beside', 'Side by side']], 'divider', (way) => {
        sideBySide = way === 'beside';
        refresh();
    });
    const zoomRow = slider('Zoom', { min: 1, max: 32, step: 0.5, value: 1, say: (v) => `${number(v, 3)} x`, change: (v) => stage.setZoom(v) });
    stage.onzoom = (zoom) => zoomRow.set(zoom);
    stage.ondivider = (share) => dividerRow.set(share);
    const redo = (key) => (value) => {
        look[key] = value;
        refresh();
    };
    const controls = make('div', { class: 'controls' }, modes,
        slider('Opacity', { min: 0, max: 1, step: 0.05, value: look.opacity, say: (v) => `${Math.round(100 * v)} %`, change: redo('opacity') }),
        slider('Top values', { min: 1, max: 100, step: 1, value: 100, say: (v) => (v < 100 ? `top ${v} %` : 'all'), change: redo('top') }),
        tabs('Values', [['magnitude', 'Magnitude'], ['signed', 'Signed']], 'magnitude', (v) => {
            look.signed = v === 'signed';
            for (const [k, button] of [...thumbs.children].entries()) show(button.firstChild, paint(item, item.maps[k], { ...look, top: 100 }, 'map'));
            refresh();
        }),
        choice('Colours', [['auto', 'automatic'], ...paletteNames().map((name) => [name, name])], 'auto', redo('colours')),
        zoomRow, compare, arrangement, dividerRow, legend, words);
    const besideFigure = make('figure', { hidden: true }, beside.canvas, besideName);
    const stages = make('div', { class: 'stages' }, make('figure', {}, stage.canvas, firstName), besideFigure);

    const fill = () => {
        thumbs.replaceChildren(...(item.maps.length > 1 ? item.maps.map((map, k) => thumbnail(item, map, look, () => pick(k))) : []));
        compare.replaceChildren(...(item.maps.length > 1 ? [choice('Compare with', [['-1', 'nothing'], ...item.maps.map((map, k) => [String(k), map.name])], String(second), (k) => {
            second = Number(k);
            refresh();
        })] : []));
        numbers.replaceChildren(...[mapTable('Methods', item.maps, pick)].filter(Boolean));
        refresh();
    };
    const node = make('section', { class: 'item' }, headOf(item),
        make('div', { class: 'look' }, make('div', { class: 'seen' }, stages, stage.readout, thumbs), controls), numbers);
    node.add = (panel) => {
        item.maps.push(displayed(mapOf(panel)));
        fill();
        pick(item.maps.length - 1);
    };
    node.stage = stage;
    node.selected = () => first;
    // Two maps, side by side.
    node.pair = (one, two) => {
        [first, second, sideBySide] = [one, two, true];
        arrangement.set('beside');
        fill();
    };
    node.refill = fill;
    fill();
    return node;
}

function panelView(thing) {
    switch (thing.kind) {
    case 'heading': return make('h2', { class: 'heading' }, thing.title || '');
    case 'plot': return plot(thing.title || '', thing);
    case 'table': return make('section', {}, table(thing.title || 'Table', thing.columns, thing.rows), thing.note ? make('p', { class: 'note' }, thing.note) : null);
    case 'paths': return new Paths(thing.panels, { height: thing.height, width: thing.width }, thing.panels[0].y_label).node;
    case 'array': return make('section', { class: 'item' }, headOf(thing), arrayView(thing));
    case 'picture': return thing.small ? smallPicture(thing) : pictureView(thing);
    default: return make('p', { class: 'note' }, `This viewer does not know how to show "${thing.kind}".`);
    }
}

// A picture without interaction, with its caption.
function smallPicture(panel) {
    const canvas = make('canvas', { role: 'img', 'aria-label': [panel.title, panel.note].filter(Boolean).join(', ') });
    show(canvas, paint({ height: panel.height, width: panel.width, pixels: panel.pixels }, null, { top: 100 }, 'picture'));
    return make('figure', { class: 'small' }, canvas, make('figcaption', {}, make('b', {}, panel.title || ''), make('br'), panel.note || ''));
}

// Small panels are laid out in rows.
function arranged(things) {
    const out = [];
    let row = null;
    for (const thing of things) {
        const small = thing.kind === 'plot' || thing.small;
        const node = panelView(thing);
        if (small && !row) out.push(row = make('div', { class: thing.small ? 'plots small-ones' : 'plots' }));
        if (small) row.append(node);
        else out.push(node);
        if (!small) row = null;
    }
    return out;
}

// Several pictures: one at a time, chosen from a list.
function paged(pictures) {
    const place = make('div'), made = [];
    const go = (k) => place.replaceChildren(made[k] = made[k] || pictureView(pictures[k]));
    const row = choice('Picture', pictures.map((picture, k) => [String(k), picture.title && picture.title !== 'picture' ? picture.title : `${k + 1}`]), '0', (k) => go(Number(k)));
    go(0);
    return make('div', { class: 'pages' }, row, place);
}

export function documentView(data) {
    usePalette(data.colours);
    const things = grouped(data.panels || []), pictures = things.filter((thing) => thing.kind === 'picture' && !thing.small);
    const rest = things.filter((thing) => !pictures.includes(thing));
    const stored = (data.panels || []).some((panel) => panel.kind === 'map' || panel.kind === 'array');
    const nodes = pictures.length > 1 ? [paged(pictures), ...arranged(rest)] : arranged(things);
    return make('article', {}, data.title ? make('h1', {}, data.title) : null, ...nodes,
        data.footer ? make('p', { class: 'footer' }, data.footer) : null,
        make('p', { class: 'footer' }, `Written by gig ${data.gig}.${stored ? " Maps are stored with 16 bits a value: each is exact to 1/65534 of its map's range." : ''}`));
}
