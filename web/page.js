// SPDX-License-Identifier: Apache-2.0
// The page of `gig serve`: choose a picture, a class and a method; watch; inspect the results.
import { ask, askJson, follow } from './client.js';
import { field, make, number } from './dom.js';
import { MethodForm } from './form.js';
import { usePalette } from './paint.js';
import { Results } from './results.js';

const place = document.getElementById('view');

class Page {
    constructor(state) {
        this.state = state;
        this.model = state.model;
        this.pictures = state.pictures;
        this.results = new Map(); // by picture
        this.group = 0;
        usePalette(state.colours);
        this.alert = make('p', { role: 'alert' });
        this.jobs = make('ul', { class: 'jobs', 'aria-label': 'Jobs', 'aria-busy': 'false' });
        this.under = 0; // requests and jobs under way
        this.best = make('div', { class: 'best', role: 'radiogroup', 'aria-label': 'Class' });
        this.form = new MethodForm(state);
        this.beside = make('input', { type: 'checkbox', checked: true });
        this.beside.checked = true;
        this.besideRow = make('label', { class: 'check' }, this.beside, ' walk ig beside it');
        this.form.onchange = () => this.offer();
        this.explainButton = make('button', { type: 'button', class: 'main', disabled: true, onclick: () => this.explain() }, 'Explain');
        this.found = make('div', { class: 'found' }, make('p', { class: 'note' }, 'Choose a picture to begin.'));
        this.node = make('div', { class: 'page' }, make('aside', {}, make('h1', {}, this.model.model),
            ...this.model.remarks.map((text) => make('p', { class: 'note' }, text)),
            this.pictureChooser(), this.classChooser(), this.form.node, this.besideRow, this.explainButton, this.alert, this.jobs, this.form.details), this.found);
        this.offer();
    }

    // ---- the picture ----

    pictureChooser() {
        this.select = make('select', { onchange: () => this.choose(Number(this.select.value)) });
        this.listPictures();
        const file = make('input', { type: 'file', accept: 'image/jpeg,image/png,image/webp', onchange: () => file.files[0] && this.upload(file.files[0]) });
        const drop = make('div', { class: 'drop' }, field('Picture', this.select), field('or a file', file), make('p', { class: 'note' }, 'JPEG, PNG or WebP; you can drop one anywhere on this page.'));
        addEventListener('dragover', (event) => event.preventDefault());
        addEventListener('drop', (event) => {
            event.preventDefault();
            if (event.dataTransfer.files[0]) this.upload(event.dataTransfer.files[0]);
        });
        return drop;
    }

    listPictures() {
        this.select.replaceChildren(make('option', { value: '', disabled: true, selected: true }, this.pictures.length ? 'choose one' : 'none yet'),
            ...this.pictures.map((picture) => make('option', { value: String(picture.id) }, picture.name)));
    }

    async upload(file) {
        await this.guarded(async () => {
            const answer = await ask('/api/pictures', { method: 'POST', body: file, headers: { 'X-Picture-Name': encodeURIComponent(file.name) } });
            const picture = await answer.json();
            this.pictures.push(picture);
            this.listPictures();
            await this.choose(picture.id);
        });
    }

    async choose(id) {
        await this.guarded(async () => {
            this.current = id;
            this.select.value = String(id);
            const known = this.results.get(id);
            if (known) this.show(known);
            else {
                this.explainButton.disabled = true;
                await this.rank(id, '');
            }
        });
    }

    // The best classes; of a region where the model has one.
    async rank(picture, region) {
        const request = { type: 'classes', picture, region };
        await this.track((await askJson('/api/jobs', request)).id, request, picture);
    }

    show(entry) {
        this.found.replaceChildren(entry.results.node);
        this.showBest(entry);
        this.explainButton.disabled = false;
    }

    // ---- the class ----

    classChooser() {
        const list = make('datalist', { id: 'classes' }, this.model.classes.slice(0, 20000).map((name, i) => make('option', { value: name === null ? String(i) : name.split(',')[0] }, `class ${i}`)));
        this.other = make('input', { type: 'search', placeholder: 'name or number', autocomplete: 'off', oninput: () => this.other.value && this.uncheck() });
        this.other.setAttribute('list', 'classes');
        this.rival = make('select', {});
        this.rivalRow = field('Why not', this.rival);
        this.rivalRow.hidden = true;
        return make('div', { class: 'classes' }, this.best, field('Other class', this.other), this.rivalRow, list);
    }

