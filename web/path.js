// SPDX-License-Identifier: Apache-2.0
// Paths from a baseline to the picture: the picture on its way, the map so far, the score along alpha. One slider moves
// all paths together; while a path is being walked, the slider follows it.
import { arrayOf } from './data.js';
import { make, number, once, slider } from './dom.js';
import { displayed, paint, show } from './paint.js';
import { plot } from './plot.js';

const look = { mode: 'map', opacity: 1, top: 100, signed: false, colours: 'auto', divider: 0.5 };

class Film {
    constructor(panel, size) {
        this.name = panel.title || 'path';
        this.note = panel.note || '';
        this.size = size;
        this.frames = (panel.frames || []).map((frame) => ({ ...frame }));
        this.alpha = panel.alpha ? [...panel.alpha] : this.frames.map((frame) => frame.alpha);
        this.value = panel.value ? [...panel.value] : this.frames.map((frame) => frame.value);
        this.picture = make('canvas', { role: 'img' });
        this.map = make('canvas', { role: 'img' });
        this.words = make('p', { class: 'words' });
        this.node = make('section', { class: 'film', 'aria-label': this.name }, make('h3', {}, this.name),
            this.note ? make('p', { class: 'note' }, this.note) : null,
            make('div', { class: 'pair' },
                make('figure', {}, this.picture, make('figcaption', {}, 'on the path')),
                make('figure', {}, this.map, make('figcaption', {}, 'attributed so far'))), this.words);
    }

    frameNear(alpha) {
        let best = null;
        for (const frame of this.frames) if (!best || Math.abs(frame.alpha - alpha) <= Math.abs(best.alpha - alpha)) best = frame;
        return best;
    }

    // A path walked in pieces: a frame holds the map of its own piece, to which the finished pieces before it are added.
    soFar(frame) {
        const values = arrayOf(frame.map);
        for (const [walk, total] of this.totals || []) {
            if (walk >= frame.walk) continue;
            for (let i = 0; i < values.length; i++) values[i] += total[i];
        }
        return values;
    }

    addWalk(walk, stored) {
        this.totals = this.totals || new Map();
        this.totals.set(walk, arrayOf(stored));
        this.drawn = null;
    }

    draw(alpha) {
        const frame = this.frameNear(alpha);
        if (!frame) {
            this.words.textContent = 'waiting for the first point';
            return;
        }
        if (frame === this.drawn) return;
        this.drawn = frame;
        const item = { ...this.size, pixels: arrayOf(frame.pixels) };
        show(this.picture, paint(item, null, look, 'picture'));
        if (frame.map) {
            const map = displayed({ values: this.soFar(frame), channels: 1 });
            show(this.map, paint({ ...this.size }, map, look, 'map'));
        }
        const where = `alpha ${number(frame.alpha, 3)}, score ${number(frame.value)}`;
        this.words.textContent = where;
        this.picture.setAttribute('aria-label', `${this.name}: the picture at ${where}`);
        this.map.setAttribute('aria-label', `${this.name}: the map so far at ${where}`);
    }
}

export class Paths {
    // panels: paths of one picture; y_label: the score's name.
    constructor(panels, size, yLabel) {
        this.size = size;
        this.films = panels.map((panel) => new Film(panel, size));
        this.at = 1;
        this.following = true;
        this.slider = slider('Share of the way (alpha)', { min: 0, max: 1, step: 0.005, value: 1, say: (v) => v.toFixed(3),
            change: (v) => this.go(v, true) });
        this.play = make('button', { type: 'button', onclick: () => this.toggle() }, 'Play');
        this.yLabel = yLabel || 'score';
        this.figure = plot('Score along the path', this.spec());
        this.node = make('section', { class: 'paths', 'aria-label': 'Along the path' },
            make('div', { class: 'row' }, this.slider, this.play),
            make('div', { class: 'films' }, this.films.map((film) => film.node), this.figure));
        this.redraw = once(() => this.draw());
        this.redraw();
    }

    spec() {
        return { x_label: 'alpha', y_label: this.yLabel, x_range: [0, 1], zero_line: true,
            series: this.films.map((film) => ({ name: film.name, x: film.alpha, y: film.value })) };
    }

    // Points that were just walked, in any order, and a frame (or null) with its pixels and map.
    add(k, alphas, values, frame) {
        const film = this.films[k];
        const points = [...film.alpha.map((a, i) => [a, film.value[i]]), ...alphas.map((a, i) => [a, values[i]])];
        points.sort((a, b) => a[0] - b[0]);
        film.alpha = points.map(([a]) => a);
        film.value = points.map(([, v]) => v);
        if (frame) {
            film.frames.push(frame);
            film.frames.sort((a, b) => a.alpha - b.alpha);
        }
        this.stale = true;
        if (this.following && frame) this.go(frame.alpha, false);
        this.redraw();
    }

    addWalk(k, walk, stored) {
        this.films[k].addWalk(walk, stored);
        this.redraw();
    }

    // A path that will be computed now.
    addFilm(panel) {
        const film = new Film(panel, this.size);
        this.films.push(film);
        this.figure.before(film.node);
        this.following = true;
        this.redraw();
        return this.films.length - 1;
    }

    go(alpha, byHand) {
        if (byHand) this.following = false;
        else this.slider.set(alpha);
        this.at = alpha;
        this.redraw();
    }

    draw() {
        for (const film of this.films) film.draw(this.at);
        if (this.stale) this.figure.draw(this.spec());
        this.stale = false;
        this.figure.mark(this.at);
    }

    toggle() {
        if (this.timer) {
            clearInterval(this.timer);
            this.timer = null;
        } else {
            if (this.at >= 1) this.go(0, false);
            this.timer = setInterval(() => {
                this.go(Math.min(1, this.at + 0.02), false);
                if (this.at >= 1) this.toggle();
            }, 80);
        }
        this.play.textContent = this.timer ? 'Pause' : 'Play';
    }
}
