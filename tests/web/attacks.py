#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Raw requests to gig serve over sockets: what it refuses, and how. Each attack has one right answer. CLOSED stands where
libmicrohttpd ends the connection without asking us: a first line that is not one, and a body without an end. BROKEN
stands for first lines that version 0.9 and 1.0 of it refuse in different ways."""
import json
import os
import socket
import subprocess
import sys
import threading
import time

from browser import GIG, Cases
from server import Server

case = Cases()
CLOSED = None
BROKEN = (400, CLOSED)


def talk(server, data, seconds=10, whole=False):
    """Sends bytes; the answer's bytes, up to the end of the connection or of the time."""
    with socket.create_connection(('127.0.0.1', server.port), timeout=seconds) as wire:
        wire.settimeout(seconds)
        got = b''
        try:
            wire.sendall(data)
            while True:
                part = wire.recv(65536)
                if not part:
                    break
                got += part
                if not whole and b'\r\n\r\n' in got:
                    break
        except (ConnectionError, socket.timeout):
            pass
        return got


def status(answer):
    return int(answer.split(b' ')[1]) if answer.startswith(b'HTTP/1.') else None


def request(server, method='GET', path='/', host=None, token=None, headers=(), body=b'', version='HTTP/1.1'):
    lines = [f'{method} {path} {version}', f'Host: {host or f"127.0.0.1:{server.port}"}', *headers, 'Connection: close']
    if token is not False:
        lines.append(f'Authorization: Bearer {token or server.token}')
    if body:
        lines.append(f'Content-Length: {len(body)}')
    return '\r\n'.join(lines).encode('latin-1') + b'\r\n\r\n' + body


def code(server, **how):
    return status(talk(server, request(server, **how)))


def post(server, path, value, **how):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return code(server, method='POST', path=path, body=body, **how)


def alive(server):
    assert server.process.poll() is None
    assert code(server, path='/api/state') == 200


@case
def another_host_name_is_refused(server):
    for host in ('evil.example', f'evil.example:{server.port}', '127.0.0.1', f'127.0.0.2:{server.port}', f'127.0.0.1:{server.port}.evil.example'):
        assert code(server, host=host) == 403, host


@case
def localhost_is_our_name_too(server):
    assert code(server, host=f'localhost:{server.port}') == 200


@case
def a_request_without_host_is_refused(server):
    assert status(talk(server, b'GET / HTTP/1.1\r\n\r\n')) == 400
    assert status(talk(server, b'GET / HTTP/1.0\r\n\r\n')) == 403


@case
def two_hosts_are_refused(server):
    own = f'127.0.0.1:{server.port}'
    for first, second in (('evil.example', own), (own, 'evil.example'), (own, own)):
        assert status(talk(server, f'GET / HTTP/1.1\r\nHost: {first}\r\nHost: {second}\r\n\r\n'.encode())) == 400, (first, second)


@case
def two_origins_or_tokens_are_refused(server):
    own = f'http://127.0.0.1:{server.port}'
    assert code(server, headers=[f'Origin: {own}', 'Origin: http://evil.example']) == 400
    assert code(server, path='/api/state', headers=['Authorization: Bearer ' + '0' * 32]) == 400


@case
def another_origin_is_refused(server):
    for origin in ('http://evil.example', 'null', f'https://127.0.0.1:{server.port}', 'http://127.0.0.1', f'http://127.0.0.1:{server.port}.evil.example'):
        assert code(server, headers=[f'Origin: {origin}']) == 403, origin
        assert post(server, '/api/jobs', {}, headers=[f'Origin: {origin}']) == 403, origin


@case
def our_own_origin_is_fine(server):
    assert code(server, path='/api/state', headers=[f'Origin: http://127.0.0.1:{server.port}']) == 200


@case
def no_token_is_refused(server):
    assert code(server, path='/api/state', token=False) == 401


@case
def a_wrong_token_is_refused(server):
    for token in ('0' * 32, server.token[:-1], server.token + '0', server.token.upper()):
        if token != server.token:
            assert code(server, path='/api/state', token=token) == 401, token


