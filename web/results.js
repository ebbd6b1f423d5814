// SPDX-License-Identifier: Apache-2.0
// One picture and all that was found about it: maps, paths, numbers, files.
import { save } from './client.js';
import { field, make, number } from './dom.js';
import { Paths } from './path.js';
import { pictureView } from './viewer.js';

// [channels, pixels] -> [pixels, channels]
function interleaved(bytes, channels) {
    const from = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), to = new Uint32Array(from.length);
    const pixels = from.length / channels;
    for (let i = 0; i < from.length; i++) to[(i % pixels) * channels + Math.floor(i / pixels)] = from[i];
    return new Uint8Array(to.buffer);
}

// Area under the ROC curve: P(inside > outside) + P(equal) / 2, of |sum over channels|. As `gig score --boxes`.
export function boxArea(map, { width }, [x0, y0, x1, y1]) {
    const sums = map.shown(true).sums, order = Array.from(sums.keys()).sort((a, b) => Math.abs(sums[a]) - Math.abs(sums[b]));
    const inside = (i) => i % width >= x0 && i % width <= x1 && Math.floor(i / width) >= y0 && Math.floor(i / width) <= y1;
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

const quoted = (text) => (/^[\w@%+=:,.\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export class Results {
    // picture: { id, name, file }, size and pixels as the job "classes" told them.
    constructor(picture, model, pictureJob, size, pixels) {
        Object.assign(this, { picture, model, pictureJob, size, jobs: [], box: null });
        this.item = { ...size, pixels, maps: [], title: picture.name };
        this.view = pictureView(this.item);
        this.paths = null;
        this.pathPlace = make('div');
        this.command = make('code', { class: 'command' });
        this.status = make('p', { class: 'note', role: 'status' });
        const formats = [['png', 'PNG'], ['svg', 'SVG'], ['pdf', 'PDF'], ['html', 'report.html'], ['npy', 'NPY of this map'], ['json', 'JSON']];
        this.files = make('section', { class: 'files', hidden: true, 'aria-label': 'Save' }, make('h3', {}, 'Save'),
            make('div', { class: 'row' }, formats.map(([format, words]) => make('button', { type: 'button', onclick: () => this.save(format) }, words))),
            make('p', { class: 'note' }, 'The same map from the command line:'), this.command,
            make('div', { class: 'row' }, make('button', { type: 'button', onclick: () => this.copy() }, 'Copy the command')), this.status);
        this.node = make('div', {}, this.pathPlace, this.view, this.boxRow(), this.files);
        this.view.addEventListener('click', () => this.tell());
    }

    // A box around the object: drawn, or typed.
    boxRow() {
        const { stage } = this.view;
        const input = make('input', { type: 'text', placeholder: 'x0, y0, x1, y1', size: 16, autocomplete: 'off', onchange: () => {
            const sides = input.value.split(/[ ,]+/).filter(Boolean).map(Number);
            stage.setBox(sides.length === 4 && sides.every(Number.isInteger) && sides[0] <= sides[2] && sides[1] <= sides[3] ? sides : null);
        } });
        const toggle = make('button', { type: 'button', 'aria-pressed': 'false', onclick: () => {
            stage.boxing = !stage.boxing;
            toggle.setAttribute('aria-pressed', String(stage.boxing));
        } }, 'Draw a box');
        stage.onbox = (box) => {
            this.box = box;
            input.value = box ? box.join(', ') : '';
            clearTimeout(this.later);
            this.later = setTimeout(() => this.count(), 150);
        };
        return make('div', { class: 'row' }, toggle, field('Box around the object', input));
    }

    // The numbers of the table, with the area under the ROC curve where there is a box.
    count() {
        for (const map of this.item.maps) {
            delete map.numbers.AUC;
            if (this.box) map.numbers.AUC = boxArea(map, this.item, this.box);
        }
        this.view.refill();
    }

    nameOf(json) {
        const first = this.jobs[0];
        if (!first || first.json.class === json.class) return json.method;
        return `${json.method}, ${json.class_name ? json.class_name.split(',')[0] : `class ${json.class}`}`;
    }

    addMap(id, request, json, bytes) {
        const wanted = json.numbers.value_input === null || json.numbers.value_baseline === null ? null : json.numbers.value_input - json.numbers.value_baseline;
        const title = this.nameOf(json);
        this.jobs.push({ id, request, json });
        const label = json.class_name ? `${json.class_name.split(',')[0]} (class ${json.class})` : `class ${json.class}`;
        this.view.add({ title, channels: json.channels, note: `${label}, ${json.of} ${number(json.value)}`,
            values: { type: 'f32', data: json.planar && json.channels > 1 ? interleaved(bytes, json.channels) : bytes },
            numbers: { sum: json.numbers.sum, 'should be': wanted, delta: json.numbers.delta, stability: json.numbers.stability,
                gradients: json.numbers.evaluations, seconds: json.numbers.seconds } });
        if (this.box) this.count();
        this.files.hidden = false;
        this.tell();
    }

    // A path that is about to be walked; paths of one click stand side by side.
    addPath(title, fresh, score) {
        if (!this.paths || fresh) {
            this.paths = new Paths([], this.size, score);
            this.pathPlace.replaceChildren(make('h3', {}, 'Along the path'), this.paths.node);
        }
        return { paths: this.paths, k: this.paths.addFilm({ title }) };
    }

    chosen() {
        return this.jobs[Math.min(this.view.selected(), this.jobs.length - 1)];
    }

    tell() {
        if (!this.jobs.length) return;
        const { request, json } = this.chosen();
        this.command.textContent = ['gig', 'explain', this.model.file, this.picture.file || this.picture.name, '-m', json.method, '--class', String(json.class),
            ...(request.of ? ['--of', request.of] : []), ...(request.seed ? ['--seed', String(request.seed)] : []), '--npy', 'map.npy'].map(quoted).join(' ');
    }

    async copy() {
        try {
            await navigator.clipboard.writeText(this.command.textContent);
            this.status.textContent = 'Copied.';
        } catch {
            getSelection().selectAllChildren(this.command);
            this.status.textContent = 'Selected: press Ctrl-C.';
        }
    }

    async save(format) {
        const maps = format === 'npy' ? [this.chosen()] : this.jobs.slice(-12);
        this.status.textContent = 'Drawing …';
        try {
            await save({ format, title: this.picture.name, picture_job: this.pictureJob, jobs: maps.map((job) => job.id) },
                format === 'html' ? 'report.html' : `gig.${format}`);
            this.status.textContent = 'Saved.';
        } catch (error) {
            this.status.textContent = error.message;
        }
    }
}
