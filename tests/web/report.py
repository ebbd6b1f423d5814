#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that -o report.html writes, opened from disk with the network cut, and used as a person does."""
import os
import re
import sys

from browser import Browser, Cases, gig, read_npy, wait

case = Cases()
MODEL, PICTURE = 'demo/model.onnx', 'demo/pictures/butterfly-3.png'
METHODS = 'gradients,ig,gig:20,xrai+ig,grad-cam'


class Files:
    def __init__(self, work):
        self.work = work
        self.compare = f'{work}/compare.html'
        gig('compare', MODEL, PICTURE, '--methods', METHODS, '--steps', '40', '-o', self.compare, '--quiet')


def load(browser, path):
    browser.open('file://' + path)
    browser.one('article')


def readout(browser):
    return browser.text('.readout')


@case
def a_report_opens_from_disk_without_a_network(files, browser):
    browser.offline(True)
    load(browser, files.compare)
    assert browser.text('h1') == 'butterfly-3.png, model.onnx'
    assert 'butterfly' in browser.text('.class')
    assert browser.log() == []
    assert browser.run('return performance.getEntriesByType("resource").length') == 0


@case
def every_method_has_a_thumbnail(files, browser):
    names = [thumb.text for thumb in browser.all('.thumb')]
    assert names == ['gradients', 'ig/steps=40', 'gig:20/steps=40', 'xrai+ig/steps=40', 'grad-cam'], names


@case
def the_file_is_small(files, browser):
    assert os.path.getsize(files.compare) < 1_000_000


@case
def hovering_shows_what_the_npy_holds(files, browser):
    npy = f'{files.work}/map.npy'
    gig('explain', MODEL, PICTURE, '-m', 'ig/steps=40', '--npy', npy, '--quiet')
    shape, values = read_npy(npy)
    size = shape[1]
    browser.press('ig/steps=40')
    stage = browser.one('.stage')
    worst, largest = 0, max(map(abs, values))
    for x, y in [(0.3, 0.3), (0.52, 0.41), (0.9, 0.77)]:
        browser.move_to(stage, x, y)
        text = readout(browser)
        px, py = map(int, re.match(r'x (\d+), y (\d+)', text).groups())
        assert abs(px - x * size) < 2 and abs(py - y * size) < 2, text
        shown = [float(v) for v in re.search(r'ig/steps=40: ([^(]*)', text)[1].split(',')]
        held = values[(py * size + px) * 3:(py * size + px) * 3 + 3]
        worst = max(worst, *(abs(a - b) for a, b in zip(shown, held)))
    assert worst <= largest / 65534 + 1e-4 * largest, (worst, largest)


@case
def hovering_shows_the_pixel(files, browser):
    browser.move_to(browser.one('.stage'), 0.5, 0.5)
    assert re.search(r'pixel \d+ \d+ \d+;', readout(browser)), readout(browser)


