#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs of gig serve as their streams tell them, without a browser: how soon they end when cancelled, counted in steps."""
import fcntl
import json
import os
import signal
import socket
import struct
import sys
import termios
import time
import urllib.request

from browser import Cases, gig, wait
from server import Server

case = Cases()
THREADS = 2
LONG = {'type': 'explain', 'picture': 1, 'method': 'gig:20/steps=1000000'}


class Stream:
    """The messages of a job, read one by one."""

    def __init__(self, server, job):
        request = urllib.request.Request(f'http://127.0.0.1:{server.port}/api/jobs/{job}/events', headers={'Authorization': f'Bearer {server.token}'})
        self.answer = urllib.request.urlopen(request, timeout=120)

    def next(self):
        """(what it says, how many bytes came with it); None: that was all."""
        head = self.answer.read(8)
        if len(head) < 8:
            return None
        length, count = struct.unpack('<II', head)
        said = json.loads(self.answer.read(length))
        assert len(self.answer.read(count)) == count
        return said, count

    def until(self, kind):
        """All messages up to the first of this kind."""
        seen = []
        while not seen or seen[-1]['type'] != kind:
            message = self.next()
            assert message, f'no {kind} in {[one["type"] for one in seen]}'
            seen.append(message[0])
        return seen


def unread(pid):
    """Bytes that wait in a process's standard input."""
    with open(f'/proc/{pid}/fd/0', 'rb', buffering=0) as pipe:
        return struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4))[0]


def stopped(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as file:
        return file.read().rsplit(')', 1)[1].split()[0] == 'T'


@case
def cancelling_ends_a_job_within_a_step(server):
    """The worker is held still while the word to cancel reaches it, and let go. More than 0.1 s have passed then, so
    the end of its next step is told as progress unless the word is read first; after that each thread may finish the
    step it is in, no more, and no frame comes."""
    for _ in range(5):
        stream = Stream(server, server.ask('/api/jobs', LONG)['id'])
        stream.until('progress')
        worker, = server.workers()
        os.kill(worker, signal.SIGSTOP)
        wait(lambda: stopped(worker), 60, 'the worker to stand still')
        job = server.ask('/api/state')['jobs'][-1]['id']
        server.ask(f'/api/jobs/{job}/cancel', {})
        wait(lambda: unread(worker) > 0, 60, 'the word to reach the worker')
        time.sleep(0.15)  # so that progress is due
        os.kill(worker, signal.SIGCONT)
        told = stream.until('cancelled')
        assert stream.next() is None
        end = told[-1]
        assert 0 <= end['after'] <= THREADS - 1, end
        assert end['done'] > 0, end
        before = [one['done'] for one in told if one['type'] == 'progress']
        assert all(end['done'] - last <= THREADS for last in before[-1:]), told
        assert server.workers() == [worker]  # it ended its job itself and waits for the next


@case
def a_job_that_waits_is_cancelled_at_once(server):
    first, second = (server.ask('/api/jobs', LONG)['id'] for _ in range(2))
    server.ask(f'/api/jobs/{second}/cancel', {})
    assert [one['type'] for one in Stream(server, second).until('cancelled')] == ['cancelled']
    server.ask(f'/api/jobs/{first}/cancel', {})
    assert Stream(server, first).until('cancelled')


@case
def a_cancel_that_comes_too_late_ends_no_other_job(server):
    short = {'type': 'explain', 'picture': 1, 'method': 'gradients'}
    for _ in range(20):
        one = server.ask('/api/jobs', short)['id']
        two = server.ask('/api/jobs', short)['id']
        server.ask(f'/api/jobs/{one}/cancel', {})
        Stream(server, two).until('done')


@case
def the_first_frame_is_the_start_of_the_path(server):
    seen = Stream(server, server.ask('/api/jobs', {'type': 'explain', 'picture': 1, 'method': 'gig:20'})['id']).until('done')
    frames = [one for one in seen if one['type'] == 'frame']
    assert len(frames) >= 2 and frames[0]['alpha'] < 0.2 and frames[-1]['alpha'] == 1, [one['alpha'] for one in frames]


@case
def the_menu_begins_with_the_default_and_offers_the_published_settings(server):
    presets = [(one['stands_for'], one['name']) for one in server.ask('/api/state')['presets']]
    usual = json.loads(gig('explain', 'demo/model.onnx', 'demo/pictures/fish-6.png', '--json'))['results'][0]['method']
    assert presets == [('auto', usual), ('paper', 'gig:20')], presets


@case
def repeated_walks_say_how_well_they_agree(server):
    for method, repeated in (('gig/steps=10', False), ('gig/repeat=3/steps=10', True)):
        numbers = Stream(server, server.ask('/api/jobs', {'type': 'explain', 'picture': 1, 'method': method})['id']).until('done')[-1]['numbers']
        for name in ('stability', 'stability_of_mean'):
            assert (-1 <= numbers[name] <= 1 if repeated else numbers[name] is None), (method, numbers)


@case
def the_server_ends_while_clients_do_not_read(_):
    """Their connections end after its jobs, and must not use what is gone then (ASan)."""
    own = Server('demo/model.onnx', 'demo/pictures', '-j', str(THREADS))
    job = own.ask('/api/jobs', {'type': 'explain', 'picture': 1, 'method': 'gig:20'})['id']
    Stream(own, job).until('done')
    clients = [socket.socket() for _ in range(4)]
    for one in clients:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # so that the server has to wait
        one.connect(('127.0.0.1', own.port))
        one.sendall(f'GET /api/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1:{own.port}\r\n'
                    f'Authorization: Bearer {own.token}\r\n\r\n'.encode())
        assert one.recv(9) == b'HTTP/1.1 '
    code = own.stop()
    assert code in (0, 130), code
    for one in clients:
        one.close()


def main():
    server = Server('demo/model.onnx', 'demo/pictures', '-j', str(THREADS))
    try:
        return case.run(server)
    finally:
        server.stop()


sys.exit(main())
