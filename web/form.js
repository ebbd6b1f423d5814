// SPDX-License-Identifier: Apache-2.0
// The method and its options. Names, defaults, ranges and sentences come from the library's rows; nothing about a single
// method is written here.
import { choice, field, make } from './dom.js';

// "xrai+gig:20/rule=left" -> its prefixes, the base's name, its K, and the options that it sets.
function split(name) {
    const [head, ...settings] = name.split('/'), words = head.split('+'), [base, anchors] = words.pop().split(':');
    return { prefixes: words.map((word) => `${word}+`), base, anchors: anchors || '', options: new Map(settings.map((text) => text.split('='))) };
}

// The control of one option, with a value that is not the default (undefined: none); empty means the default.
function optionControl(option, value, change) {
    if (option.kind === 'choice' && option.choices) {
        const chosen = value === undefined ? option.usual : value;
        return make('select', { onchange: change }, option.choices.split('|').map((word) => make('option', { value: word, selected: word === chosen }, word)));
    }
    const control = make('input', { type: 'text', placeholder: option.usual, inputMode: option.kind === 'count' ? 'numeric' : 'text', size: 8, spellcheck: false, autocomplete: 'off', oninput: change });
    control.value = value === undefined ? '' : value;
    return control;
}

export class MethodForm {
    constructor({ methods, prefixes, presets }) {
        // A preset is listed under the name it stands for.
        const listed = presets.map((preset) => [`${preset.name} (${preset.words})`, preset.name]);
        Object.assign(this, { methods, prefixes, presets: new Map(listed), controls: new Map() });
        const entries = [...listed.map(([words]) => words), ...methods.map((row) => row.name)];
        this.help = make('p', { class: 'note' });
        this.base = choice('Method', entries.map((words) => [words, words]), entries[0], () => this.choose());
        this.anchors = make('input', { type: 'text', inputMode: 'numeric', size: 4, autocomplete: 'off', oninput: () => this.leavePreset() });
        this.anchorsRow = field('Anchors (K)', this.anchors);
        this.checks = prefixes.map((prefix) => {
            const box = make('input', { type: 'checkbox', onchange: () => this.fill(this.given()) });
            return { prefix, box, row: make('label', { class: 'check' }, box, ` ${prefix.name}`) };
        });
        this.options = make('div', { class: 'options' });
        this.node = make('div', { class: 'method' }, this.base, this.help, this.anchorsRow, make('div', { class: 'checks' }, this.checks.map((c) => c.row)));
        this.details = make('details', {}, make('summary', {}, 'Options of the method'), this.options);
        this.choose();
    }

    preset() {
        return this.presets.get(this.base.control.value);
    }

    row() {
        const name = this.preset() ? split(this.preset()).base : this.base.control.value;
        return this.methods.find((row) => row.name === name);
    }

    // A method begins with its defaults, a preset with the settings that it stands for.
    choose() {
        const { prefixes, anchors, options } = split(this.preset() || this.base.control.value);
        for (const { prefix, box } of this.checks) box.checked = this.preset() ? prefixes.includes(prefix.name) : box.checked;
        this.anchors.value = anchors;
        this.fill(options);
    }

    // What the controls hold, by the names of the options.
    given() {
        return new Map([...this.controls].filter(([option, control]) => control.value.trim() && control.value !== option.usual).map(([option, control]) => [option.name, control.value.trim()]));
    }

    // Settings that were changed are a preset no longer: then the list shows the method alone.
    leavePreset() {
        if (this.preset() && this.value() !== this.preset()) this.base.control.value = this.row().name;
    }

    fill(given) {
        const row = this.row();
        this.help.textContent = row.help;
        this.anchorsRow.hidden = !row.anchors;
        const options = [...row.options, ...this.checks.filter((c) => c.box.checked).flatMap((c) => c.prefix.options)];
        this.controls = new Map();
        this.options.replaceChildren(...options.map((option) => {
            const control = optionControl(option, given.get(option.name), () => this.leavePreset());
            this.controls.set(option, control);
            const line = field(option.name, control);
            return make('div', { class: 'option' }, line, make('p', { class: 'note' }, option.help));
        }));
        this.leavePreset();
        if (this.onchange) this.onchange();
    }

    // The method's name as on the command line; with another base if one is given.
    value(base) {
        const row = base ? this.methods.find((r) => r.name === base) : this.row();
        const prefix = ['xrai+', 'smooth+'].filter((name) => this.checks.some((c) => c.box.checked && c.prefix.name === name)).join('');
        const anchors = row.anchors && this.anchors.value.trim() ? `:${this.anchors.value.trim()}` : '';
        let options = '';
        const sorted = [...this.controls].sort(([one], [other]) => (one.name < other.name ? -1 : 1));
        for (const [option, control] of sorted) {
            const text = control.value.trim();
            const known = !base || row.options.some((own) => own.name === option.name);
            if (known && text && text !== option.usual) options += `/${option.name}=${text}`;
        }
        return prefix + row.name + anchors + options;
    }
}
