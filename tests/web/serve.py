#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of gig serve, used as a person does."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from browser import GIG, SOURCE, Browser, Cases, gig, read_npy, wait
from server import Server

case = Cases()
MODEL, FOLDER = 'demo/model.onnx', 'demo/pictures'
LONG = 'steps=20000'


def fresh(server, browser):
    """The page as if just opened: earlier jobs are cancelled and gone from view."""
    for job in server.ask('/api/state')['jobs']:
        if job['state'] in ('queued', 'running'):
            server.ask(f"/api/jobs/{job['id']}/cancel", {})
    wait(lambda: all(job['state'] not in ('queued', 'running') for job in server.ask('/api/state')['jobs']))
    browser.open(server.address)
    browser.one('aside')


def pick(browser, name):
    browser.choose('Picture', name)
    wait(lambda: browser.text('.found h2') == name and browser.all('.class-row'), what=name)


def option(browser, name, value):
    details = browser.one('details')
    if not details.get_attribute('open'):
        browser.one('summary').click()
    control = browser.control(name)
    control.clear()
    control.send_keys(value)


def jobs(browser):
    return [line.text for line in browser.all('.jobs li')]


def idle(browser, count, seconds=60):
    """Waits until so many jobs are listed and none is under way."""
    wait(lambda: len(browser.all('.jobs li')) >= count and not browser.all('.jobs button'), seconds, f'{count} jobs')


def beside(browser, on):
    box = browser.one('.check input[type=checkbox]:not([disabled])')
    boxes = [b for b in browser.all('aside > .check input')]
    if boxes and boxes[0].is_displayed() and boxes[0].is_selected() != on:
        boxes[0].click()
    assert box is not None


@case
def the_page_loads_and_names_the_model(server, browser, work):
    browser.open(server.address)
    assert browser.text('aside h1') == 'model.onnx'
    assert browser.log() == []


@case
def without_the_token_nothing_is_shown(server, browser, work):
    browser.open(server.address.split('#')[0])
    assert 'token' in browser.text('[role=alert]')
    browser.open('about:blank')


@case
def choosing_a_picture_shows_the_best_classes(server, browser, work):
    fresh(server, browser)
    pick(browser, 'butterfly-3.png')
    rows = browser.all('.class-row')
    assert len(rows) == 5 and rows[0].text.startswith('butterfly'), [row.text for row in rows]


@case
def the_methods_are_the_librarys(server, browser, work):
    shown = browser.run("return [...arguments[0].options].map((o) => o.value)", browser.control('Method'))
    assert shown == [row['name'] for row in server.ask('/api/state')['methods']] and 'gig' in shown
    browser.choose('Method', 'ig')
    helps = {row['name']: row['help'] for row in server.ask('/api/state')['methods']}
    assert browser.text('.method > .note') == helps['ig']
    browser.choose('Method', 'gig')


@case
def explaining_gives_two_maps_and_their_numbers(server, browser, work):
    browser.press('Explain')
    idle(browser, 2)
    assert [t.text for t in browser.all('.thumb')] == ['ig', 'gig:20']
    heads = [head.text for head in browser.all('thead th')]
    assert heads == ['method', 'sum', 'should be', 'delta', 'gradients', 'seconds'], heads
    assert 'done' in jobs(browser)[0]


@case
def the_path_can_be_scrubbed_afterwards(server, browser, work):
    films = browser.all('.film h3')
    assert [film.text for film in films] == ['ig', 'gig:20']
    browser.slide('Share of the way (alpha)', 0.1)
    time.sleep(0.2)
    early = [float(re.search(r'alpha ([\d.e-]+)', w.text)[1]) for w in browser.all('.film .words')]
    browser.slide('Share of the way (alpha)', 1)
    time.sleep(0.2)
    late = [float(re.search(r'alpha ([\d.e-]+)', w.text)[1]) for w in browser.all('.film .words')]
    assert all(e < 0.4 for e in early) and all(l == 1 for l in late), (early, late)


