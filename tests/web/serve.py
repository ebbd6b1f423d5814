#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of gig serve, used as a person does."""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys

from browser import GIG, SOURCE, Browser, Cases, gig, read_npy, wait
from server import Server

case = Cases()
MODEL, FOLDER = 'demo/model.onnx', 'demo/pictures'
LONG = '1000000'  # steps that no test waits for
AUTO = ' '.join(gig('help', 'explain').split()).split('auto stands for ')[1].split()[0]  # the default method's own name
DEFAULT, PAPER = f'{AUTO} (the default)', 'gig:20 (as published)'
MANY = '100000'  # so too, but 500 of them move the film by a notch of its slider


def fresh(server, browser):
    """The page as if just opened: earlier jobs are cancelled and gone from view."""
    for job in server.ask('/api/state')['jobs']:
        if job['state'] in ('queued', 'running'):
            server.ask(f"/api/jobs/{job['id']}/cancel", {})
    wait(lambda: all(job['state'] not in ('queued', 'running') for job in server.ask('/api/state')['jobs']))
    browser.open(server.address)
    browser.one('main[aria-busy=false]')


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


def idle(browser, count):
    """Waits until so many jobs are listed and nothing is under way."""
    wait(lambda: browser.all('.jobs[aria-busy=false]') and len(browser.all('.jobs li')) >= count, what=f'{count} jobs')


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
    assert shown == [DEFAULT, PAPER] + [row['name'] for row in server.ask('/api/state')['methods']] and 'gig' in shown
    browser.choose('Method', 'ig')
    helps = {row['name']: row['help'] for row in server.ask('/api/state')['methods']}
    assert browser.text('.method > .note') == helps['ig']


def chosen(browser):
    return browser.control('Method').get_attribute('value')


def settings(browser, *names):
    """What the controls of these options hold; empty is the default."""
    if not browser.one('details').get_attribute('open'):
        browser.one('summary').click()
    return [browser.control(name).get_attribute('value') for name in names]


@case
def it_begins_with_the_default_method_under_its_own_name(server, browser, work):
    fresh(server, browser)
    pick(browser, 'apple-0.png')
    assert chosen(browser) == DEFAULT and DEFAULT.startswith(AUTO), DEFAULT
    assert settings(browser, 'rule', 'steps', 'repeat') == ['idgi', '84', ''], settings(browser, 'rule', 'steps', 'repeat')
    browser.press('Explain')
    wait(lambda: browser.all('.map-words h3') and browser.text('.map-words h3') == AUTO, what=AUTO)
    known = json.loads(gig('explain', MODEL, f'{FOLDER}/apple-0.png', '--json'))['results'][0]
    cells = dict(zip([head.text for head in browser.all('thead th')], [cell.text for cell in browser.all('tbody tr:first-child > *')]))
    assert known['method'] == AUTO and cells['gradients'] == str(known['evaluations']), (known['method'], cells)


@case
def changed_settings_are_shown_as_the_method_alone(server, browser, work):
    option(browser, 'steps', '42')
    assert chosen(browser) == 'ig'
    assert settings(browser, 'rule', 'steps') == ['idgi', '42']
    browser.choose('Method', 'ig')
    browser.choose('Method', DEFAULT)
    assert settings(browser, 'rule', 'steps') == ['idgi', '84']
    boxes = {box.find_element('xpath', '..').text: box for box in browser.all('.method .check input')}
    boxes['smooth+'].click()  # what was set stays
    assert chosen(browser) == 'ig' and settings(browser, 'rule', 'steps', 'samples') == ['idgi', '84', '']
    boxes['smooth+'].click()
    browser.choose('Method', DEFAULT)
    browser.choose('Method', 'ig')  # by itself: its own defaults
    assert settings(browser, 'rule', 'steps') == ['midpoint', '']


