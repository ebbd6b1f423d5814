// SPDX-License-Identifier: Apache-2.0
// A table that sorts by any column; numbers sort as numbers, missing values come last.
import { make, number } from './dom.js';

const keyOf = (cell) => (cell && typeof cell === 'object' ? cell.value : cell);
const textOf = (cell) => (cell && typeof cell === 'object' ? cell.text
    : typeof cell === 'number' ? number(cell) : cell === null || cell === undefined ? '–' : String(cell));

function compare(a, b) {
    const gone = (v) => v === null || v === undefined || v === '' || (typeof v === 'number' && !Number.isFinite(v));
    if (gone(a) || gone(b)) return gone(a) - gone(b);
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
}

// columns: names; rows: arrays of texts, numbers, null or { text, value }. onpick(index of the row) makes first cells
// buttons.
export function table(title, columns, rows, onpick) {
    let by = -1, down = false;
    const body = make('tbody');
    const numeric = columns.map((_, c) => rows.some((row) => typeof keyOf(row[c]) === 'number'));
    const heads = columns.map((name, c) => make('th', { scope: 'col', class: numeric[c] ? 'number' : '' },
        make('button', { type: 'button', onclick: () => sort(c) }, name)));
    const fill = (order) => body.replaceChildren(...order.map((r) => make('tr', {}, rows[r].map((cell, c) => {
        const text = textOf(cell);
        const inside = c === 0 && onpick ? make('button', { type: 'button', onclick: () => onpick(r) }, text) : text;
        return make(c === 0 ? 'th' : 'td', { class: numeric[c] ? 'number' : '', scope: c === 0 ? 'row' : null }, inside);
    }))));
    function sort(c) {
        down = by === c ? !down : numeric[c];
        by = c;
        const order = rows.map((_, r) => r).sort((a, b) => {
            const x = keyOf(rows[a][c]), y = keyOf(rows[b][c]), way = compare(x, y);
            const gone = compare(x, null) < 0 !== compare(y, null) < 0;
            return (down && !gone ? -way : way) || a - b;
        });
        heads.forEach((head, k) => {
            if (k === c) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
        });
        fill(order);
    }
    fill(rows.map((_, r) => r));
    return make('div', { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': title },
        make('table', {}, make('caption', {}, title), make('thead', {}, make('tr', {}, heads)), body));
}
