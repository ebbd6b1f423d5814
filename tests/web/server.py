# SPDX-License-Identifier: Apache-2.0
"""A server of the page, for tests."""
import json
import os
import re
import signal
import subprocess
import urllib.request

from browser import GIG, SOURCE


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([GIG, 'serve', *arguments], cwd=SOURCE, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r'http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})', self.address)
        assert found, self.address
        self.port, self.token = int(found[1]), found[2]

    def ask(self, path, body=None):
        request = urllib.request.Request(f'http://127.0.0.1:{self.port}{path}', headers={'Authorization': f'Bearer {self.token}'},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def workers(self):
        """Process numbers of the workers."""
        own = []
        for task in os.listdir(f'/proc/{self.process.pid}/task'):
            try:
                with open(f'/proc/{self.process.pid}/task/{task}/children', encoding='ascii') as file:
                    own += file.read().split()
            except OSError:  # the thread has just ended
                continue
        return sorted(set(map(int, own)))

    def stop(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout=20)
