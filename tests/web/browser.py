# SPDX-License-Identifier: Apache-2.0
"""A real browser for the tests of web/: Chromium, driven by Selenium as a person would, and cases that print TAP."""
import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

SOURCE = os.environ['GIG_SOURCE']
BUILD = os.environ['GIG_BUILD_DIR']
GIG = os.path.join(BUILD, 'gig')
FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']


def wait(condition, seconds=180, what='the page'):
    """What condition() gives, as soon as that is true. The limit is for machines that are slow and busy; nothing is
    judged by how long it took."""
    end = time.time() + seconds
    while True:
        try:
            found = condition()
            if found:
                return found
        except Exception as error:  # what was looked at has just been drawn anew
            if type(error).__name__ != 'StaleElementReferenceException':
                raise
        if time.time() > end:
            raise AssertionError(f'waited {seconds} s for {what}')
        time.sleep(0.02)


def gig(*arguments, code=0):
    done = subprocess.run([GIG, *arguments], cwd=SOURCE, capture_output=True, text=True, errors='surrogateescape')
    assert done.returncode == code, f'gig {" ".join(arguments)}: {done.returncode}\n{done.stderr}'
    return done.stdout


class Browser:
    def __init__(self, work):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        self.downloads = os.path.join(work, 'downloads')
        os.makedirs(self.downloads)
        options = Options()
        for flag in FLAGS + [f'--user-data-dir={work}/profile', '--window-size=1280,1000']:
            options.add_argument(flag)
        options.add_experimental_option('prefs', {'download.default_directory': self.downloads,
                                                  'download.prompt_for_download': False})
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
        self.driver = webdriver.Chrome(service=Service(shutil.which('chromedriver')), options=options)
        self.driver.set_script_timeout(180)
        self.driver.set_page_load_timeout(180)

    def open(self, address):
        self.driver.get('about:blank')
        self.log()
        self.driver.get(address)

    def log(self):
        """Warnings and errors of the console since the last time, but for a hint that reading pixels here causes."""
        return [entry['message'] for entry in self.driver.get_log('browser')
                if entry['level'] in ('SEVERE', 'WARNING') and 'willReadFrequently' not in entry['message']]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, css):
        return self.driver.find_elements('css selector', css)

    def one(self, css):
        return wait(lambda: self.all(css), what=css)[0]

    def text(self, css):
        return self.one(css).text

    def control(self, label, tag='*'):
        """The control with this name, as a person finds it."""
        return wait(lambda: self.run("""
            const [name, tag] = arguments;
            for (const label of document.querySelectorAll('label')) {
                if (label.textContent.trim() !== name || !label.offsetParent) continue;
                return label.htmlFor ? document.getElementById(label.htmlFor) : label.querySelector('input');
            }
            return [...document.querySelectorAll('button')].find((b) => b.textContent.trim() === name && b.offsetParent);
        """, label, tag), what=f'a control named {label}')

    def press(self, label):
        control = self.control(label)
        self.run('arguments[0].scrollIntoView({ block: "center" })', control)
        if control.get_attribute('type') == 'radio':
            self.run('arguments[0].parentElement.scrollIntoView({ block: "center" })', control)
            control.find_element('xpath', '..').click()
        else:
            control.click()

    def slide(self, label, value):
        """Moves a slider with the keyboard, as input events and all."""
        self.run("""
            const [slider, value] = arguments;
            slider.focus();
            slider.value = value;
            slider.dispatchEvent(new Event('input', { bubbles: true }));
        """, self.control(label), str(value))

    def choose(self, label, words):
        from selenium.webdriver.support.ui import Select
        Select(self.control(label)).select_by_visible_text(words)

    def keys(self, element, *keys):
        element.send_keys(*keys)

    def move_to(self, element, share_x, share_y):
        from selenium.webdriver import ActionChains
        self.run('arguments[0].scrollIntoView({ block: "center" })', element)
        size = element.size
        ActionChains(self.driver, duration=20).move_to_element_with_offset(
            element, int((share_x - 0.5) * size['width']), int((share_y - 0.5) * size['height'])).perform()

    def drag(self, element, from_x, to_x, y=0.5):
        from selenium.webdriver import ActionChains
        self.run('arguments[0].scrollIntoView({ block: "center" })', element)
        width, height = element.size['width'], element.size['height']
        ActionChains(self.driver, duration=20).move_to_element_with_offset(
            element, int((from_x - 0.5) * width), int((y - 0.5) * height)).click_and_hold().move_by_offset(
            int((to_x - from_x) * width), 0).release().perform()

    def pixels(self, css):
        """The pixels of a canvas as one number, once drawn."""
        return self.run("""
            const canvas = document.querySelector(arguments[0]);
            return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                let sum = 0;
                for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) % 4294967291;
                done(sum);
            })));
        """, css)

    def size(self, width, height, scale=1):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': scale, 'mobile': False})

    def dark(self, on):
        self.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': 'prefers-color-scheme', 'value': 'dark' if on else 'light'}]})

    def offline(self, on):
        self.driver.execute_cdp_cmd('Network.enable', {})
        self.driver.execute_cdp_cmd('Network.emulateNetworkConditions', {
            'offline': on, 'latency': 0, 'downloadThroughput': -1, 'uploadThroughput': -1})

    def downloaded(self, name):
        """The path of a file that was saved, once it is whole."""
        path = os.path.join(self.downloads, name)
        wait(lambda: os.path.exists(path) and os.path.getsize(path) and not any(f.endswith('.crdownload') for f in os.listdir(self.downloads)), what=name)
        return path

    def box(self, element, from_x, from_y, to_x, to_y):
        """Drags from one place of an element to another, both as shares of its size."""
        from selenium.webdriver import ActionChains
        self.run('arguments[0].scrollIntoView({ block: "center" })', element)
        width, height = element.size['width'], element.size['height']
        ActionChains(self.driver, duration=20).move_to_element_with_offset(
            element, int((from_x - 0.5) * width), int((from_y - 0.5) * height)).click_and_hold().move_by_offset(
            int((to_x - from_x) * width), int((to_y - from_y) * height)).release().perform()

    def colour_alone(self):
        """What is told apart by its colour only: pressed or checked controls that look like the others in grey (weight of
        the font, underline, border), lines of plots with equal dashes."""
        return self.run("""
            const out = [], shape = (e) => { const s = getComputedStyle(e); return [s.fontWeight, s.textDecorationLine, s.borderTopWidth, s.boxShadow === 'none'].join(); };
            for (const group of document.querySelectorAll('.tabs, .thumbs, .row')) {
                const on = group.querySelector('input:checked + span, button[aria-pressed=true]');
                const off = group.querySelector('input:not(:checked) + span, button[aria-pressed=false]');
                if (on && off && on.getClientRects().length && shape(on) === shape(off)) out.push(on.textContent);
            }
            for (const plot of document.querySelectorAll('svg.plot')) {
                const dashes = [...plot.querySelectorAll('path.line')].map((line) => line.getAttribute('stroke-dasharray'));
                if (new Set(dashes).size < dashes.length) out.push(plot.getAttribute('aria-label'));
            }
            for (const bad of document.querySelectorAll('.jobs li.bad')) if (!bad.querySelector('span').textContent.trim()) out.push('a failed job');
            return out;
        """)

    def screenshot(self, path):
        self.driver.save_screenshot(path)

    def fits(self):
        """Nothing is wider than the window."""
        return self.run('return document.documentElement.scrollWidth <= document.documentElement.clientWidth')

    def unnamed(self):
        """Controls and pictures without an accessible name."""
        return self.run("""
            const named = (e) => e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.title ||
                (e.labels && [...e.labels].some((l) => l.textContent.trim())) || (e.tagName === 'BUTTON' && e.textContent.trim());
            return [...document.querySelectorAll('button, input, select, textarea, [role=img], [tabindex="0"]')]
                .filter((e) => e.type !== 'file' || e.offsetParent).filter((e) => !e.closest('[hidden]') && !named(e)).map((e) => e.outerHTML.slice(0, 120));
        """)

    def low_contrast(self):
        """Texts whose contrast with what is behind them is below 4.5."""
        return self.run("""
            const rgb = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
            const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
            const behind = (e) => {
                for (; e; e = e.parentElement) {
                    const colour = rgb(getComputedStyle(e).backgroundColor);
                    if (colour.length < 4 || colour[3] > 0) return colour;
                }
                return [255, 255, 255];
            };
            const out = [];
            for (const e of document.querySelectorAll('body *')) {
                if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
                if (!e.getClientRects().length || e.closest('script, style, noscript, option')) continue;
                const style = getComputedStyle(e), ink = rgb(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
                const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x);
                if ((a + 0.05) / (b + 0.05) < 4.5) out.push(`${e.tagName} ${e.textContent.trim().slice(0, 40)}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
            }
            return out;
        """)

    def close(self):
        self.driver.quit()


