// SPDX-License-Identifier: Apache-2.0
// Arrays of the document: base64 of little-endian bytes; "i16" stands for value = integer x scale.

export function bytesOf(text) {
    const plain = atob(text);
    const bytes = new Uint8Array(plain.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = plain.charCodeAt(i);
    return bytes;
}

export function arrayOf(stored) {
    if (!stored) return null;
    const bytes = typeof stored.data === 'string' ? bytesOf(stored.data) : stored.data;
    if (stored.type === 'u8') return bytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const width = stored.type === 'f32' ? 4 : stored.type === 'i16' ? 2 : 1;
    const values = new Float32Array(bytes.length / width);
    for (let i = 0; i < values.length; i++) {
        values[i] = width === 4 ? view.getFloat32(4 * i, true)
            : (width === 2 ? view.getInt16(2 * i, true) : view.getInt8(i)) * stored.scale;
    }
    return values;
}

// The values of a map, decoded on first use.
export function mapOf(panel) {
    let values = null;
    return {
        ...panel,
        name: panel.title || 'map',
        get values() {
            values = values || arrayOf(panel.values);
            return values;
        },
    };
}
