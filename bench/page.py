#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon gig serve shows the first frame of a path, and what watching it costs.

    bench/page.py BUILD [MODEL PICTURE] [ROUNDS]

The first frame: from the request of the job (with Chromium: from the click on Explain) until it is there; beside the
clock, the CPU time that the worker took, which does not depend on who else uses the machine. The cost of watching: CPU
time of the worker for a run that is watched, against `gig explain` of the same method; runs alternate, and what both
spend on beginning is taken off by a run of few steps. One thread each."""
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else 'build')
os.environ.update(GIG_SOURCE=SOURCE, GIG_BUILD_DIR=BUILD)
sys.path.insert(0, os.path.join(SOURCE, 'tests/web'))
from browser import GIG, Browser, missing, wait  # noqa: E402
from server import Server  # noqa: E402

LONG, SHORT = 200, 40  # steps
TICK = os.sysconf('SC_CLK_TCK')


def cpu_of(pid):
    """Seconds of CPU time of a process, threads that have ended included."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def events(server, job):
    request = urllib.request.Request(f'http://127.0.0.1:{server.port}/api/jobs/{job}/events', headers={'Authorization': f'Bearer {server.token}'})
    answer = urllib.request.urlopen(request, timeout=600)
    while len(head := answer.read(8)) == 8:
        length, count = struct.unpack('<II', head)
        said = json.loads(answer.read(length))
        answer.read(count)
        yield said


def run(server, method):
    """CPU seconds of worker and server for a whole run, and how many frames it gave."""
    worker, = server.workers()
    before = cpu_of(worker), cpu_of(server.process.pid)
    job = server.ask('/api/jobs', {'type': 'explain', 'picture': 1, 'method': method})['id']
    frames = 0
    for said in events(server, job):
        frames += said['type'] == 'frame'
        assert said['type'] != 'failed', said
    return cpu_of(worker) - before[0], cpu_of(server.process.pid) - before[1], frames


def explain(model, picture, method, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([GIG, 'explain', model, picture, '-m', method, '-j', '1', '--npy', out, '--force', '--quiet'], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_frame(server, method):
    """(seconds, CPU seconds of the worker) until the first frame is there."""
    worker, = server.workers()
    before, start = cpu_of(worker), time.perf_counter()
    job = server.ask('/api/jobs', {'type': 'explain', 'picture': 1, 'method': method})['id']
    found = None
    for said in events(server, job):
        if said['type'] == 'frame' and not found:
            found = time.perf_counter() - start, cpu_of(worker) - before
            server.ask(f'/api/jobs/{job}/cancel', {})
    return found


def from_the_click(server, rounds):
    """Seconds from the click on Explain until the first frame is drawn, in Chromium."""
    times = []
    with tempfile.TemporaryDirectory() as work:
        browser = Browser(work)
        try:
            for _ in range(rounds):
                browser.open(server.address)
                browser.one('main[aria-busy=false]')
                if not browser.all('.class-row'):
                    browser.run('arguments[0].selectedIndex = 1; arguments[0].dispatchEvent(new Event("change"))', browser.control('Picture'))
                wait(lambda: browser.all('.class-row'), what='classes')
                wait(lambda: not browser.all('.jobs button'), what='an end of earlier jobs')
                browser.choose('Method', 'gig:20 (as published)')
                times.append(browser.driver.execute_async_script("""
                    const done = arguments[arguments.length - 1], button = [...document.querySelectorAll('button')].find((b) => b.textContent === 'Explain');
                    document.querySelector('.paths')?.remove();
                    const look = () => {
                        const words = document.querySelector('.paths .film .words');
                        if (words && words.textContent.startsWith('alpha')) requestAnimationFrame(() => done((performance.now() - start) / 1000));
                        else requestAnimationFrame(look);
                    };
                    const start = performance.now();
                    button.click();
                    look();
                """))
                for button in browser.all('.jobs button'):
                    button.click()
                wait(lambda: not browser.all('.jobs button'), what='an end of the jobs')
        finally:
            browser.close()
    return times


def show(what, values, unit='s'):
    print(f'{what}: median {statistics.median(values):.3f} {unit}, {min(values):.3f} to {max(values):.3f} ({len(values)} runs)')


def main():
    data = os.path.join(SOURCE, '..', 'shared', 'data')
    model, picture = sys.argv[2:4] if len(sys.argv) > 3 else (f'{data}/models/mobilenet_v2_224.onnx', f'{data}/ilsvrc/ILSVRC2012_val_00000003.jpg')
    if not os.path.exists(model):
        model, picture = os.path.join(SOURCE, 'demo/model.onnx'), os.path.join(SOURCE, 'demo/pictures/fish-6.png')
    print(f'# {os.path.basename(model)}, {os.path.basename(picture)}')
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        print('# CPU:', next(line.split(':')[1].strip() for line in file if line.startswith('model name')))
    server = Server(model, picture, '-j', '1')
    try:
        job = server.ask('/api/jobs', {'type': 'classes', 'picture': 1})['id']
        assert list(events(server, job))[-1]['type'] == 'done'
        for method in ('ig', 'gig:20'):
            found = [first_frame(server, method) for _ in range(rounds)]
            show(f'{method}, first frame after the request', [wall for wall, _ in found])
            show(f'{method}, CPU time of the worker until then', [cpu for _, cpu in found])
        if missing():
            print(f'# no browser: {missing()}')
        else:
            show('gig:20 with ig beside it, first frame drawn after the click', from_the_click(server, rounds))
        with tempfile.TemporaryDirectory() as work:
            for method in ('ig', 'gig:20'):
                costs = []
                for _ in range(rounds):
                    long, short = (explain(model, picture, f'{method}/steps={steps}', f'{work}/map.npy') for steps in (LONG, SHORT))
                    (watched, served, frames), (watched_short, served_short, _) = (run(server, f'{method}/steps={steps}') for steps in (LONG, SHORT))
                    plain, seen = long - short, watched - watched_short
                    costs.append((seen / plain - 1, (served - served_short) / plain, frames, plain))
                print(f'{method}, {LONG} steps: watching costs the worker {100 * statistics.median(c[0] for c in costs):+.1f} % '
                      f'({100 * min(c[0] for c in costs):+.1f} to {100 * max(c[0] for c in costs):+.1f}), the server '
                      f'{100 * statistics.median(c[1] for c in costs):.1f} % of the run\'s {statistics.median(c[3] for c in costs):.2f} s of CPU; '
                      f'{statistics.median(c[2] for c in costs):.0f} frames')
    finally:
        server.stop()


main()
