"""Make a checkpoint for the tests, with what the oracle says of it, unless it is there already.

    python3 make_checkpoint.py OUT_DIR NAME

NAME: random_0, random_1, ... (random_configs.py), or a way of storing the weights (storage.py). A file `made_from` in OUT_DIR
says which sources made it.
"""
import argparse
import hashlib
import pathlib
import shutil

import numpy as np

import golden
import random_configs
import storage
from v41 import config, safetensors, synthetic

TOKENS = 60


def made_from(name):
    digest = hashlib.sha256(name.encode())
    for path in sorted(pathlib.Path(__file__).parent.rglob('*.py')):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def make(out, name):
    if name.startswith('random_'):
        seed = int(name.removeprefix('random_'))
        synthetic.write(out, synthetic.tiny_config(**random_configs.changes(seed)), seed)
    else:
        seed = 7
        storage.write(out, name)
    tokens = np.random.default_rng(seed).integers(3, config.load(out).vocab_size, TOKENS)
    expected = golden.expected(out, tokens, decode=8)
    if not name.startswith('random_'):
        storage.write(out, name, tables=True)
    safetensors.write(out / 'expected.safetensors', expected)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('out', type=pathlib.Path)
    ap.add_argument('name')
    o = ap.parse_args()
    stamp, key = o.out / 'made_from', made_from(o.name)
    if stamp.exists() and stamp.read_text() == key:
        return
    shutil.rmtree(o.out, ignore_errors=True)
    make(o.out, o.name)
    stamp.write_text(key)


if __name__ == '__main__':
    main()