@case
def hovering_shows_the_value_that_the_npy_holds(server, browser, work):
    npy = f'{work}/hover.npy'
    gig('explain', MODEL, f'{FOLDER}/butterfly-3.png', '-m', 'ig', '--npy', npy, '--quiet')
    shape, values = read_npy(npy)
    [t for t in browser.all('.thumb') if t.text == 'ig'][0].click()
    browser.move_to(browser.one('.stage'), 0.42, 0.55)
    text = browser.text('.found .readout')
    x, y = map(int, re.match(r'x (\d+), y (\d+)', text).groups())
    shown = [float(v) for v in re.search(r'; ig: ([^(]*)', text)[1].split(',')]
    held = values[(y * shape[2] + x) * 3:(y * shape[2] + x) * 3 + 3]
    assert all(abs(a - b) <= 1e-4 * max(abs(b), 1e-9) for a, b in zip(shown, held)), (shown, list(held))


@case
def two_methods_are_swiped(server, browser, work):
    browser.choose('Compare with', 'gig:20')
    before = browser.pixels('.stage')
    browser.drag(browser.one('.stage'), 0.5, 0.25)
    assert browser.pixels('.stage') != before
    browser.choose('Compare with', 'nothing')


@case
def the_command_gives_the_same_bits(server, browser, work):
    [t for t in browser.all('.thumb') if t.text == 'gig:20'][0].click()
    command = browser.text('.command')
    assert command.startswith('gig explain '), command
    where = f'{work}/command'
    os.makedirs(where)
    words = command.replace('map.npy', f'{where}/map.npy').split()
    subprocess.run([GIG, *words[1:], '--quiet'], cwd=SOURCE, check=True, capture_output=True)
    browser.press('NPY of this map')
    saved = f'{browser.downloads}/gig.npy'
    wait(lambda: os.path.exists(saved), what='the download')
    time.sleep(0.2)
    with open(saved, 'rb') as one, open(f'{where}/map.npy', 'rb') as other:
        assert one.read() == other.read()


@case
def drawings_are_saved(server, browser, work):
    starts = {'PNG': ('gig.png', b'\x89PNG'), 'SVG': ('gig.svg', b'<?xml'), 'PDF': ('gig.pdf', b'%PDF-'), 'JSON': ('gig.json', b'{')}
    for button, (name, start) in starts.items():
        browser.press(button)
        path = f'{browser.downloads}/{name}'
        wait(lambda: os.path.exists(path) and os.path.getsize(path), what=name)
        with open(path, 'rb') as file:
            assert file.read(len(start)) == start, name


@case
def the_page_is_saved_as_a_report(server, browser, work):
    browser.press('report.html')
    path = f'{browser.downloads}/report.html'
    wait(lambda: os.path.exists(path) and os.path.getsize(path), what='report.html')
    time.sleep(0.2)
    browser.open('file://' + path)
    assert [t.text for t in browser.all('.thumb')] == ['ig', 'gig:20']
    assert browser.log() == []


@case
def frames_arrive_while_the_path_is_walked(server, browser, work):
    fresh(server, browser)
    pick(browser, 'snail-10.png')
    beside(browser, False)
    option(browser, 'steps', '40000')
    browser.press('Explain')
    wait(lambda: re.search(r'\d+ of 4\d{4}, [\d.]+ a second, \d+ s left', jobs(browser)[-1]), 30, 'the rate')
    seen = set()
    wait(lambda: browser.all('.film .words') and (seen.add(browser.text('.film .words')) or len(seen) >= 3), 30, 'frames')


@case
def cancelling_ends_a_job_under_way(server, browser, work):
    browser.press('Cancel')  # a job that was let go on would say that it is done
    wait(lambda: 'cancelled' in jobs(browser)[-1], 10, 'the end')
    assert not browser.all('.thumb')


@case
def after_a_cancel_the_next_job_runs(server, browser, work):
    option(browser, 'steps', '42')
    browser.press('Explain')
    wait(lambda: 'done' in jobs(browser)[-1], what='the job')


