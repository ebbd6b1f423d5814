// SPDX-License-Identifier: Apache-2.0
// The ground truth: a box, drawn or typed, or a painted mask. Maps are scored against it.
import { field, make, slider } from './dom.js';

const BOX = 'object';

// Area under the ROC curve: P(inside > outside) + P(equal) / 2, of |sum over channels|. As `gig score` computes it.
export function areaUnderRoc(map, inside) {
    const sums = map.shown(true).sums, order = Array.from(sums.keys()).sort((a, b) => Math.abs(sums[a]) - Math.abs(sums[b]));
    let positives = 0, ranks = 0;
    for (let from = 0; from < order.length;) {
        let to = from;
        while (to < order.length && Math.abs(sums[order[to]]) === Math.abs(sums[order[from]])) to++;
        for (let k = from; k < to; k++) {
            if (!inside(order[k])) continue;
            positives++;
            ranks += (from + to + 1) / 2;
        }
        from = to;
    }
    const negatives = order.length - positives;
    return positives && negatives ? (ranks - positives * (positives + 1) / 2) / (positives * negatives) : null;
}

// Four whole numbers, corners in order, as [x0, y0, x1, y1]; null: it is something else.
export function boxOf(text) {
    const sides = text.split(/[ ,]+/).filter(Boolean).map(Number);
    return sides.length === 4 && sides.every((v) => Number.isInteger(v) && v >= 0) && sides[0] <= sides[2] && sides[1] <= sides[3] ? sides : null;
}

// A button that switches a tool of the stage on or off; one tool at a time.
export function toolButton(stage, tool, words) {
    const button = make('button', { type: 'button', class: 'tool', 'aria-pressed': 'false', onclick: () => {
        stage.setTool(stage.tool === tool ? null : tool);
    } }, words);
    stage.toolbox.push(() => button.setAttribute('aria-pressed', String(stage.tool === tool)));
    return button;
}

export class Truth {
    // onchange: the object has changed.
    constructor(stage, onchange) {
        Object.assign(this, { stage });
        this.input = make('input', { type: 'text', placeholder: 'x0, y0, x1, y1', size: 16, autocomplete: 'off', onchange: () => {
            stage.setBox(BOX, boxOf(this.input.value));
        } });
        this.words = make('p', { class: 'note', role: 'status' });
        this.saving = make('button', { type: 'button', hidden: true, onclick: () => this.save() }, 'Save the mask');
        const clear = make('button', { type: 'button', onclick: () => {
            stage.mask = null;
            stage.setBox(BOX, null);
        } }, 'Clear');
        const brush = slider('Brush', { min: 0, max: 40, step: 1, value: stage.brush, say: (v) => `${2 * v + 1} pixels`, change: (v) => { stage.brush = v; } });
        this.node = make('section', { class: 'truth', hidden: true, 'aria-label': 'Where the object is' }, make('h3', {}, 'Where the object is'),
            make('p', { class: 'note' }, 'Draw it to see how well each map finds it: the table gets a column AUC. With the keyboard: type the box, or move the cursor with the arrow keys and paint with the space bar.'),
            make('div', { class: 'row' }, toolButton(stage, BOX, 'Draw a box'), toolButton(stage, 'paint', 'Paint a mask'), toolButton(stage, 'erase', 'Erase'), clear, this.saving),
            make('div', { class: 'row' }, field('Box', this.input), brush), this.words);
        stage.listeners.push((name) => {
            if (name !== BOX && name !== 'mask') return;
            const box = stage.boxes[BOX];
            this.input.value = box ? box.join(', ') : '';
            this.saving.hidden = !stage.mask;
            this.tell();
            clearTimeout(this.later);
            this.later = setTimeout(onchange, 150);
        });
    }

    tell() {
        const { mask, boxes } = this.stage;
        this.words.textContent = mask ? `The mask has ${mask.reduce((sum, v) => sum + v, 0)} pixels.${boxes[BOX] ? ' It is used; the box is not.' : ''}` : '';
    }

    // Whether pixel i belongs to the object; null: nothing was drawn.
    inside() {
        const { mask, boxes, item } = this.stage, box = boxes[BOX];
        if (mask) return (i) => mask[i] === 1;
        if (!box) return null;
        const [x0, y0, x1, y1] = box, { width } = item;
        return (i) => i % width >= x0 && i % width <= x1 && Math.floor(i / width) >= y0 && Math.floor(i / width) <= y1;
    }

    // White on black, for `gig score --mask`.
    save() {
        const { mask, item } = this.stage, canvas = make('canvas', { width: item.width, height: item.height });
        const image = new ImageData(item.width, item.height);
        for (let i = 0; i < mask.length; i++) image.data.set(mask[i] ? [255, 255, 255, 255] : [0, 0, 0, 255], 4 * i);
        canvas.getContext('2d').putImageData(image, 0, 0);
        canvas.toBlob((blob) => {
            const link = make('a', { href: URL.createObjectURL(blob), download: 'mask.png' });
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        });
    }
}
