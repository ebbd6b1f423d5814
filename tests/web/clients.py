#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 clients at once, for so many seconds, of the page on this machine: reading, uploading, asking for jobs, cancelling,
hanging up in the middle. Prints the most memory that server and worker had; fails above 512 MB, or where fewer than 90 %
of the requests that wait for an answer get one (503 from a full queue is one; noise, and clients that hang up, do not
count)."""
import json
import os
import random
import socket
import sys
import threading
import time

from server import Server

SECONDS = float(sys.argv[1])
CLIENTS = 200
counts = {}
lock = threading.Lock()


def count(what):
    with lock:
        counts[what] = counts.get(what, 0) + 1


def talk(server, data, hang_up=False, noise=False):
    try:
        with socket.create_connection(('127.0.0.1', server.port), timeout=30) as wire:
            wire.settimeout(1 if noise else 30)
            wire.sendall(data)
            answer = b'' if hang_up else wire.recv(65536)
    except OSError:
        answer = b''
    count('hung up' if hang_up else 'noise' if noise else answer.split(b' ')[1].decode() if answer.startswith(b'HTTP/1.1 ') else 'unanswered')


def request(server, method, path, body=b''):
    return (f'{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\nConnection: close\r\n'
            f'Content-Length: {len(body)}\r\n\r\n').encode() + body


def client(server, seed, end):
    rng = random.Random(seed)
    with open(os.path.join(os.environ['GIG_SOURCE'], 'demo/pictures/fish-6.png'), 'rb') as file:
        picture = file.read()
    job = json.dumps({'type': 'explain', 'picture': 1, 'method': 'ig/steps=20'}).encode()
    while time.time() < end:
        kind = rng.randrange(8)
        if kind < 3:
            talk(server, request(server, 'GET', rng.choice(['/', '/page.js', '/api/state'])), rng.random() < 0.1)
        elif kind == 3:
            talk(server, request(server, 'POST', '/api/pictures', picture))
        elif kind == 4:
            talk(server, request(server, 'POST', '/api/jobs', job))
        elif kind == 5:
            talk(server, request(server, 'POST', f'/api/jobs/{rng.randrange(1, 400)}/cancel', b'{}'))
        elif kind == 6:
            talk(server, request(server, 'GET', f'/api/jobs/{rng.randrange(1, 400)}/events'), rng.random() < 0.5)
        else:
            talk(server, os.urandom(rng.randrange(1, 400)), noise=True)
        time.sleep(rng.random() * 0.05)


def resident(pid):
    try:
        with open(f'/proc/{pid}/status', encoding='ascii') as file:
            return next((int(line.split()[1]) for line in file if line.startswith('VmRSS')), 0) / 1024
    except OSError:
        return 0


def main():
    server = Server('demo/model.onnx', 'demo/pictures')
    try:
        watch(server)
    finally:
        server.process.kill()


def watch(server):
    end = time.time() + SECONDS
    threads = [threading.Thread(target=client, args=(server, seed, end)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    most = worker = 0
    while time.time() < end:
        most = max(most, resident(server.process.pid))
        worker = max([worker, *map(resident, server.workers())])
        time.sleep(0.2)
    for thread in threads:
        thread.join()
    time.sleep(1)
    assert server.process.poll() is None, 'the server is gone'
    assert server.ask('/api/state')['model']['model'] == 'model.onnx'
    print(f'{sum(counts.values())} requests {counts}; server {most:.0f} MB, worker {worker:.0f} MB')
    assert most < 512 and worker < 512
    asked = sum(counts.values()) - counts.get('noise', 0) - counts.get('hung up', 0)
    assert counts.get('unanswered', 0) <= 0.1 * asked, counts
    assert server.stop() in (0, 130)


main()