@case
def repeating_gives_how_well_the_draws_agree(server, browser, work):
    fresh(server, browser)
    pick(browser, 'bird-1.png')
    browser.choose('Method', 'gig')
    beside(browser, False)
    option(browser, 'steps', '10')
    option(browser, 'repeat', '3')
    browser.press('Explain')
    wait(lambda: browser.all('.map-words h3') and browser.text('.map-words h3') == 'gig/repeat=3/steps=10', what='the map')
    cells = dict(zip([head.text for head in browser.all('thead th')], [cell.text for cell in browser.all('tbody tr:first-child > *')]))
    known = json.loads(gig('explain', MODEL, f'{FOLDER}/bird-1.png', '-m', 'gig/repeat=3/steps=10', '--json'))['results'][0]
    assert known['stability'] < 1 and math.isclose(float(cells['stability']), known['stability'], rel_tol=1e-3), (cells, known['stability'])


@case
def the_published_settings_are_a_choice(server, browser, work):
    fresh(server, browser)
    pick(browser, 'butterfly-3.png')
    browser.choose('Method', PAPER)
    assert browser.control('Anchors (K)').get_attribute('value') == '20'
    assert settings(browser, 'rule', 'steps', 'fraction') == ['left', '', '']


@case
def explaining_gives_two_maps_and_their_numbers(server, browser, work):
    browser.press('Explain')
    idle(browser, 2)
    assert [t.text for t in browser.all('.thumb')] == ['ig', 'gig:20']
    heads = [head.text for head in browser.all('thead th')]
    assert heads == ['method', 'score', 'sum', 'should be', 'delta', 'gradients', 'seconds'], heads
    assert 'done' in jobs(browser)[0]


@case
def the_path_can_be_scrubbed_afterwards(server, browser, work):
    films = browser.all('.film h3')
    assert [film.text for film in films] == ['ig', 'gig:20']
    def alphas():
        return [float(re.search(r'alpha ([\d.e-]+)', w.text)[1]) for w in browser.all('.film .words')]
    browser.slide('Share of the way (alpha)', 0.1)
    wait(lambda: all(alpha < 0.4 for alpha in alphas()), what='the start of both paths')
    browser.slide('Share of the way (alpha)', 1)
    wait(lambda: alphas() == [1, 1], what='the end of both paths')


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
    with open(browser.downloaded('gig.npy'), 'rb') as one, open(f'{where}/map.npy', 'rb') as other:
        assert one.read() == other.read()


@case
def drawings_are_saved(server, browser, work):
    starts = {'PNG': ('gig.png', b'\x89PNG'), 'SVG': ('gig.svg', b'<?xml'), 'PDF': ('gig.pdf', b'%PDF-'), 'JSON': ('gig.json', b'{')}
    for button, (name, start) in starts.items():
        browser.press(button)
        with open(browser.downloaded(name), 'rb') as file:
            assert file.read(len(start)) == start, name


@case
def the_numbers_saved_are_those_of_the_command_line(server, browser, work):
    with open(browser.downloaded('gig.json'), encoding='utf-8') as file:
        saved = json.load(file)['results']
    assert [one['method'] for one in saved] == ['ig', 'gig:20']
    for one in saved:
        known = json.loads(gig('explain', MODEL, f'{FOLDER}/butterfly-3.png', '-m', one['method'], '--json'))['results'][0]
        for key in ('value_input', 'value_baseline', 'sum', 'delta', 'evaluations', 'method', 'class', 'of'):
            if isinstance(one[key], float):
                assert math.isclose(one[key], known[key], rel_tol=1e-7, abs_tol=1e-12), (key, one[key], known[key])
            else:
                assert one[key] == known[key], (key, one[key], known[key])


@case
def the_page_is_saved_as_a_report(server, browser, work):
    browser.press('report.html')
    browser.open('file://' + browser.downloaded('report.html'))
    browser.one('article')
    assert [t.text for t in browser.all('.thumb')] == ['ig', 'gig:20']
    assert browser.log() == []