    uncheck() {
        for (const input of this.best.querySelectorAll('input')) input.checked = false;
    }

    // The class that the user chose, by name or number.
    classWords(text) {
        return /^\d+$/.test(text) ? this.nameOf(Number(text), this.model.classes[Number(text)]) : text;
    }

    nameOf(index, name) {
        return name ? `${name.split(',')[0]}` : `class ${index}`;
    }

    showBest({ best, results }) {
        this.best.replaceChildren(...best.map(({ index, name, value }, k) => {
            const input = make('input', { type: 'radio', name: 'class', value: String(index), checked: k === 0, onchange: () => { this.other.value = ''; } });
            const bar = make('span', { class: 'share' });
            bar.style.width = `${100 * Math.min(1, Math.max(0, value))}%`;
            return make('label', { class: 'class-row' }, input, make('span', {}, this.nameOf(index, name)), make('span', { class: 'value' }, number(value, 3)), make('span', { class: 'track' }, bar));
        }));
        this.other.value = '';
        this.rivalRow.hidden = best.length < 2;
        this.rival.replaceChildren(make('option', { value: '' }, 'ask about one class'), ...best.map(({ index, name }) => make('option', { value: String(index) }, this.nameOf(index, name))));
        if (results) results.tell();
    }

    classWanted() {
        const checked = this.best.querySelector('input:checked');
        return this.other.value.trim() || (checked ? checked.value : '');
    }

    // ---- explaining ----

    // Path methods can be shown side by side with the straight line.
    offer() {
        const row = this.form.row();
        this.besideRow.hidden = !row.path || row.name === 'ig';
    }

    async explain() {
        await this.guarded(async () => {
            const row = this.form.row(), methods = [this.form.value()];
            if (this.beside.checked && !this.besideRow.hidden) methods.unshift(this.form.value('ig'));
            const group = ++this.group, wanted = row.model ? this.classWanted() : '', region = this.results.get(this.current).results.region();
            const requests = methods.map((method) => ({ type: 'explain', picture: this.current, method, class: wanted, region }));
            if (row.model && this.rival.value && this.rival.value !== wanted) requests.push({ ...requests[requests.length - 1], class: this.rival.value });
            let last = null;
            for (const [k, request] of requests.entries()) {
                const { id } = await askJson('/api/jobs', request);
                const rivalOf = k === methods.length ? last : undefined; // its map is shown beside that job's
                last = id;
                this.track(id, { ...request, rivalOf }, this.current, group).catch((error) => this.complain(error));
            }
        });
    }

    // Follows one job to its end, showing it in the list meanwhile.
    async track(id, request, picture, group) {
        const words = make('span', {}, 'waiting'), bar = make('progress', { max: 1, 'aria-label': 'how far the job is' });
        const cancel = make('button', { type: 'button', onclick: () => askJson(`/api/jobs/${id}/cancel`, {}).catch((error) => this.complain(error)) }, 'Cancel');
        const name = request.type === 'classes' ? 'classes' : request.method + (request.rivalOf === undefined ? '' : `, ${this.classWords(request.class)}`);
        const line = make('li', {}, make('b', {}, name), ' ', words, bar, cancel);
        this.jobs.append(line);
        const job = { id, request, picture, group, words, bar, line, film: null, ended: false };
        this.busy(1);
        try {
            await follow(id, (json, bytes) => this.take(job, json, bytes));
            if (!job.ended) this.finish(job, 'the server has stopped', true);
        } catch (error) {
            this.finish(job, error.message, true);
        }
        this.busy(-1);
    }

    take(job, json, bytes) {
        switch (json.type) {
        case 'progress': {
            const rate = json.done / json.seconds, left = (json.expected - json.done) / rate;
            job.bar.max = json.expected || 1;
            job.bar.value = json.done;
            job.words.textContent = `${json.done} of ${json.expected}${Number.isFinite(left) ? `, ${number(rate, 3)} a second, ${Math.ceil(left)} s left` : ''}`;
            return;
        }
        case 'frame':
        case 'walk': this.takePath(job, json, bytes); return;
        case 'done': this.takeDone(job, json, bytes); return;
        case 'cancelled': this.finish(job, 'cancelled', true); return;
        case 'failed': this.finish(job, json.message || 'failed', true); return;
        default:
        }
    }

