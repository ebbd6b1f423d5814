// SPDX-License-Identifier: Apache-2.0
// Elements and controls. Text always becomes a text node, so a name from a file is never parsed as markup.

let serial = 0;

export function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(properties || {})) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (key === 'class') element.className = value;
        else if (key in element && key !== 'list' && key !== 'role') element[key] = value;
        else element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

export function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

// A label and its control in one row; `after` follows them (an output, for example).
export function field(text, control, after) {
    control.id = control.id || `f${++serial}`;
    return make('div', { class: 'field' }, make('label', { htmlFor: control.id }, text), control, after || null);
}

// A slider that shows its value in words.
export function slider(text, { min, max, step, value, say, change }) {
    const shown = make('output', {}, say(value));
    const control = make('input', { type: 'range', min, max, step, value: String(value) });
    control.value = String(value);
    control.setAttribute('aria-valuetext', say(value));
    const tell = () => {
        shown.textContent = say(Number(control.value));
        control.setAttribute('aria-valuetext', shown.textContent);
    };
    control.addEventListener('input', () => {
        tell();
        change(Number(control.value));
    });
    const row = field(text, control, shown);
    row.set = (number) => {
        control.value = String(number);
        tell();
    };
    row.control = control;
    return row;
}

// options: [value, words] pairs.
export function choice(text, options, value, change) {
    const control = make('select', { onchange: () => change(control.value) },
        options.map(([key, words]) => make('option', { value: key, selected: key === value }, words)));
    const row = field(text, control);
    row.control = control;
    return row;
}

// Buttons of which one is pressed.
export function tabs(text, options, value, change) {
    const row = make('div', { class: 'tabs', role: 'radiogroup', 'aria-label': text });
    const name = `t${++serial}`;
    for (const [key, words] of options) {
        const control = make('input', { type: 'radio', name, value: key, checked: key === value,
            onchange: () => change(key) });
        row.append(make('label', {}, control, make('span', {}, words)));
    }
    row.set = (key) => {
        for (const input of row.querySelectorAll('input')) input.checked = input.value === key;
    };
    return row;
}

// Four significant digits, in the shortest form.
export function number(value, digits = 4) {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace('e+', 'e');
    if (Number.isInteger(value)) return String(value);
    return String(Number(value.toPrecision(digits)));
}

// Redraws at most once per frame of the display.
export function once(draw) {
    let asked = false;
    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            draw();
        });
    };
}