@case
def frames_arrive_while_the_path_is_walked(server, browser, work):
    fresh(server, browser)
    pick(browser, 'snail-10.png')
    beside(browser, False)
    option(browser, 'steps', MANY)
    browser.press('Explain')
    wait(lambda: re.search(r'\d+ of 1\d{5}, [\d.]+ a second, \d+ s left', jobs(browser)[-1]), what='the rate')
    seen = set()
    wait(lambda: browser.all('.film .words') and (seen.add(browser.text('.film .words')) or len(seen) >= 5), what='frames')


@case
def cancelling_ends_a_job_under_way(server, browser, work):
    browser.press('Cancel')  # a job that was let go on would say that it is done
    wait(lambda: 'cancelled' in jobs(browser)[-1], what='the end')
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


def area_is(browser, known):
    """Waits until the last column of the table is the area under the ROC curve, and this one."""
    def shown():
        heads, cells = browser.all('thead th'), browser.all('tbody tr:first-child td')
        return heads and heads[-1].text == 'AUC' and cells and abs(float(cells[-1].text) - known) < 6e-4
    wait(shown, what=f'an AUC of {known}')


def area_of(npy, *where):
    text = gig('score', '--map', npy, *where, '--metrics', 'auc', '--reduce', 'abs-sum')
    return float(re.search(r'auc\S* ([\d.]+)', text)[1])


@case
def a_box_gives_the_area_that_gig_score_gives(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'gradients')
    browser.press('Explain')
    idle(browser, 1)
    browser.press('Draw a box')
    browser.box(browser.one('.stage'), 0.25, 0.25, 0.75, 0.75)
    box = [int(v) for v in browser.control('Box').get_attribute('value').split(',')]
    assert box[2] - box[0] > 40 and box[3] - box[1] > 40, box
    npy = f'{work}/box.npy'
    gig('explain', MODEL, f'{FOLDER}/fish-6.png', '-m', 'gradients', '--npy', npy, '--quiet')
    area_is(browser, area_of(npy, '--boxes', ' '.join(map(str, box))))


@case
def a_typed_box_counts_too(server, browser, work):
    from selenium.webdriver.common.keys import Keys
    control = browser.control('Box')
    control.clear()
    control.send_keys('10, 20, 60, 70', Keys.ENTER)
    area_is(browser, area_of(f'{work}/box.npy', '--boxes', '10 20 60 70'))


@case
def a_painted_mask_gives_the_area_that_gig_score_gives(server, browser, work):
    browser.press('Paint a mask')
    stage = browser.one('.stage')
    browser.box(stage, 0.3, 0.3, 0.7, 0.6)
    browser.box(stage, 0.4, 0.7, 0.6, 0.7)
    browser.press('Erase')
    browser.box(stage, 0.5, 0.4, 0.5, 0.5)
    browser.press('Save the mask')
    area_is(browser, area_of(f'{work}/box.npy', '--mask', browser.downloaded('mask.png')))


@case
def a_mask_is_painted_with_the_keyboard(server, browser, work):
    from selenium.webdriver.common.keys import Keys
    browser.press('Clear')
    wait(lambda: not any(head.text == 'AUC' for head in browser.all('thead th')), what='the column AUC to go')
    browser.press('Paint a mask')
    browser.slide('Brush', 2)
    browser.keys(browser.one('.stage'), Keys.ARROW_LEFT, ' ')
    assert browser.text('.truth [role=status]') == 'The mask has 13 pixels.'
    browser.press('Clear')


