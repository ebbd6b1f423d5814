// SPDX-License-Identifier: Apache-2.0
// From attributions to display values and colours: the rules of gig/view.h (magnitude, signed; percentile 99).

// NumPy's linear percentile.
export function percentile(sorted, percent) {
    const at = percent / 100 * (sorted.length - 1), k = Math.floor(at);
    if (k + 1 >= sorted.length) return sorted[sorted.length - 1];
    return sorted[k] + (at - k) * (sorted[k + 1] - sorted[k]);
}

// One value per pixel: the sum of channels, or of their magnitudes.
export function reduce(map, signed) {
    const { values, channels } = map;
    const sums = new Float32Array(values.length / channels);
    for (let i = 0; i < sums.length; i++) {
        let sum = 0;
        for (let c = 0; c < channels; c++) sum += signed ? values[i * channels + c] : Math.abs(values[i * channels + c]);
        sums[i] = sum;
    }
    return sums;
}

// { sums, low, high, size(i): |display value| in [0,1], place(i): index of the colour, text }
export function display(map, signed) {
    const sums = reduce(map, signed);
    const sorted = signed ? sums.map(Math.abs).sort() : sums.slice().sort();
    const least = signed ? 0 : sorted[0] || 0, largest = sorted[sorted.length - 1] || 0;
    let high = percentile(sorted, 99);
    const fell = !(high > least);
    if (fell) high = largest;
    const span = high - least || 1;
    const clip = (v) => (v < 0 ? 0 : v > 1 ? 1 : v);
    const what = map.channels === 1 ? (signed ? 'value' : '|value|') : (signed ? 'sum of channels' : 'sum of |channels|');
    const end = fell ? 'the largest' : 'percentile 99';
    return {
        sums, sorted, low: signed ? -high : least, high,
        size: (i) => clip((signed ? Math.abs(sums[i]) : sums[i] - least) / span),
        place: signed ? (i) => clip(0.5 + sums[i] / span / 2) : (i) => clip((sums[i] - least) / span),
        text: signed ? `${what}, ± ${end} of the magnitude` : `${what}, minimum to ${end}`,
    };
}

// The smallest size among the top percent of pixels; if that ties with the minimum, only larger values count.
export function threshold(shown, signed, top) {
    if (top >= 100) return () => true;
    const limit = percentile(shown.sorted, 100 - top), least = shown.sorted[0];
    const size = (i) => (signed ? Math.abs(shown.sums[i]) : shown.sums[i]);
    return limit > least ? (i) => size(i) >= limit : (i) => size(i) > least;
}

// stops: ["#rrggbb", ...], evenly spaced. 1024 colours as bytes.
export function ramp(stops) {
    const colours = stops.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
    const out = new Uint8Array(3 * 1024);
    for (let i = 0; i < 1024; i++) {
        const at = i / 1023 * (colours.length - 1), k = Math.min(Math.floor(at), colours.length - 2);
        for (let c = 0; c < 3; c++) out[3 * i + c] = Math.round(colours[k][c] + (at - k) * (colours[k + 1][c] - colours[k][c]));
    }
    return out;
}
