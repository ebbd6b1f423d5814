// SPDX-License-Identifier: Apache-2.0
// One picture with one map, or two maps with a divider between: zoom, pan, and a cursor that reads the numbers.
import { make, number, once } from './dom.js';
import { canvasOf, paint } from './paint.js';

const MOST_ZOOM = 32, GRIP = 18;

export class Stage {
    // look: { mode, opacity, top, signed, colours, divider }, shared with the controls.
    constructor(item, look) {
        Object.assign(this, { item, look, zoom: 1, x: 0.5, y: 0.5, cursor: null, first: null, second: null });
        this.canvas = make('canvas', { class: 'stage', tabIndex: 0, role: 'img' });
        this.readout = make('output', { class: 'readout' });
        this.readout.id = `readout-${Math.random().toString(36).slice(2)}`;
        this.canvas.setAttribute('aria-describedby', this.readout.id);
        this.redraw = once(() => this.draw());
        this.watch();
        new ResizeObserver(this.redraw).observe(this.canvas);
    }

    // Which maps are shown; second is null unless two are compared.
    setMaps(first, second) {
        Object.assign(this, { first, second });
        this.repaint();
    }

    repaint() {
        const { mode } = this.look;
        this.canvas.setAttribute('aria-label', this.second
            ? `${this.first.name} on the left, ${this.second.name} on the right of the divider`
            : mode === 'picture' || !this.first ? 'picture' : `${mode} of ${this.first.name}`);
        this.layers = [this.first, this.second].map((map, k) =>
            (k && !map) ? null : canvasOf(paint(this.item, map, this.look, map ? mode : 'picture')));
        this.redraw();
        this.tell();
    }

    setZoom(zoom) {
        this.zoom = Math.min(MOST_ZOOM, Math.max(1, zoom));
        this.clampCentre();
        if (this.onzoom) this.onzoom(this.zoom);
        this.redraw();
    }

    clampCentre() {
        const half = 0.5 / this.zoom;
        this.x = Math.min(1 - half, Math.max(half, this.x));
        this.y = Math.min(1 - half, Math.max(half, this.y));
    }

    draw() {
        const { canvas, item, zoom } = this, ratio = window.devicePixelRatio || 1;
        const wide = Math.max(1, canvas.clientWidth), high = Math.max(1, Math.round(wide * item.height / item.width));
        canvas.width = Math.round(wide * ratio);
        canvas.height = Math.round(high * ratio);
        canvas.style.aspectRatio = `${item.width} / ${item.height}`;
        const on = canvas.getContext('2d'), shareX = 1 / zoom, left = this.x - shareX / 2, up = this.y - shareX / 2;
        on.imageSmoothingEnabled = this.look.mode !== 'map' && zoom * wide / item.width < 6 && item.width > 64;
        const put = (layer, from, to) => on.drawImage(layer,
            (left + from * shareX) * item.width, up * item.height, (to - from) * shareX * item.width, shareX * item.height,
            from * canvas.width, 0, (to - from) * canvas.width, canvas.height);
        const divider = this.second ? this.look.divider : 1;
        if (divider > 0) put(this.layers[0], 0, divider);
        if (this.second && divider < 1) put(this.layers[1], divider, 1);
        if (this.second) this.drawDivider(on, divider * canvas.width, ratio);
        if (this.box) this.drawBox(on, left, up, shareX, ratio);
        if (this.cursor) this.drawCursor(on, left, up, shareX, ratio);
    }

    drawDivider(on, x, ratio) {
        on.fillStyle = '#000';
        on.fillRect(x - 2 * ratio, 0, 4 * ratio, this.canvas.height);
        on.fillStyle = '#fff';
        on.fillRect(x - ratio, 0, 2 * ratio, this.canvas.height);
        on.beginPath();
        on.arc(x, this.canvas.height / 2, 9 * ratio, 0, 7);
        on.fill();
        on.lineWidth = 2 * ratio;
        on.strokeStyle = '#000';
        on.stroke();
        on.font = `600 ${12 * ratio}px sans-serif`;
        for (const [text, side] of [[this.first.name, -1], [this.second.name, 1]]) {
            const words = on.measureText(text).width, at = x + side * (6 * ratio) - (side < 0 ? words + 6 * ratio : 0);
            on.fillStyle = 'rgba(0,0,0,0.75)';
            on.fillRect(at, 6 * ratio, words + 6 * ratio, 18 * ratio);
            on.fillStyle = '#fff';
            on.fillText(text, at + 3 * ratio, 19 * ratio);
        }
    }

    drawCursor(on, left, up, share, ratio) {
        const { canvas, item, cursor } = this;
        const w = canvas.width / (item.width * share), h = canvas.height / (item.height * share);
        const x = (cursor.x / item.width - left) / share * canvas.width, y = (cursor.y / item.height - up) / share * canvas.height;
        for (const [colour, grow] of [['#000', 1.5 * ratio], ['#fff', 0]]) {
            on.strokeStyle = colour;
            on.lineWidth = (colour === '#000' ? 3 : 1.5) * ratio;
            on.strokeRect(x - 2 * ratio, y - 2 * ratio, Math.max(w, 4 * ratio) + 4 * ratio - grow, Math.max(h, 4 * ratio) + 4 * ratio - grow);
        }
    }