@case
def why_not_another_class_stands_beside(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    rival = browser.all('.class-row')[1].text.split('\n')[0]
    browser.choose('Method', 'gradients')
    browser.choose('Why not', rival)
    browser.press('Explain')
    idle(browser, 2)
    wait(lambda: [name.text for name in browser.all('.stages figcaption')] == ['gradients', f'gradients, {rival}'], what='both maps side by side')
    assert all(stage.is_displayed() for stage in browser.all('.stage'))
    browser.move_to(browser.all('.stage')[1], 0.4, 0.4)
    wait(lambda: f'gradients, {rival}: ' in browser.text('.found .readout') and '; gradients: ' in browser.text('.found .readout'), what='both values')
    assert [head.text for head in browser.all('tbody th')][-2:] == ['gradients', f'gradients, {rival}']


@case
def nothing_is_told_by_colour_alone(server, browser, work):
    assert browser.colour_alone() == [], browser.colour_alone()


@case
def a_region_is_drawn_where_the_model_has_one(server, browser, work):
    other = Server('tests/golden/scalars/segmentation.onnx', f'{FOLDER}/fish-6.png')
    try:
        browser.open(other.address)
        wait(lambda: browser.all('.class-row'), what='classes')  # the only picture is chosen
        browser.press('Draw the region')
        browser.box(browser.one('.stage'), 0.2, 0.2, 0.7, 0.6)
        region = browser.control('Region').get_attribute('value')
        assert re.fullmatch(r'\d+,\d+,\d+,\d+', region), region
        browser.choose('Method', 'ig')
        browser.press('Explain')
        idle(browser, 1)
        command = browser.text('.command')
        assert f'--region {region} ' in command, command
        subprocess.run([GIG, *command.replace('map.npy', f'{work}/region.npy').split()[1:], '--quiet'], cwd=SOURCE, check=True, capture_output=True)
        for old in os.listdir(browser.downloads):
            os.remove(f'{browser.downloads}/{old}')
        browser.press('NPY of this map')
        with open(browser.downloaded('gig.npy'), 'rb') as one, open(f'{work}/region.npy', 'rb') as same:
            assert one.read() == same.read()
        browser.press('Predicted')
        wait(lambda: browser.control('Region').get_attribute('value') == '', what='the predicted region')
        browser.press('Explain')
        wait(lambda: '--region predicted ' in browser.text('.command'), what='the predicted region in the command')
    finally:
        other.stop()


@case
def a_classifier_has_no_region(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    assert not browser.all('.region')


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
    idle(browser, 3)
    assert all(re.match(r'ig/steps=201 done', line) for line in jobs(browser)[-3:]), jobs(browser)
    for name in ('fish-6.png', 'mug-8.png'):
        pick(browser, name)
        # the class stands behind it where the first map that the server still has is of another one
        assert browser.text('.map-words h3').startswith('ig/steps=201'), [thumb.text for thumb in browser.all('.thumb')]


@case
def a_full_queue_says_so(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'ig')
    option(browser, 'steps', LONG)
    for _ in range(6):
        browser.press('Explain')
    wait(lambda: 'queue is full' in browser.text('aside > [role=alert]'), what='the message')


@case
def reloading_keeps_a_job_that_runs(server, browser, work):
    fresh(server, browser)
    pick(browser, 'fish-6.png')
    browser.choose('Method', 'ig')
    option(browser, 'steps', LONG)
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
    option(browser, 'steps', LONG)
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
        wait(browser.fits, 30, f'the page to fit {width} pixels')
    browser.size(1280, 1000)


@case
def the_keyboard_is_enough(server, browser, work):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    fresh(server, browser)

    def active():
        return browser.driver.switch_to.active_element

    def tab_to(reached, what):
        for _ in range(60):
            if reached():
                return
            ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        raise AssertionError(f'no way to {what} with the tab key')
    tab_to(lambda: active().get_attribute('id') == browser.control('Picture').get_attribute('id'), 'the pictures')
    active().send_keys('fish', Keys.ENTER)
    wait(lambda: browser.all('.class-row'), what='classes')
    tab_to(lambda: active().get_attribute('id') == browser.control('Method').get_attribute('id'), 'the methods')
    active().send_keys('gradients')
    wait(lambda: browser.text('.method > .note').startswith('The gradient') or browser.control('Method').get_attribute('value') == 'gradients', what='the method')
    tab_to(lambda: active().text == 'Explain', 'Explain')
    active().send_keys(Keys.ENTER)
    idle(browser, 1)
    tab_to(lambda: active().get_attribute('class') == 'stage', 'the picture')
    active().send_keys(Keys.ARROW_RIGHT)
    assert re.match(r'x \d+, y \d+; pixel', browser.text('.found .readout'))
    tab_to(lambda: active().text == 'PNG', 'the buttons that save')


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
