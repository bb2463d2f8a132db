"""What `cedar info` and `cedar score` say of every damaged copy."""
import re
import shutil
import subprocess
import sys
import time

import damage


class Cedar:
    """Runs commands and counts those that end otherwise than they should."""

    def __init__(self, args):
        args.work.mkdir(parents=True, exist_ok=True)
        self.program, self.snapshot, self.folder = args.cedar.resolve(), args.snapshot, args.work / 'damaged'
        self.ids = args.work / 'ids.txt'
        self.ids.write_text('0\n')
        self.wrong = self.runs = 0

    def ends(self, kind, command, code, words, model=None):
        """words: a regex that the errors must have; None: there must be none."""
        more = ['--ids', self.ids] if command == 'score' else []
        start = time.monotonic()
        ran = subprocess.run([self.program, command, model or self.folder, *more], capture_output=True, text=True, errors='replace')
        right = ran.returncode == code and re.search(words or '', ran.stderr, re.DOTALL)
        self.runs += 1
        self.wrong += not right
        print(f'{"ok   " if right else "WRONG"} {command} {kind} ({time.monotonic() - start:.1f} s): exit {ran.returncode}',
              ran.stderr.strip().replace(str(self.folder), 'MODEL')[-400:], flush=True)
        if not right:
            print(f'      expected exit {code} and {words}')

    def damage(self, kind):
        damage.damage(self.snapshot, kind, self.folder)


def check_refusals(args):
    """-> the exit status."""
    cedar = Cedar(args)
    cedar.ends('as released', 'info', 0, None, cedar.snapshot)
    if cedar.snapshot.parent.name == 'snapshots':
        cedar.ends('the folder of the hub\'s cache', 'info', 0, None, cedar.snapshot.parent.parent)
    for kind, (_, words) in damage.FATAL.items():
        cedar.damage(kind)
        cedar.ends(kind, 'info', 3, words)
        cedar.ends(kind, 'score', 3, words)
    for kind in damage.HARMLESS:
        cedar.damage(kind)
        cedar.ends(kind, 'info', 0, None)
        if args.score_harmless:
            cedar.ends(kind, 'score', 0, None)
    for kind in damage.PLANNED:
        cedar.damage(kind)
        cedar.ends(kind, 'info', 0, None)
        cedar.ends(kind, 'score', 3, 'no such file|No such file')
    shutil.rmtree(cedar.folder)
    print(f'{cedar.runs} runs, {cedar.wrong} of them wrong', file=sys.stderr)
    return 1 if cedar.wrong else 0