    // [x0, y0, x1, y1] in pixels of the picture, both corners included; null: none.
    setBox(box) {
        this.box = box;
        if (this.onbox) this.onbox(box);
        this.redraw();
    }

    drawBox(on, left, up, share, ratio) {
        const { canvas, item } = this, [x0, y0, x1, y1] = this.box;
        const x = (v) => (v / item.width - left) / share * canvas.width, y = (v) => (v / item.height - up) / share * canvas.height;
        for (const [colour, width, dash] of [['#000', 3, []], ['#fff', 1.5, [6, 4]]]) {
            on.strokeStyle = colour;
            on.lineWidth = width * ratio;
            on.setLineDash(dash.map((d) => d * ratio));
            on.strokeRect(x(x0), y(y0), x(x1 + 1) - x(x0), y(y1 + 1) - y(y0));
        }
        on.setLineDash([]);
    }

    // The pixel of the picture beneath a place on the screen.
    pixelAt(event) {
        const box = this.canvas.getBoundingClientRect(), share = 1 / this.zoom;
        const x = this.x + ((event.clientX - box.left) / box.width - 0.5) * share;
        const y = this.y + ((event.clientY - box.top) / box.height - 0.5) * share;
        const at = (v, n) => Math.min(n - 1, Math.max(0, Math.floor(v * n)));
        return { x: at(x, this.item.width), y: at(y, this.item.height) };
    }

    watch() {
        const { canvas } = this;
        let drag = null;
        canvas.addEventListener('pointerdown', (event) => {
            const box = canvas.getBoundingClientRect();
            if (this.boxing) {
                drag = { corner: this.pixelAt(event) };
                canvas.setPointerCapture(event.pointerId);
                return;
            }
            const onDivider = this.second && Math.abs(event.clientX - box.left - this.look.divider * box.width) < GRIP;
            drag = { divider: onDivider, clientX: event.clientX, clientY: event.clientY, x: this.x, y: this.y };
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointermove', (event) => {
            const box = canvas.getBoundingClientRect();
            if (drag && drag.corner) {
                const at = this.pixelAt(event), { corner } = drag;
                this.setBox([Math.min(at.x, corner.x), Math.min(at.y, corner.y), Math.max(at.x, corner.x), Math.max(at.y, corner.y)]);
            } else if (drag && drag.divider) {
                this.look.divider = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
                if (this.ondivider) this.ondivider(this.look.divider);
            } else if (drag && this.zoom > 1) {
                this.x = drag.x - (event.clientX - drag.clientX) / box.width / this.zoom;
                this.y = drag.y - (event.clientY - drag.clientY) / box.height / this.zoom;
                this.clampCentre();
            }
            this.point(this.pixelAt(event));
        });
        const end = () => (drag = null);
        canvas.addEventListener('pointerup', end);
        canvas.addEventListener('pointercancel', end);
        canvas.addEventListener('dblclick', (event) => {
            const at = this.pixelAt(event);
            this.x = (at.x + 0.5) / this.item.width;
            this.y = (at.y + 0.5) / this.item.height;
            this.setZoom(this.zoom * 2);
        });
        canvas.addEventListener('wheel', (event) => {
            if (!event.ctrlKey) return; // the page scrolls
            event.preventDefault();
            this.setZoom(this.zoom * Math.exp(-event.deltaY / 300));
        }, { passive: false });
        canvas.addEventListener('keydown', (event) => this.key(event));
    }

    key(event) {
        const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (move) {
            const { width, height } = this.item, by = event.shiftKey ? 10 : 1;
            const from = this.cursor || { x: width >> 1, y: height >> 1 };
            this.point({ x: Math.min(width - 1, Math.max(0, from.x + by * move[0])),
                y: Math.min(height - 1, Math.max(0, from.y + by * move[1])) });
            this.follow();
        } else if (event.key === '+' || event.key === '=') this.setZoom(this.zoom * 1.5);
        else if (event.key === '-') this.setZoom(this.zoom / 1.5);
        else if (event.key === '0') this.setZoom(1);
        else return;
        event.preventDefault();
    }

    // Keeps a cursor that keys move in sight.
    follow() {
        const half = 0.5 / this.zoom, x = (this.cursor.x + 0.5) / this.item.width, y = (this.cursor.y + 0.5) / this.item.height;
        if (Math.abs(x - this.x) > half) this.x = x;
        if (Math.abs(y - this.y) > half) this.y = y;
        this.clampCentre();
    }

    point(at) {
        this.cursor = at;
        this.tell();
        this.redraw();
    }

    tell() {
        const { cursor, item } = this;
        if (!cursor) {
            this.readout.textContent = 'Point at the picture, or press the arrow keys on it, to read values.';
            return;
        }
        const i = cursor.y * item.width + cursor.x, parts = [`x ${cursor.x}, y ${cursor.y}`];
        if (item.pixels) parts.push(`pixel ${[0, 1, 2].map((c) => item.pixels[3 * i + c]).join(' ')}`);
        for (const map of [this.first, this.second]) {
            if (!map) continue;
            const { values, channels } = map, own = [];
            for (let c = 0; c < channels; c++) own.push(number(values[i * channels + c], 5));
            parts.push(`${map.name}: ${own.join(', ')}${channels > 1 ? ` (sum ${number(map.shown(true).sums[i], 5)})` : ''}`);
        }
        this.readout.textContent = parts.join('; ');
    }
}