@case
def another_class_can_be_chosen(server, browser, work):
    browser.all('.class-row input')[1].click()
    name = browser.all('.class-row span')[0].text
    other = browser.all('.class-row')[1].text.split('\n')[0]
    browser.press('Explain')
    wait(lambda: browser.all('.map-words') and other in browser.text('.map-words'), what=f'{other} beside {name}')


@case
def a_class_is_found_by_its_name(server, browser, work):
    browser.control('Other class').send_keys('cactus')
    browser.press('Explain')
    wait(lambda: browser.all('.map-words') and 'cactus' in browser.text('.map-words .note'), what='cactus')


@case
def an_unknown_class_is_an_error_that_says_so(server, browser, work):
    control = browser.control('Other class')
    control.clear()
    control.send_keys('unicornfish')
    count = len(jobs(browser))
    browser.press('Explain')
    wait(lambda: browser.all('.jobs li.bad') and 'unicornfish' in browser.all('.jobs li')[-1].text, what='the message')
    assert count
    browser.control('Other class').clear()
    browser.all('.class-row input')[0].click()


@case
def an_option_out_of_range_is_an_error_that_says_so(server, browser, work):
    option(browser, 'steps', '-5')
    browser.press('Explain')
    wait(lambda: 'steps' in browser.all('.jobs li')[-1].text and browser.all('.jobs li')[-1].get_attribute('class') == 'bad', what='the message')