@case
def arrow_keys_move_the_cursor(files, browser):
    from selenium.webdriver.common.keys import Keys
    stage = browser.one('.stage')
    browser.move_to(stage, 0.5, 0.5)
    before = re.match(r'x (\d+), y (\d+)', readout(browser)).groups()
    browser.keys(stage, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    after = re.match(r'x (\d+), y (\d+)', readout(browser)).groups()
    assert [int(b) - int(a) for a, b in zip(before, after)] == [1, 2], (before, after)


@case
def opacity_changes_the_overlay(files, browser):
    before = browser.pixels('.stage')
    browser.slide('Opacity', 0.2)
    assert browser.pixels('.stage') != before
    browser.slide('Opacity', 0.85)
    assert browser.pixels('.stage') == before


@case
def the_threshold_keeps_the_top_values(files, browser):
    browser.press('Map')
    browser.slide('Top values', 10)
    size = 96
    kept = browser.run("""
        const canvas = document.querySelector('.stage'), { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Promise((done) => requestAnimationFrame(() => {
            const now = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let dark = 0;
            for (let i = 0; i < now.length; i += 4) dark += now[i] === 40 && now[i + 1] === 40 && now[i + 2] === 40;
            done(1 - dark / (now.length / 4));
        }));
    """)
    assert 0.08 < kept < 0.13, kept
    browser.slide('Top values', 100)
    browser.press('Overlay')


@case
def signed_values_have_zero_in_the_middle(files, browser):
    browser.press('Signed')
    low, high = [span.text for span in browser.all('.ends span')]
    assert float(low) == -float(high) < 0, (low, high)
    assert 'magnitude' in browser.text('.colours .note')
    browser.press('Magnitude')


@case
def colour_maps_can_be_chosen(files, browser):
    before = browser.pixels('.stage')
    browser.choose('Colours', 'grey')
    assert browser.pixels('.stage') != before
    browser.choose('Colours', 'automatic')
    assert browser.pixels('.stage') == before


@case
def zoom_by_slider_keys_and_double_click(files, browser):
    from selenium.webdriver import ActionChains
    before = browser.pixels('.stage')
    browser.slide('Zoom', 4)
    assert browser.pixels('.stage') != before
    stage = browser.one('.stage')
    browser.keys(stage, '0')
    assert browser.control('Zoom').get_attribute('value') == '1'
    browser.keys(stage, '+')
    assert float(browser.control('Zoom').get_attribute('value')) > 1
    browser.keys(stage, '0')
    ActionChains(browser.driver).double_click(stage).perform()
    assert browser.control('Zoom').get_attribute('value') == '2'
    browser.keys(stage, '0')


@case
def dragging_pans_a_picture_that_is_zoomed(files, browser):
    browser.slide('Zoom', 4)
    before = browser.pixels('.stage')
    browser.drag(browser.one('.stage'), 0.3, 0.7)
    assert browser.pixels('.stage') != before
    browser.slide('Zoom', 1)


@case
def two_methods_are_compared_by_a_divider(files, browser):
    browser.choose('Compare with', 'gig:20/steps=40')
    browser.slide('Divider', 1)
    whole = browser.pixels('.stage')
    browser.slide('Divider', 0.5)
    assert browser.pixels('.stage') != whole
    label = browser.one('.stage').get_attribute('aria-label')
    assert 'ig/steps=40 on the left' in label and 'gig:20/steps=40 on the right' in label, label


@case
def the_divider_can_be_dragged(files, browser):
    browser.slide('Divider', 0.5)
    browser.drag(browser.one('.stage'), 0.5, 0.8)
    assert abs(float(browser.control('Divider').get_attribute('value')) - 0.8) < 0.03
    browser.move_to(browser.one('.stage'), 0.4, 0.4)
    assert readout(browser).count('(sum ') == 2
    browser.choose('Compare with', 'nothing')


@case
def two_methods_stand_side_by_side(files, browser):
    browser.choose('Compare with', 'gig:20/steps=40')
    browser.press('Side by side')
    one, two = wait(lambda: [stage for stage in browser.all('.stage') if stage.is_displayed()], what='two pictures')
    assert abs(one.size['width'] - two.size['width']) < 2 and one.location['y'] == two.location['y']
    assert [name.text for name in browser.all('.stages figcaption')] == ['ig/steps=40', 'gig:20/steps=40']
    browser.move_to(two, 0.6, 0.6)
    wait(lambda: readout(browser).count('(sum ') == 2, what='values of both')
    browser.keys(two, '+')
    wait(lambda: float(browser.control('Zoom').get_attribute('value')) > 1, what='both to zoom')
    browser.keys(two, '0')
    assert browser.unnamed() == [], browser.unnamed()
    browser.press('Swipe')
    browser.choose('Compare with', 'nothing')
    assert browser.log() == []


@case
def nothing_is_told_by_colour_alone(files, browser):
    assert browser.colour_alone() == [], browser.colour_alone()


@case
def the_table_sorts_by_number_and_by_name(files, browser):
    def first():
        return [row.text.split()[0] for row in browser.all('tbody tr')]
    browser.press('delta')
    numbers = [cell.text for cell in browser.all('tbody tr td:nth-child(4)')]
    known = [float(n) for n in numbers if n != '–']
    assert known == sorted(known, reverse=True) and numbers[-1] == '–', numbers
    assert browser.one('th[aria-sort]').get_attribute('aria-sort') == 'descending'
    browser.press('method')
    assert first() == sorted(first()), first()


@case
def a_row_of_the_table_shows_its_map(files, browser):
    [button for button in browser.all('tbody th button') if button.text == 'grad-cam'][0].click()
    assert browser.text('.map-words h3') == 'grad-cam'
    assert [t.text for t in browser.all('.thumb[aria-pressed=true]')] == ['grad-cam']


@case
def every_control_has_a_name(files, browser):
    assert browser.unnamed() == [], browser.unnamed()


@case
def text_has_contrast_in_light_and_dark(files, browser):
    for dark in (False, True):
        browser.dark(dark)
        assert browser.low_contrast() == [], (dark, browser.low_contrast())
    paper = browser.run('return getComputedStyle(document.body).backgroundColor')
    browser.dark(False)
    assert browser.run('return getComputedStyle(document.body).backgroundColor') != paper


@case
def it_fits_360_pixels(files, browser):
    browser.size(360, 740)
    assert browser.fits()
    browser.press('Map')
    browser.press('Overlay')
    browser.size(1280, 1000)


@case
def it_fits_at_150_percent(files, browser):
    browser.size(853, 667, 1.5)
    assert browser.fits()
    browser.size(1280, 1000)


@case
def tab_reaches_every_control(files, browser):
    from selenium.webdriver.common.keys import Keys
    browser.run('document.activeElement.blur()')
    body = browser.one('body')
    seen = set()
    for _ in range(40):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.add(browser.run('const e = document.activeElement; return e.id || e.className || e.textContent'))
    for label in ('Opacity', 'Top values', 'Colours', 'Zoom', 'Compare with'):
        assert browser.control(label).get_attribute('id') in seen, label
    assert 'stage' in seen and body is not None


@case
def several_pictures_stand_in_one_file(files, browser):
    out = f'{files.work}/many.html'
    gig('explain', MODEL, 'demo/pictures/fish-6.png', 'demo/pictures/mug-8.png', '-m', 'gradients', '-o', out, '--quiet')
    load(browser, out)
    assert 'fish' in browser.text('.class')
    browser.choose('Picture', 'mug-8.png')
    wait(lambda: 'mug' in browser.text('.class'), what='the second picture')
    assert browser.log() == []


@case
def several_pictures_of_compare_stand_in_one_file(files, browser):
    out = f'{files.work}/both.html'
    gig('compare', MODEL, 'demo/pictures/fish-6.png', 'demo/pictures/mug-8.png', '--methods', 'gradients,ig', '--steps', '20', '-o', out, '--quiet')
    load(browser, out)
    assert 'fish' in browser.text('.class') and len(browser.all('.thumb')) == 2
    browser.choose('Picture', 'mug-8.png')
    wait(lambda: 'mug' in browser.text('.class'), what='the second picture')
    assert [thumb.text for thumb in browser.all('.thumb')] == ['gradients', 'ig/steps=20']
    browser.press('ig/steps=20')
    assert browser.text('.map-words h3') == 'ig/steps=20'
    assert browser.log() == []


@case
def a_photo_with_five_methods_takes_three_megabytes_at_most(files, browser):
    """At 224 x 224, from what the demo's 96 x 96 takes: the arrays grow with the pixels, the viewer does not."""
    pixel = 4 / 3 * (3 + 2 * sum([3, 3, 3, 1, 1]))  # bytes in base64: the picture, and 16 bits for each channel of a map
    rest = os.path.getsize(files.compare) - pixel * 96**2
    assert 0 < rest < 200_000 and rest + pixel * 224**2 < 3_000_000, rest


@case
def a_path_is_moved_along(files, browser):
    out = f'{files.work}/path.html'
    gig('path', MODEL, PICTURE, '--steps', '42', '-m', 'gig:20', '-o', out, '--quiet')
    load(browser, out)
    assert [film.text for film in browser.all('.film h3')] == ['ig', 'gig:20/steps=42']
    browser.slide('Share of the way (alpha)', 0)
    wait(lambda: all(words.text.startswith('alpha 0,') for words in browser.all('.film .words')), what='the start of the path')
    black = browser.pixels('.film canvas')
    browser.press('Play')
    wait(lambda: browser.pixels('.film canvas') != black, what='the film')
    assert browser.unnamed() == [], browser.unnamed()
    assert browser.fits() and browser.log() == []


def golden(files, name, member='x'):
    """An array of tests/golden/scalars, as a file."""
    import zipfile
    with zipfile.ZipFile(os.path.join(os.environ['GIG_SOURCE'], f'tests/golden/scalars/{name}.npz')) as archive:
        with open(f'{files.work}/{name}-{member}.npy', 'wb') as out:
            out.write(archive.read(f'{member}.npy'))
    return f'{files.work}/{name}-{member}.npy'


@case
def an_array_is_shown_slice_by_slice(files, browser):
    out = f'{files.work}/array.html'
    gig('explain', 'tests/golden/scalars/volume.onnx', '--tensor', golden(files, 'volume'), '-m', 'gradients', '-o', out, '--quiet')
    load(browser, out)
    before = browser.pixels('.stage')
    browser.slide('Slice', 0)
    assert browser.pixels('.stage') != before
    browser.choose('Show as', 'signals')
    browser.move_to(browser.one('.strip'), 0.5, 0.5)
    assert re.search(r'channel \d+, position \d+: value', browser.text('.signals .readout'))
    assert browser.unnamed() == [], browser.unnamed()
    assert browser.log() == []


@case
def a_table_has_bars_under_its_columns_names(files, browser):
    names = ['age', 'income', '<i>debt</i>', 'rent', 'loans', 'savings']
    with open(f'{files.work}/columns.txt', 'w', encoding='utf-8') as file:
        file.write(''.join(f'{name}\n' for name in names))
    out, npy = f'{files.work}/table.html', f'{files.work}/table.npy'
    gig('explain', 'tests/golden/scalars/regression.onnx', '--tensor', golden(files, 'regression'), '--of', 'value', '-m', 'ig',
        '--columns', f'{files.work}/columns.txt', '-o', out, '--npy', npy, '--quiet')
    load(browser, out)
    _, values = read_npy(npy)
    order = sorted(range(6), key=lambda i: -abs(values[i]))
    assert [row.text.split(' = ')[0] for row in browser.all('.bars > span:not(.track)')] == [names[i] for i in order]
    assert len(browser.all('.bar')) == 6 and not browser.all('.bars i')
    assert browser.unnamed() == [] and browser.fits() and browser.log() == []


@case
def tokens_have_their_texts(files, browser):
    import zipfile
    with zipfile.ZipFile(os.path.join(os.environ['GIG_SOURCE'], 'tests/golden/scalars/encoder.npz')) as archive:
        for name in ('x.npy', 'mask.npy'):
            archive.extract(name, files.work)
    words = ['[CLS]', 'the', '<b>film</b>', 'was', 'great', '[SEP]']
    with open(f'{files.work}/words.txt', 'w', encoding='utf-8') as file:
        file.write(''.join(f'{word}\n' for word in words))
    given = ['tests/golden/scalars/encoder.onnx', '--tensor', f'x={files.work}/x.npy', '--tensor', f'mask={files.work}/mask.npy', '-m', 'ig', '--steps', '20']
    gig('explain', *given, '--tokens', f'{files.work}/words.txt', '-o', f'{files.work}/words.html', '--npy', f'{files.work}/words.npy', '--quiet')
    load(browser, f'{files.work}/words.html')
    shape, values = read_npy(f'{files.work}/words.npy')
    rows = [row.text.split() for row in browser.all('tbody tr')]
    assert [row[1] for row in rows] == words, rows
    for i, row in enumerate(rows):  # a position's value is the sum over its embedding
        assert abs(float(row[2].replace('−', '-')) - sum(values[i * shape[2]:(i + 1) * shape[2]])) < 2e-4 * max(map(abs, values)) * shape[2], row
    assert not browser.all('.tokens b')
    for dark in (False, True):
        browser.dark(dark)
        assert browser.low_contrast() == [], (dark, browser.low_contrast())
    browser.dark(False)
    assert browser.unnamed() == [] and browser.fits() and browser.log() == []
    with open(f'{files.work}/words.txt', 'a', encoding='utf-8') as file:
        file.write('more\n')
    gig('explain', *given, '--tokens', f'{files.work}/words.txt', '-o', f'{files.work}/none.html', '--quiet', code=2)
    gig('explain', *given, '--tokens', f'{files.work}/words.txt', '--npy', f'{files.work}/none.npy', '--quiet', code=1)
    gig('explain', *given, '--tokens', os.fsdecode(b'\xff'), '-o', f'{files.work}/none.html', '--quiet', code=5)  # a name that is not UTF-8: no such file


@case
def names_with_tags_are_shown_as_text(files, browser):
    import shutil
    evil = f'{files.work}/<img src=x onerror=alert(1)><script>alert(2)<,script>.png'
    shutil.copy(os.path.join(os.environ['GIG_SOURCE'], PICTURE), evil)
    out = f'{files.work}/evil.html'
    gig('explain', MODEL, evil, '-m', 'gradients', '-o', out, '--quiet')
    load(browser, out)
    assert '<script>alert(2)' in browser.text('h2'), browser.text('h2')
    assert not browser.all('article img')
    assert browser.log() == []


@case
def what_was_tampered_with_does_not_run(files, browser):
    changed = f'{files.work}/changed.html'
    with open(files.compare, encoding='utf-8') as file:
        text = file.read()
    with open(changed, 'w', encoding='utf-8') as file:
        file.write(text.replace('<script type="module">', '<script>document.title = "owned"</script><script type="module">', 1))
    browser.open('file://' + changed)
    browser.one('article')
    assert browser.driver.title != 'owned'
    assert any('Content Security Policy' in line for line in browser.log())


@case
def a_damaged_file_says_so(files, browser):
    broken = f'{files.work}/broken.html'
    with open(files.compare, encoding='utf-8') as file:
        text = file.read()
    with open(broken, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'("panels":\[)', r'\1 nonsense', text, count=1))
    browser.open('file://' + broken)
    assert 'damaged' in browser.text('[role=alert]')


def main():
    work = sys.argv[1]
    files = Files(work)
    browser = Browser(work)
    try:
        return case.run(files, browser, browser=browser)
    finally:
        browser.close()


sys.exit(main())