    // Frames of a path come while it is walked, whole walks at their ends.
    takePath(job, json, bytes) {
        const entry = this.results.get(job.picture);
        if (!entry) return;
        if (!job.film) {
            const { method, rivalOf } = job.request, rival = rivalOf === undefined ? '' : `, ${this.classWords(job.request.class)}`;
            job.film = entry.results.addPath(method + rival, entry.group !== job.group, 'score');
            entry.group = job.group;
        }
        const { paths, k } = job.film, pixels = entry.results.size.height * entry.results.size.width;
        const map = { type: 'i8', scale: json.scale };
        if (json.type === 'walk') {
            paths.addWalk(k, json.walk, { ...map, data: bytes });
            paths.add(k, json.alphas, json.values, null);
        } else {
            paths.add(k, json.alphas, json.values, { alpha: json.alpha, value: json.value, walk: json.walk,
                pixels: { type: 'u8', data: bytes.subarray(0, 3 * pixels) }, map: { ...map, data: bytes.subarray(3 * pixels) } });
        }
    }

    takeDone(job, json, bytes) {
        if (job.request.type === 'classes') {
            const picture = this.pictures.find((one) => one.id === job.picture) || { id: job.picture, name: 'picture' };
            const known = this.results.get(job.picture);
            const entry = known || { results: new Results(picture, this.model, job.id, { height: json.height, width: json.width }, bytes) };
            entry.best = json.best;
            entry.results.pictureJob = job.id;
            entry.results.onregion = () => this.guarded(() => this.rank(job.picture, entry.results.region()));
            this.results.set(job.picture, entry);
            if (this.current === job.picture) this.show(entry);
            job.line.remove();
            job.ended = true;
            return;
        }
        this.results.get(job.picture)?.results.addMap(job.id, job.request, json, bytes);
        this.finish(job, `done, ${number(json.numbers.seconds, 3)} s`, false);
    }

    finish(job, text, bad) {
        job.ended = true;
        job.words.textContent = text;
        job.line.classList.toggle('bad', bad);
        job.bar.remove();
        job.line.querySelector('button')?.remove();
        while (this.jobs.querySelectorAll('li:not(:has(button))').length > 6) this.jobs.querySelector('li:not(:has(button))').remove();
        if (bad && job.request.type === 'classes') this.complain(new Error(text));
    }

    // ---- errors ----

    complain(error) {
        this.alert.textContent = error.message;
    }

    busy(more) {
        this.under += more;
        this.jobs.setAttribute('aria-busy', String(this.under > 0));
    }

    async guarded(action) {
        this.alert.textContent = '';
        this.busy(1);
        try {
            await action();
        } catch (error) {
            this.complain(error);
        }
        this.busy(-1);
    }

    // Restores what the server still has after the page was reloaded.
    async restore() {
        const { jobs } = this.state, last = jobs[jobs.length - 1];
        if (!last) {
            if (this.pictures.length === 1) await this.choose(this.pictures[0].id);
            return;
        }
        this.current = last.picture;
        this.select.value = String(last.picture);
        for (const job of jobs.filter((one) => one.request.type === 'classes' && one.state === 'done')) await this.track(job.id, job.request, job.picture);
        const under = (job) => job.state === 'queued' || job.state === 'running';
        for (const job of jobs.filter((one) => one.request.type === 'explain')) { // in their order
            const followed = this.track(job.id, job.request, job.picture, 0);
            if (!under(job)) await followed;
        }
        const waiting = jobs.find((one) => one.request.type === 'classes' && one.picture === last.picture && under(one));
        if (waiting && !this.results.has(last.picture)) await this.track(waiting.id, waiting.request, waiting.picture);
    }
}

try {
    const page = new Page(await askJson('/api/state'));
    document.title = `${page.model.model} - gig`;
    place.setAttribute('aria-busy', 'true');
    place.replaceChildren(page.node);
    await page.restore();
    place.setAttribute('aria-busy', 'false');
} catch (error) {
    place.replaceChildren(make('p', { role: 'alert' }, `The page cannot be shown: ${error.message}`));
}
