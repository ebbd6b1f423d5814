// SPDX-License-Identifier: Apache-2.0
// One picture and all its results: maps, paths, numbers, files.
import { save } from './client.js';
import { field, make, number } from './dom.js';
import { Paths } from './path.js';
import { areaUnderRoc, boxOf, toolButton, Truth } from './ground_truth.js';
import { pictureView } from './viewer.js';

// [channels, pixels] -> [pixels, channels]
function interleaved(bytes, channels) {
    const from = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), to = new Uint32Array(from.length);
    const pixels = from.length / channels;
    for (let i = 0; i < from.length; i++) to[(i % pixels) * channels + Math.floor(i / pixels)] = from[i];
    return new Uint8Array(to.buffer);
}

const REGION = 'region';

const quoted = (text) => (/^[\w@%+=:,.\/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export class Results {
    // picture: { id, name, file }, size and pixels as the job "classes" told them.
    constructor(picture, model, pictureJob, size, pixels) {
        Object.assign(this, { picture, model, pictureJob, size, jobs: [] });
        this.item = { ...size, pixels, maps: [], title: picture.name };
        this.view = pictureView(this.item);
        this.truth = new Truth(this.view.stage, () => this.count());
        this.paths = null;
        this.pathPlace = make('div');
        this.command = make('code', { class: 'command' });
        this.status = make('p', { class: 'note', role: 'status' });
        const formats = [['png', 'PNG'], ['svg', 'SVG'], ['pdf', 'PDF'], ['html', 'report.html'], ['npy', 'NPY of this map'], ['json', 'JSON']];
        this.files = make('section', { class: 'files', hidden: true, 'aria-label': 'Save' }, make('h3', {}, 'Save'),
            make('div', { class: 'row' }, formats.map(([format, words]) => make('button', { type: 'button', onclick: () => this.save(format) }, words))),
            make('p', { class: 'note' }, 'The same map from the command line:'), this.command,
            make('div', { class: 'row' }, make('button', { type: 'button', onclick: () => this.copy() }, 'Copy the command')), this.status);
        this.node = make('div', {}, this.pathPlace, this.view, model.region ? this.regionRow() : null, this.truth.node, this.files);
        this.view.addEventListener('click', () => this.tell());
    }

    // The region of the output that is explained: the pixels predicted as the class, or a box.
    regionRow() {
        const { stage } = this.view;
        const input = make('input', { type: 'text', placeholder: 'predicted', size: 16, autocomplete: 'off', onchange: () => stage.setBox(REGION, boxOf(input.value)) });
        stage.listeners.push((name) => {
            if (name !== REGION) return;
            input.value = this.region();
            clearTimeout(this.ranking);
            this.ranking = setTimeout(() => this.onregion && this.onregion(), 300);
        });
        return make('section', { class: 'region', 'aria-label': 'Region of the output' }, make('h3', {}, 'Region of the output'),
            make('p', { class: 'note' }, 'The mean of the class over this region is explained: a box, or the pixels predicted as the class.'),
            make('div', { class: 'row' }, toolButton(stage, REGION, 'Draw the region'), make('button', { type: 'button', onclick: () => stage.setBox(REGION, null) }, 'Predicted'), field('Region', input)));
    }

    region() {
        const box = this.view.stage.boxes[REGION];
        return box ? box.join(',') : '';
    }

    // The numbers of the table, with the area under the ROC curve where the object was drawn.
    count() {
        const inside = this.truth.inside();
        for (const map of this.item.maps) {
            delete map.numbers.AUC;
            if (inside) map.numbers.AUC = areaUnderRoc(map, inside);
        }
        this.view.refill();
    }

    // The method; also the class and the region if they differ from those of the first map.
    nameOf(request, json) {
        const first = this.jobs[0] || { json, request }, parts = [json.method];
        if (first.json.class !== json.class) parts.push(json.class_name ? json.class_name.split(',')[0] : `class ${json.class}`);
        if ((first.request.region || '') !== (request.region || '')) parts.push(request.region ? `region ${request.region}` : 'predicted region');
        return parts.join(', ');
    }

    addMap(id, request, json, bytes) {
        const wanted = json.numbers.value_input === null || json.numbers.value_baseline === null ? null : json.numbers.value_input - json.numbers.value_baseline;
        const title = this.nameOf(request, json);
        this.jobs.push({ id, request, json });
        const label = json.class_name ? `${json.class_name.split(',')[0]} (class ${json.class})` : `class ${json.class}`;
        this.view.add({ title, channels: json.channels, note: `${label}, ${json.of} ${number(json.value)}`,
            values: { type: 'f32', data: json.planar && json.channels > 1 ? interleaved(bytes, json.channels) : bytes },
            numbers: { score: json.value, sum: json.numbers.sum, 'should be': wanted, delta: json.numbers.delta, stability: json.numbers.stability,
                gradients: json.numbers.evaluations, seconds: json.numbers.seconds } });
        if (this.truth.inside()) this.count();
        this.files.hidden = this.truth.node.hidden = false;
        const last = this.jobs.length - 1, rival = request.rivalOf === undefined ? -1 : this.jobs.findLastIndex((job) => job.id === request.rivalOf);
        if (rival >= 0) this.view.pair(rival, last);
        this.tell();
    }

    // A path that will be computed now; paths of one click are shown side by side.
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
            ...(request.of ? ['--of', request.of] : []), ...(this.model.region ? ['--region', request.region || 'predicted'] : []), ...(request.seed ? ['--seed', String(request.seed)] : []), '--npy', 'map.npy'].map(quoted).join(' ');
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
