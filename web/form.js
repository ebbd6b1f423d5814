// SPDX-License-Identifier: Apache-2.0
// The method and its options. Names, defaults, ranges and sentences come from the library's rows; nothing about a single
// method is written here.
import { choice, field, make } from './dom.js';

// "gig:20" -> the base's name and its K.
function split(name) {
    const [base, anchors] = name.split('/')[0].split(':');
    return { base, anchors: anchors || '' };
}

// The control of one option; empty means the default.
function optionControl(option) {
    if (option.kind === 'choice' && option.choices) {
        return make('select', {}, option.choices.split('|').map((word) => make('option', { value: word, selected: word === option.usual }, word)));
    }
    return make('input', { type: 'text', placeholder: option.usual, inputMode: option.kind === 'count' ? 'numeric' : 'text', size: 8, spellcheck: false, autocomplete: 'off' });
}

export class MethodForm {
    constructor({ methods, prefixes, usual }) {
        const start = split(usual);
        Object.assign(this, { methods, prefixes, controls: new Map() });
        this.help = make('p', { class: 'note' });
        this.base = choice('Method', methods.map((row) => [row.name, row.name]), start.base, () => this.fill());
        this.anchors = make('input', { type: 'text', inputMode: 'numeric', size: 4, value: start.anchors, autocomplete: 'off' });
        this.anchors.value = start.anchors;
        this.anchorsRow = field('Anchors (K)', this.anchors);
        this.checks = prefixes.map((prefix) => {
            const box = make('input', { type: 'checkbox', onchange: () => this.fill() });
            return { prefix, box, row: make('label', { class: 'check' }, box, ` ${prefix.name}`) };
        });
        this.options = make('div', { class: 'options' });
        this.node = make('div', { class: 'method' }, this.base, this.help, this.anchorsRow, make('div', { class: 'checks' }, this.checks.map((c) => c.row)));
        this.details = make('details', {}, make('summary', {}, 'Options of the method'), this.options);
        this.fill();
    }

    row() {
        return this.methods.find((row) => row.name === this.base.control.value);
    }

    fill() {
        const row = this.row();
        this.help.textContent = row.help;
        this.anchorsRow.hidden = !row.anchors;
        const options = [...row.options, ...this.checks.filter((c) => c.box.checked).flatMap((c) => c.prefix.options)];
        this.controls = new Map();
        this.options.replaceChildren(...options.map((option) => {
            const control = optionControl(option);
            this.controls.set(option, control);
            const line = field(option.name, control);
            return make('div', { class: 'option' }, line, make('p', { class: 'note' }, option.help));
        }));
        if (this.onchange) this.onchange();
    }

    // The method's name as on the command line; with another base if one is given.
    value(base) {
        const row = base ? this.methods.find((r) => r.name === base) : this.row();
        const prefix = ['xrai+', 'smooth+'].filter((name) => this.checks.some((c) => c.box.checked && c.prefix.name === name)).join('');
        const anchors = row.anchors && this.anchors.value.trim() ? `:${this.anchors.value.trim()}` : '';
        let options = '';
        for (const [option, control] of this.controls) {
            const text = control.value.trim();
            const known = !base || row.options.some((own) => own.name === option.name);
            if (known && text && text !== option.usual) options += `/${option.name}=${text}`;
        }
        return prefix + row.name + anchors + options;
    }
}