@case
def a_box_gives_the_area_that_gig_score_gives(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'gradients')
    browser.press('Explain')
    idle(browser, 1)
    browser.press('Draw a box')
    from selenium.webdriver import ActionChains
    stage = browser.one('.stage')
    browser.run('arguments[0].scrollIntoView({ block: "center" })', stage)
    width, height = stage.size['width'], stage.size['height']
    ActionChains(browser.driver, duration=20).move_to_element_with_offset(stage, -width // 4, -height // 4).click_and_hold().move_by_offset(
        width // 2, height // 2).release().perform()
    box = [int(v) for v in browser.control('Box around the object').get_attribute('value').split(',')]
    wait(lambda: any(head.text == 'AUC' for head in browser.all('thead th')), what='a column AUC')
    shown = float(browser.all('tbody td')[-1].text)
    npy = f'{work}/box.npy'
    gig('explain', MODEL, f'{FOLDER}/fish-6.png', '-m', 'gradients', '--npy', npy, '--quiet')
    text = gig('score', '--map', npy, '--boxes', ' '.join(map(str, box)), '--metrics', 'auc', '--reduce', 'abs-sum')
    known = float(re.search(r'auc\S* ([\d.]+)', text)[1])
    assert abs(shown - known) < 6e-4, (shown, known, box, text)


@case
def a_file_can_be_uploaded(server, browser, work):
    fresh(server, browser)
    path = f'{work}/own picture.png'
    shutil.copy(f'{SOURCE}/{FOLDER}/candle-5.png', path)
    browser.control('or a file').send_keys(path)
    wait(lambda: browser.all('.found h2') and browser.text('.found h2') == 'own picture.png', what='the picture')
    assert browser.all('.class-row')[0].text.startswith('candle')


@case
def a_name_with_tags_is_shown_as_text(server, browser, work):
    path = f'{work}/<img src=x onerror=alert(1)>.png'
    shutil.copy(f'{SOURCE}/{FOLDER}/candle-5.png', path)
    browser.control('or a file').send_keys(path)
    wait(lambda: browser.all('.found h2') and '<img src=x' in browser.text('.found h2'), what='the name')
    assert not browser.all('img')
    assert browser.log() == []


@case
def what_is_not_a_picture_is_an_error_that_says_so(server, browser, work):
    path = f'{work}/text.png'
    with open(path, 'w', encoding='ascii') as file:
        file.write('not a picture')
    browser.control('or a file').send_keys(path)
    wait(lambda: browser.all('aside > [role=alert]') and 'JPEG' in browser.text('aside > [role=alert]'), what='the message')


@case
def three_pictures_queue(server, browser, work):
    fresh(server, browser)
    for name in ('fish-6.png', 'snail-10.png', 'mug-8.png'):
        pick(browser, name)
    browser.choose('Method', 'ig')
    option(browser, 'steps', '201')
    for name in ('fish-6.png', 'snail-10.png', 'mug-8.png'):
        pick(browser, name)
        browser.press('Explain')
    wait(lambda: len(browser.all('.jobs li')) >= 3 and not browser.all('.jobs button'), 60, 'the jobs')
    assert all(re.match(r'ig/steps=201 done', line) for line in jobs(browser)[-3:]), jobs(browser)
    for name in ('fish-6.png', 'mug-8.png'):
        pick(browser, name)
        assert browser.text('.map-words h3') == 'ig/steps=201'


@case
def a_full_queue_says_so(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'ig')
    option(browser, 'steps', '100000')
    for _ in range(6):
        browser.press('Explain')
        time.sleep(0.1)
    wait(lambda: 'queue is full' in browser.text('aside > [role=alert]'), what='the message')


@case
def reloading_keeps_a_job_that_runs(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'ig')
    option(browser, 'steps', '100000')
    browser.press('Explain')
    wait(lambda: ' of ' in jobs(browser)[-1], what='progress')
    browser.driver.refresh()
    wait(lambda: any(' of ' in line for line in jobs(browser)), what='progress after reloading')
    assert browser.text('.found h2') == 'fish-6.png'
    browser.press('Cancel')


@case
def a_worker_that_dies_ends_its_job_not_the_server(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'ig')
    option(browser, 'steps', '100000')
    browser.press('Explain')
    wait(lambda: ' of ' in jobs(browser)[-1], what='progress')
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    wait(lambda: 'signal 9' in jobs(browser)[-1], what='the message')
    option(browser, 'steps', '42')
    browser.press('Explain')
    wait(lambda: 'done' in jobs(browser)[-1], what='the next job')


@case
def every_control_has_a_name(server, browser, work):
    assert browser.unnamed() == [], browser.unnamed()


@case
def text_has_contrast_in_light_and_dark(server, browser, work):
    browser.one('summary')
    for dark in (False, True):
        browser.dark(dark)
        assert browser.low_contrast() == [], (dark, browser.low_contrast())
    browser.dark(False)


@case
def it_fits_360_pixels_and_150_percent(server, browser, work):
    for width, height, scale in ((360, 740, 1), (853, 667, 1.5)):
        browser.size(width, height, scale)
        time.sleep(0.1)
        assert browser.fits(), width
    browser.size(1280, 1000)


@case
def the_keyboard_is_enough(server, browser, work):
    from selenium.webdriver.common.keys import Keys
    fresh(server, browser)
    browser.run('arguments[0].focus()', browser.control('Picture'))
    browser.driver.switch_to.active_element.send_keys('fish')
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    wait(lambda: browser.all('.class-row'), what='classes')
    from selenium.webdriver import ActionChains
    for _ in range(20):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        if browser.driver.switch_to.active_element.text == 'Explain':
            break
    assert browser.driver.switch_to.active_element.text == 'Explain'


@case
def nothing_is_loaded_from_elsewhere(server, browser, work):
    names = browser.run('return performance.getEntriesByType("resource").map((e) => e.name)')
    assert names and all(name.startswith(f'http://127.0.0.1:{server.port}/') for name in names), names


@case
def a_model_with_an_error_is_refused_at_the_start(server, browser, work):
    path = f'{work}/broken.onnx'
    with open(path, 'wb') as file:
        file.write(b'\x08\x07broken')
    done = subprocess.run([GIG, 'serve', path], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and 'broken.onnx' in done.stderr and done.stdout == '', (done.returncode, done.stderr)


@case
def it_ends_cleanly(server, browser, work):
    workers = server.workers()
    assert server.stop() in (0, 130)
    assert not any(os.path.exists(f'/proc/{pid}') for pid in workers)


def main():
    work = sys.argv[1]
    server = Server(MODEL, FOLDER)
    browser = Browser(work)
    try:
        return case.run(server, browser, work, browser=browser)
    finally:
        browser.close()
        server.stop()


sys.exit(main())
