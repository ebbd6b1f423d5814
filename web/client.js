// SPDX-License-Identifier: Apache-2.0
// The server: requests with the token, and streams of messages (two lengths, JSON, bytes).

const token = location.hash.slice(1);

export async function ask(path, options = {}) {
    const answer = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}`, ...options.headers } });
    if (answer.ok) return answer;
    let message = `${answer.status} ${answer.statusText}`;
    try {
        message = (await answer.json()).error || message;
    } catch {
        // not JSON: the status says enough
    }
    throw new Error(message);
}

export async function askJson(path, body) {
    const options = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await ask(path, options)).json();
}

// Calls take(json, bytes) for each message of a job, in order; returns when the job has ended.
export async function follow(id, take) {
    const reader = (await ask(`/api/jobs/${id}/events`)).body.getReader();
    let kept = new Uint8Array(0);
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        const joined = new Uint8Array(kept.length + value.length);
        joined.set(kept);
        joined.set(value, kept.length);
        let at = 0;
        while (joined.length - at >= 8) {
            const view = new DataView(joined.buffer, at), length = view.getUint32(0, true), count = view.getUint32(4, true);
            if (joined.length - at < 8 + length + count) break;
            const json = JSON.parse(new TextDecoder().decode(joined.subarray(at + 8, at + 8 + length)));
            take(json, joined.slice(at + 8 + length, at + 8 + length + count));
            at += 8 + length + count;
        }
        kept = joined.slice(at);
    }
}

// Saves what the server drew.
export async function save(request, name) {
    const answer = await ask('/api/file', { method: 'POST', body: JSON.stringify(request) });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await answer.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
