// SPDX-License-Identifier: Apache-2.0
// One picture with one map, or two maps with a divider between: zoom, pan, a cursor that reads the numbers, and tools to
// draw a box or paint a mask.
import { make, number, once } from './dom.js';
import { canvasOf, paint } from './paint.js';

const MOST_ZOOM = 32, GRIP = 18;

export class MapView {
    // look: { mode, opacity, top, signed, colours, divider }, shared with the controls.
    constructor(item, look) {
        Object.assign(this, { item, look, zoom: 1, x: 0.5, y: 0.5, cursor: null, first: null, second: null, other: null, tool: null, boxes: {}, mask: null, brush: 6 });
        Object.assign(this, { listeners: [], toolbox: [] }); // told what was drawn, and that another tool is used
        this.canvas = make('canvas', { class: 'stage', tabIndex: 0, role: 'img' });
        this.readout = make('output', { class: 'readout' });
        this.readout.id = `readout-${Math.random().toString(36).slice(2)}`;
        this.canvas.setAttribute('aria-describedby', this.readout.id);
        this.redraw = once(() => this.draw());
        this.watch();
        new ResizeObserver(this.redraw).observe(this.canvas);
    }

    // Which maps are shown; `second` is right of the divider; `other` is not shown here, but the cursor reads it too.
    setMaps(first, second, other) {
        Object.assign(this, { first, second, other: other || null });
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
        if (!this.layers) return; // nothing to show yet
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
        if (this.mask) this.drawMask(on, left, up, shareX);
        for (const [name, box] of Object.entries(this.boxes)) if (box) this.drawBox(on, left, up, shareX, ratio, name, box);
        if (this.cursor) this.drawCursor(on, left, up, shareX, ratio);
        if (this.ondraw) this.ondraw();
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
        this.drawWords(on, this.first.name, x - 12 * ratio - on.measureText(this.first.name).width, 6 * ratio, ratio);
        this.drawWords(on, this.second.name, x + 6 * ratio, 6 * ratio, ratio);
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

    // Boxes by their names, [x0, y0, x1, y1] in pixels of the picture, both corners included; null: none.
    setBox(name, box) {
        this.boxes[name] = box;
        for (const tell of this.listeners) tell(name);
        this.redraw();
    }

    drawBox(on, left, up, share, ratio, name, [x0, y0, x1, y1]) {
        const { canvas, item } = this;
        const x = (v) => (v / item.width - left) / share * canvas.width, y = (v) => (v / item.height - up) / share * canvas.height;
        for (const [colour, width, dash] of [['#000', 3, []], ['#fff', 1.5, [6, 4]]]) {
            on.strokeStyle = colour;
            on.lineWidth = width * ratio;
            on.setLineDash(dash.map((d) => d * ratio));
            on.strokeRect(x(x0), y(y0), x(x1 + 1) - x(x0), y(y1 + 1) - y(y0));
        }
        on.setLineDash([]);
        this.drawWords(on, name, x(x0), y(y1 + 1) - 18 * ratio, ratio);
    }

    drawWords(on, text, x, y, ratio) {
        on.font = `600 ${12 * ratio}px sans-serif`;
        on.fillStyle = 'rgba(0,0,0,0.75)';
        on.fillRect(x, y, on.measureText(text).width + 6 * ratio, 18 * ratio);
        on.fillStyle = '#fff';
        on.fillText(text, x + 3 * ratio, y + 13 * ratio);
    }

    // Paints or erases a disc of the mask around a pixel.
    paintMask({ x, y }, value) {
        const { width, height } = this.item, r = this.brush;
        this.mask = this.mask || new Uint8Array(width * height);
        for (let v = Math.max(0, y - r); v <= Math.min(height - 1, y + r); v++) {
            for (let u = Math.max(0, x - r); u <= Math.min(width - 1, x + r); u++) if ((u - x) ** 2 + (v - y) ** 2 <= r * r) this.mask[v * width + u] = value;
        }
    }

    // Stripes with an edge, so that the mask is seen on any colours.
    drawMask(on, left, up, share) {
        const { canvas, item, mask } = this, { width, height } = item;
        const image = new ImageData(width, height);
        for (let i = 0; i < mask.length; i++) {
            if (!mask[i]) continue;
            const x = i % width, y = Math.floor(i / width);
            const edge = !x || !y || x === width - 1 || y === height - 1 || !mask[i - 1] || !mask[i + 1] || !mask[i - width] || !mask[i + width];
            image.data.set(edge ? [255, 255, 255, 255] : (x + y) % 6 < 2 ? [0, 0, 0, 150] : [255, 255, 255, 60], 4 * i);
        }
        on.drawImage(canvasOf(image), left * width, up * height, share * width, share * height, 0, 0, canvas.width, canvas.height);
    }

    // The pixel of the picture at a position on the screen.
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
            if (this.tool) {
                drag = { corner: this.pixelAt(event) };
                canvas.setPointerCapture(event.pointerId);
                if (this.tool === 'paint' || this.tool === 'erase') this.useTool(drag.corner, drag.corner);
                return;
            }
            const onDivider = this.second && Math.abs(event.clientX - box.left - this.look.divider * box.width) < GRIP;
            drag = { divider: onDivider, clientX: event.clientX, clientY: event.clientY, x: this.x, y: this.y };
            canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointermove', (event) => {
            const box = canvas.getBoundingClientRect();
            if (drag && drag.corner) {
                const at = this.pixelAt(event);
                this.useTool(drag.corner, at);
                if (this.tool === 'paint' || this.tool === 'erase') drag.corner = at;
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

    // From one pixel to another: a box with these corners, or a stroke of the brush.
    useTool(from, to) {
        if (this.tool !== 'paint' && this.tool !== 'erase') {
            this.setBox(this.tool, [Math.min(from.x, to.x), Math.min(from.y, to.y), Math.max(from.x, to.x), Math.max(from.y, to.y)]);
            return;
        }
        const far = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1);
        for (let k = 0; k <= far; k++) {
            this.paintMask({ x: Math.round(from.x + k / far * (to.x - from.x)), y: Math.round(from.y + k / far * (to.y - from.y)) }, this.tool === 'paint' ? 1 : 0);
        }
        if (!this.mask.includes(1)) this.mask = null;
        for (const tell of this.listeners) tell('mask');
        this.redraw();
    }

    // null, 'paint', 'erase', or the name of a box to draw.
    setTool(tool) {
        this.tool = tool;
        this.canvas.style.touchAction = tool ? 'none' : '';
        for (const tell of this.toolbox) tell();
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
        else if (event.key === ' ' && (this.tool === 'paint' || this.tool === 'erase') && this.cursor) this.useTool(this.cursor, this.cursor);
        else return;
        event.preventDefault();
    }

    // Keeps the cursor visible when keys move it.
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

    // Shows the same part and the same cursor as another stage.
    mirror({ zoom, x, y, cursor }) {
        if (this.zoom === zoom && this.x === x && this.y === y && this.cursor === cursor) return;
        Object.assign(this, { zoom, x, y, cursor });
        if (this.onzoom) this.onzoom(zoom);
        this.redraw();
        this.tell();
    }

    tell() {
        const { cursor, item } = this;
        if (!cursor) {
            this.readout.textContent = 'Point at the picture, or press the arrow keys on it, to read values.';
            return;
        }
        const i = cursor.y * item.width + cursor.x, parts = [`x ${cursor.x}, y ${cursor.y}`];
        if (item.pixels) parts.push(`pixel ${[0, 1, 2].map((c) => item.pixels[3 * i + c]).join(' ')}`);
        for (const map of [this.first, this.second, this.other]) {
            if (!map) continue;
            const { values, channels } = map, own = [];
            for (let c = 0; c < channels; c++) own.push(number(values[i * channels + c], 5));
            parts.push(`${map.name}: ${own.join(', ')}${channels > 1 ? ` (sum ${number(map.shown(true).sums[i], 5)})` : ''}`);
        }
        this.readout.textContent = parts.join('; ');
    }
}