@case
def a_space_behind_the_token_is_refused(server):
    assert code(server, path='/api/state', token=server.token + ' ') in (400, 401)  # 400: libmicrohttpd 1.0 has cut it off


@case
def another_scheme_is_refused(server):
    assert code(server, path='/api/state', token=False, headers=[f'Authorization: Basic {server.token}']) == 401


@case
def a_token_in_the_address_is_refused(server):
    assert code(server, path=f'/api/state?token={server.token}', token=False) == 401


@case
def other_methods_are_refused(server):
    for method in ('DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'CONNECT'):
        answer = talk(server, request(server, method=method, path='/api/state'))
        assert status(answer) == 405, (method, answer[:80])
        assert b'Allow: GET' in answer, answer


@case
def reading_changes_nothing(server):
    assert code(server, path='/api/jobs/1/cancel') == 405
    assert code(server, path='/api/jobs') == 405


@case
def paths_that_climb_are_refused(server):
    for path in ('/../etc/passwd', '/..%2f..%2fetc/passwd', '/%2e%2e/x', '/api/../page.js', '//etc/passwd', '/api/jobs/..%5c1/events', '/\\..\\x'):
        assert code(server, path=path) == 400, path


@case
def a_nul_is_refused_wherever_it_stands(server):
    assert code(server, path='/page.js%00.html') == 400
    assert code(server, path='/\0../api/state') in BROKEN
    assert code(server, path='/page.js\0') in BROKEN
    assert code(server, path='/page.js?a\0b') in BROKEN
    assert code(server, host=f'127.0.0.1:{server.port}\0.evil.example') == 400
    assert code(server, headers=['X-Picture-Name: a\0b']) == 400
    assert code(server, headers=['X\0Y: a']) == 400


@case
def a_header_that_is_not_written_plainly_is_refused(server):
    own = f'127.0.0.1:{server.port}'
    assert status(talk(server, f'GET / HTTP/1.1\nHost: {own}\n\n'.encode())) == 400
    assert status(talk(server, f'GET / HTTP/1.1\r\nHost: {own}\r\nX: a\r\n b\r\n\r\n'.encode())) == 400


@case
def a_first_line_that_is_none_ends_the_connection(server):
    for data in (b'\x16\x03\x01\x02\x00\x01\r\n\r\n', b'GET /a b HTTP/1.1\r\n\r\n'):
        assert status(talk(server, data, 3)) in BROKEN, data
    alive(server)


@case
def unknown_paths_are_not_found(server):
    for path in ('/favicon.ico', '/api', '/api/', '/api/jobs/', '/page.js/', '/index.html', '/api/jobs/x/events', '/api/jobs/99999999999/events'):
        assert code(server, path=path) == 404, path


@case
def a_long_path_is_refused(server):
    assert code(server, path='/' + 'a' * 1000) == 400
    assert status(talk(server, request(server, path='/' + 'a' * 100000))) == 414


@case
def a_job_that_is_not_there_is_not_found(server):
    assert code(server, path='/api/jobs/987654/events') == 404
    assert post(server, '/api/jobs/987654/cancel', {}) == 404
    assert post(server, '/api/jobs', {'type': 'classes', 'picture': 987654}) == 404


@case
def a_body_of_a_gibibyte_is_refused_at_once(server):
    start = time.time()
    head = request(server, method='POST', path='/api/pictures', headers=['Content-Length: 1073741824'])
    assert status(talk(server, head)) == 413
    assert time.time() - start < 5


@case
def lengths_that_are_no_numbers_are_refused(server):
    huge = '9' * 23  # above 64 bits libmicrohttpd answers itself: 1.0.1 "too large", 1.0.10 "bad request"
    for length, wanted in (('-1', [400]), (huge, [400, 413]), ('ten', [400]), ('0x10', [400]), ('1 1', [400])):
        answer = talk(server, request(server, method='POST', path='/api/pictures', headers=[f'Content-Length: {length}']))
        assert status(answer) in wanted, (length, answer[:60])


@case
def chunks_beyond_the_limit_are_refused(server):
    head = request(server, method='POST', path='/api/pictures', headers=['Transfer-Encoding: chunked'])
    block = b'100000\r\n' + b'x' * 0x100000 + b'\r\n'
    assert status(talk(server, head + block * 40 + b'0\r\n\r\n', 60)) == 413


@case
def chunks_without_end_end_the_connection(server):
    head = request(server, method='POST', path='/api/pictures', headers=['Transfer-Encoding: chunked'])
    block = b'100000\r\n' + b'x' * 0x100000 + b'\r\n'
    with socket.create_connection(('127.0.0.1', server.port), timeout=60) as wire:
        wire.sendall(head)
        try:
            for sent in range(400):  # an answer cannot come before the body's end; what comes is the end
                wire.sendall(block)
            raise AssertionError('400 MiB were read')
        except (BrokenPipeError, ConnectionResetError):
            assert sent >= 32, sent
    alive(server)


@case
def broken_chunks_are_refused(server):
    head = request(server, method='POST', path='/api/jobs', headers=['Transfer-Encoding: chunked'])
    assert status(talk(server, head + b'zz\r\nhello\r\n')) == 400


@case
def a_slow_client_keeps_nobody_waiting(server):
    slow = socket.create_connection(('127.0.0.1', server.port))
    for byte in b'GET / HT':
        slow.send(bytes([byte]))
        time.sleep(0.05)
        assert code(server) == 200
    slow.close()


@case
def a_hundred_clients_that_say_nothing_keep_nobody_waiting(server):
    silent = [socket.create_connection(('127.0.0.1', server.port)) for _ in range(100)]
    assert code(server) == 200
    for wire in silent:
        wire.close()


@case
def http_0_9_is_refused(server):
    assert status(talk(server, b'GET /\r\n\r\n')) == 400


@case
def another_version_is_refused(server):
    for version in ('HTTP/2.0', 'HTTP/3.7'):
        assert code(server, version=version) == 505, version


@case
def ten_thousand_headers_are_refused(server):
    assert code(server, headers=[f'X-{i}: {i}' for i in range(10000)]) == 431


@case
def a_long_header_is_refused(server):
    assert code(server, headers=['X-Long: ' + 'a' * 40000]) == 431


@case
def pipelined_requests_are_each_judged(server):
    good = request(server, path='/api/state').replace(b'Connection: close', b'Connection: keep-alive')
    answer = talk(server, good + request(server, path='/api/state', token='0' * 32), whole=True)
    assert answer.startswith(b'HTTP/1.1 200') and b'HTTP/1.1 401' in answer


@case
def a_smuggled_request_is_not_answered(server):
    inner = request(server, path='/api/state')
    both = request(server, method='POST', path='/api/jobs', headers=['Content-Length: 4', 'Transfer-Encoding: chunked'])
    answer = talk(server, both + b'0\r\n\r\n' + inner, whole=True)
    assert status(answer) == 400 and answer.count(b'HTTP/1.1 ') == 1, answer[:200]


@case
def json_that_is_none_is_refused(server):
    for body in (b'', b'{', b'[]', b'null', b'"x"', b'\xff\xfe', b'{"a":' * 5000, b'{"type": "explain", "type": "classes"}', b'0' * 70000):
        answer = talk(server, request(server, method='POST', path='/api/jobs', body=body, headers=[] if body else ['Content-Length: 0']))
        assert status(answer) == 400, (body[:40], answer[:80])


@case
def values_out_of_range_are_refused(server):
    for value in ({'type': 'explain', 'picture': -1}, {'type': 'explain', 'picture': 1e300}, {'type': 'explain', 'picture': '1'}, {'type': 'explain', 'picture': 2**63 - 1},
                  {'type': 'format', 'picture': 1}, {'type': 'explain', 'picture': 1, 'method': 7}, {'type': 'explain', 'picture': 1, 'method': 'x' * 5000},
                  {'type': 'explain', 'picture': 1, 'seed': -1}, {'type': 'explain', 'picture': 1, 'class': 'a\u0000b'}, {'picture': 1}):
        assert post(server, '/api/jobs', value) == 400, value


@case
def a_path_is_never_taken_from_the_page(server):
    answer = talk(server, request(server, method='POST', path='/api/jobs', body=json.dumps(
        {'type': 'classes', 'picture': 1, 'file': '/etc/passwd'}).encode()), whole=True)
    assert status(answer) == 202
    number = json.loads(answer.split(b'\r\n\r\n', 1)[1])['id']
    events = talk(server, request(server, path=f'/api/jobs/{number}/events'), whole=True)
    assert b'"done"' in events and b'passwd' not in events, events[:300]


@case
def files_of_results_that_are_not_there_are_refused(server):
    for value in ({}, {'format': 'exe', 'jobs': [1], 'picture_job': 1, 'title': 'x'}, {'format': 'png', 'jobs': [], 'picture_job': 1},
                  {'format': 'png', 'jobs': list(range(100)), 'picture_job': 1}, {'format': 'png', 'jobs': ['1'], 'picture_job': 1},
                  {'format': 'png', 'jobs': [1e9], 'picture_job': 1}):
        assert post(server, '/api/file', value) == 400, value
    assert post(server, '/api/file', {'format': 'png', 'jobs': [777777], 'picture_job': 777777, 'title': ''}) == 404


@case
def an_empty_picture_is_refused(server):
    assert code(server, method='POST', path='/api/pictures', headers=['Content-Length: 0']) == 400


@case
def a_broken_picture_fails_its_job_alone(server):
    answer = talk(server, request(server, method='POST', path='/api/pictures', body=b'\x89PNG\r\n\x1a\n' + b'\0' * 100), whole=True)
    number = json.loads(answer.split(b'\r\n\r\n', 1)[1])['id']
    answer = talk(server, request(server, method='POST', path='/api/jobs', body=json.dumps({'type': 'classes', 'picture': number}).encode()), whole=True)
    job = json.loads(answer.split(b'\r\n\r\n', 1)[1])['id']
    assert b'"failed"' in talk(server, request(server, path=f'/api/jobs/{job}/events'), whole=True)
    alive(server)


@case
def every_answer_carries_the_policy(server):
    for path in ('/', '/page.js', '/nowhere', '/api/state'):
        answer = talk(server, request(server, path=path)).decode('latin-1').lower()
        for header in ("content-security-policy: default-src 'none'; script-src 'self'", 'x-content-type-options: nosniff', 'referrer-policy: no-referrer',
                       'cross-origin-resource-policy: same-origin'):
            assert header in answer, (path, header)
        assert 'access-control-' not in answer


@case
def only_this_machine_is_listened_to(server):
    with open(f'/proc/{server.process.pid}/net/tcp', encoding='ascii') as file:
        lines = [line.split()[1] for line in file if f':{server.port:04X} ' in line and ' 0A ' in line]
    assert lines == [f'0100007F:{server.port:04X}'], lines


@case
def two_servers_cannot_share_a_port(server):
    done = subprocess.run([GIG, 'serve', 'demo/model.onnx', '--port', str(server.port)], cwd=os.environ['GIG_SOURCE'], capture_output=True, text=True, timeout=30)
    assert done.returncode == 5 and '127.0.0.1' in done.stderr, (done.returncode, done.stderr)


@case
def two_hundred_clients_at_once_are_answered(server):
    answers = []

    def client():
        answers.append(status(talk(server, request(server, path='/api/state'), 60)))
    threads = [threading.Thread(target=client) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 200 and answers.count(200) >= 180, answers
    alive(server)


@case
def a_full_queue_is_503(server):
    long = {'type': 'explain', 'picture': 1, 'method': 'ig/steps=100000'}
    answers = [post(server, '/api/jobs', long) for _ in range(8)]
    jobs = server.ask('/api/state')['jobs']
    for job in jobs:
        server.ask(f"/api/jobs/{job['id']}/cancel", {})
    # Four wait; a fifth has room once the first runs, at whatever moment that is.
    assert answers[:4] == [202] * 4 and sorted(answers[4:]) in ([503] * 4, [202] + [503] * 3), answers


@case
def the_server_lives_on(server):
    alive(server)
    assert server.stop() in (0, 130)


def main():
    server = Server('demo/model.onnx', 'demo/pictures')
    try:
        return case.run(server)
    finally:
        server.stop()


sys.exit(main())