class Cases:
    """Functions in order; each is one case of TAP. A case that fails does not end the others."""

    def __init__(self):
        self.list = []

    def __call__(self, function):
        self.list.append(function)
        return function

    def run(self, *arguments, browser=None):
        failed = 0
        only = os.environ.get('GIG_CASE')
        for i, function in enumerate(self.list, 1):
            name = function.__name__.replace('_', ' ')
            if only and only not in name:
                print(f'ok {i} - {name} # SKIP not asked for')
                continue
            try:
                function(*arguments)
                print(f'ok {i} - {name}', flush=True)
            except Exception:  # a case may fail in any way
                failed += 1
                print(f'not ok {i} - {name}', flush=True)
                for line in traceback.format_exc().splitlines():
                    print(f'# {line}', file=sys.stderr)
                shots = os.environ.get('GIG_SHOTS')
                if browser and shots:
                    browser.screenshot(f'{shots}/{function.__name__}.png')
        print(f'1..{len(self.list)}')
        return 1 if failed else 0


def missing():
    """Why there can be no browser test here; None: there can."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return 'python3-selenium is missing (tools/setup --browser)'
    for program in ('chromium', 'chromedriver'):
        if not shutil.which(program):
            return f'{program} is missing (tools/setup --browser)'
    return None


def read_npy(path):
    """A float32 .npy of version 1, without NumPy: (shape, values)."""
    import array
    import ast
    import struct
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:6] == b'\x93NUMPY'
    length = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    assert head['descr'] == '<f4' and not head['fortran_order'], head
    return head['shape'], array.array('f', data[10 + length:])
