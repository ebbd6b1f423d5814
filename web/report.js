// SPDX-License-Identifier: Apache-2.0
// A file of results: the document is part of the page itself.
import { make } from './dom.js';
import { documentView } from './viewer.js';

const place = document.getElementById('view');
try {
    const data = JSON.parse(document.getElementById('data').textContent);
    document.title = data.title || 'gig';
    place.replaceChildren(documentView(data));
} catch (error) {
    place.replaceChildren(make('p', { role: 'alert' }, `This file is damaged and cannot be shown: ${error.message}`));
}
