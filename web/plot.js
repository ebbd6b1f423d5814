// SPDX-License-Identifier: Apache-2.0
// Line plots: axes with round ticks, lines told apart by colour and by dashes, a mark that can move.
import { make, number, svg } from './dom.js';

const WIDE = 340, HIGH = 240, LEFT = 52, RIGHT = 10, TOP = 10, BOTTOM = 38;
const DASHES = ['', '6 3', '2 3', '8 3 2 3', '12 4', '1 2'];

function ticks(low, high) {
    const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * 0.999), out = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) out.push(Math.abs(at) < step * 1e-9 ? 0 : at);
    return out;
}

function rangeOf(all, low, high, zero) {
    if (low < high) return [low, high];
    let least = Infinity, most = -Infinity;
    for (const values of all) {
        for (const v of values) {
            if (!Number.isFinite(v)) continue;
            least = Math.min(least, v);
            most = Math.max(most, v);
        }
    }
    if (zero) [least, most] = [Math.min(0, least), Math.max(0, most)];
    if (!(least <= most)) return [0, 1];
    if (least === most) return [least - 0.5, most + 0.5];
    const room = 0.04 * (most - least);
    return [least - (zero && least === 0 ? 0 : room), most + room];
}

// plot: { x_label, y_label, x_range, y_range, zero_line, diagonal, marks, series: [{ name, x, y, low, high, dashed, dots }] }
export function plot(title, spec) {
    const root = svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, class: 'plot', role: 'img' });
    const legend = make('ul', { class: 'legend' });
    const figure = make('figure', { class: 'plotted' }, make('figcaption', {}, title), root, legend);
    let scale = null;

    function line(series, x, y) {
        let path = '', open = false;
        series.x.forEach((v, i) => {
            const ok = Number.isFinite(v) && Number.isFinite(series.y[i]) && series.y[i] !== null && v !== null;
            if (ok) path += `${open ? 'L' : 'M'}${x(v).toFixed(1)} ${y(series.y[i]).toFixed(1)}`;
            open = ok;
        });
        return path;
    }

    function draw(now) {
        const series = now.series || [];
        const [x0, x1] = rangeOf(series.map((s) => s.x), ...(now.x_range || [0, 0]));
        const [y0, y1] = rangeOf(series.flatMap((s) => [s.y, s.low || [], s.high || []]), ...(now.y_range || [0, 0]), now.zero_line);
        const x = (v) => LEFT + (v - x0) / (x1 - x0) * (WIDE - LEFT - RIGHT);
        const y = (v) => HIGH - BOTTOM - (v - y0) / (y1 - y0) * (HIGH - BOTTOM - TOP);
        scale = { x, x0, x1 };
        root.replaceChildren();
        root.setAttribute('aria-label', `${title}: ${now.y_label || ''} over ${now.x_label || ''}`);
        const text = (at, words, more) => {
            const node = svg('text', { ...at, ...more });
            node.textContent = words;
            root.append(node);
        };
        for (const t of ticks(x0, x1)) {
            root.append(svg('line', { class: 'grid', x1: x(t), x2: x(t), y1: TOP, y2: HIGH - BOTTOM }));
            text({ x: x(t), y: HIGH - BOTTOM + 14 }, number(t, 3), { 'text-anchor': 'middle' });
        }
        for (const t of ticks(y0, y1)) {
            root.append(svg('line', { class: t === 0 ? 'zero' : 'grid', x1: LEFT, x2: WIDE - RIGHT, y1: y(t), y2: y(t) }));
            text({ x: LEFT - 5, y: y(t) + 4 }, number(t, 3), { 'text-anchor': 'end' });
        }
        if (now.diagonal) root.append(svg('line', { class: 'mark', x1: x(x0), y1: y(y0), x2: x(x1), y2: y(y1) }));
        for (const at of now.marks || []) root.append(svg('line', { class: 'mark', x1: x(at), x2: x(at), y1: TOP, y2: HIGH - BOTTOM }));
        text({ x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6 }, now.x_label || '', { 'text-anchor': 'middle' });
        text({ x: 12, y: (TOP + HIGH - BOTTOM) / 2 }, now.y_label || '',
            { 'text-anchor': 'middle', transform: `rotate(-90 12 ${(TOP + HIGH - BOTTOM) / 2})` });
        series.forEach((s, k) => {
            const style = { class: `line c${k % 6}`, 'stroke-dasharray': s.dashed ? '5 4' : DASHES[k % 6] };
            if (s.low && s.high) {
                const there = line({ x: s.x, y: s.high }, x, y), back = line({ x: [...s.x].reverse(), y: [...s.low].reverse() }, x, y);
                root.append(svg('path', { class: `band c${k % 6}`, d: `${there}L${back.slice(1)}Z` }));
            }
            if (!s.hide_line) root.append(svg('path', { ...style, d: line(s, x, y) }));
            if (s.dots) {
                s.x.forEach((v, i) => {
                    if (Number.isFinite(v) && Number.isFinite(s.y[i])) root.append(svg('circle', { class: `dot c${k % 6}`, cx: x(v), cy: y(s.y[i]), r: 2.5 }));
                });
            }
        });
        legend.replaceChildren(...series.filter((s) => s.name).map((s) => {
            const k = series.indexOf(s);
            return make('li', {}, svg('svg', { viewBox: '0 0 30 8', class: 'key', 'aria-hidden': 'true' },
                svg('line', { class: `line c${k % 6}`, 'stroke-dasharray': s.dashed ? '5 4' : DASHES[k % 6], x1: 0, x2: 30, y1: 4, y2: 4 })), s.name);
        }));
    }

    // A vertical line that marks a position shown elsewhere.
    figure.mark = (at) => {
        root.querySelector('.cursor')?.remove();
        if (!scale || !(at >= scale.x0 && at <= scale.x1)) return;
        root.append(svg('line', { class: 'cursor', x1: scale.x(at), x2: scale.x(at), y1: TOP, y2: HIGH - BOTTOM }));
    };
    figure.draw = draw;
    draw(spec);
    return figure;
}
