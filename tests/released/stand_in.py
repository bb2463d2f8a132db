"""Writes the sparse stand-in: real layout and sizes, holes for nearly all data, as the hub's cache lays it out."""
import gzip
import hashlib
import json
import os
import pathlib
import sys

from layout import (CONFIG_TEXT, HIDDEN, REVISION, TESTS, TEXT, check_layout, file_order, header_of, index_text, shard_name,
                    shards)
from values import SPOTS, Rows, Values, check_ids

INDEX = 'model.safetensors.index.json'
HUB_FOLDER = 'models--deepseek-ai--DeepSeek-V4.1-Flash'

# Files of the release that are none of a model's.
STRAY = {
    '.gitattributes': b'*.safetensors filter=lfs diff=lfs merge=lfs -text\n', 'LICENSE': b'MIT License\n',
    'README.md': b'---\nlicense: mit\nlibrary_name: transformers\n---\n# DeepSeek-V4.1-Flash\n',
    'DeepSeek_V41_Tech_Report.pdf': b'%PDF-1.7\n', 'assets/dsv41_kv_cache.png': b'\x89PNG\r\n',
    'encoding/encoding.py': b'# chat encoding\n', 'encoding/tests/test_input_1.json': b'{}\n',
    'encoding/tests/test_output_1.txt': b'x\n', 'evaluation/README.md': b'# evaluation\n',
    'inference/config.json': b'{"vocab_size": 129280, "dim": 5120}\n', 'inference/model.py': b'# model\n',
    'inference/convert.py': b'# convert\n', 'inference/examples/images/corn.jpeg': b'\xff\xd8\xff\n',
}
TOKENIZER_CONFIG = {
    'add_bos_token': False, 'add_eos_token': False,
    'bos_token': {'__type': 'AddedToken', 'content': '<｜begin▁of▁sentence｜>', 'lstrip': False, 'normalized': True,
                  'rstrip': False, 'single_word': False},
    'clean_up_tokenization_spaces': False,
    'eos_token': {'__type': 'AddedToken', 'content': '<｜end▁of▁sentence｜>', 'lstrip': False, 'normalized': True,
                  'rstrip': False, 'single_word': False},
    'legacy': True, 'model_max_length': 1048576, 'sp_model_kwargs': {}, 'unk_token': None,
    'tokenizer_class': 'PreTrainedTokenizerFast'}


class Tree:
    """A snapshot as the hub's cache lays it out (blobs, snapshots/REVISION of links), or plain files (flat)."""

    def __init__(self, out, flat):
        self.flat = flat
        self.folder = out if flat else out / HUB_FOLDER / 'snapshots' / REVISION
        self.blobs = self.folder.parent.parent / 'blobs'
        self.folder.mkdir(parents=True, exist_ok=True)
        if not flat:
            self.blobs.mkdir(exist_ok=True)
            refs = self.blobs.parent / 'refs'
            refs.mkdir(exist_ok=True)
            (refs / 'main').write_text(REVISION)

    def path(self, name, blob):
        """Where to write the file; the link to it is made."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if self.flat:
            return place
        place.unlink(missing_ok=True)
        place.symlink_to(os.path.relpath(self.blobs / blob, place.parent))
        return self.blobs / blob

    def small(self, name, data):
        """A file that Git itself holds: its blob is called after Git's SHA-1."""
        self.path(name, hashlib.sha1(b'blob %d\0' % len(data) + data).hexdigest()).write_bytes(data)

    def shard(self, i):
        """One that LFS holds: its blob would be called after its SHA-256, which takes long to find."""
        return self.path(shard_name(i), hashlib.sha256(shard_name(i).encode()).hexdigest())


def has_holes(folder):
    """Whether the file system can hold the sparse files, the largest of 102 GB."""
    probe = folder / 'probe'
    try:
        with open(probe, 'wb') as f:
            f.truncate(102 * 10**9)
            os.pwrite(f.fileno(), b'x', 101 * 10**9)
            os.fsync(f.fileno())
        return probe.stat().st_blocks * 512 < 1 << 20
    except OSError:
        return False
    finally:
        probe.unlink(missing_ok=True)


def write_shard(path, tensors, values):
    header, places, size = header_of(tensors)
    fd = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o644)
    try:
        os.ftruncate(fd, size)
        os.pwrite(fd, header, 0)
        for name in file_order(tensors) if values else ():
            data = values.of(name, *tensors[name])
            if data is not None:
                assert len(data) == places[name][1] - places[name][0], name
                os.pwrite(fd, data, places[name][0])
    finally:
        os.close(fd)


def poke_rows(tree, all_shards, values, ids):
    """The rows that the check ids read, and SPOTS."""
    rows = Rows().of(ids)
    vocab = sorted({*SPOTS, *ids})
    with open(tree.folder / shard_name(1), 'r+b') as embed, open(tree.folder / shard_name(42), 'r+b') as head:
        for file, i, name in (embed, 1, 'embed.weight'), (head, 42, 'head.weight'):
            begin = header_of(all_shards[i])[1][name][0]
            for row in vocab:
                os.pwrite(file.fileno(), values.vocab_row(name, row), begin + row * HIDDEN * 2)
    for table, i in enumerate(TEXT['engram_layer_ids']):
        places = header_of(all_shards[46 + table])[1]
        with open(tree.folder / shard_name(46 + table), 'r+b') as file:
            for row in {int(r) for r in rows[:, table].ravel()}:
                for part, data in zip(('weight', 'scale'), values.engram_row(i, row)):
                    os.pwrite(file.fileno(), data, places[f'layers.{i}.engram.embed.{part}'][0] + row * len(data))


def real_bytes(folder):
    return sum(p.lstat().st_blocks * 512 for p in pathlib.Path(folder).rglob('*') if p.is_file() and not p.is_symlink())


def write(out, flat=False, empty=False):
    """-> the folder to give to an engine. empty: headers and holes, no values at all."""
    all_shards = shards()
    check_layout(all_shards)
    tree = Tree(out, flat)
    tree.small('config.json', CONFIG_TEXT.encode())
    tree.small('tokenizer.json', gzip.decompress((TESTS / 'data/tokenizer/tokenizer.json.gz').read_bytes()))
    tree.small('tokenizer_config.json', json.dumps(TOKENIZER_CONFIG, ensure_ascii=False).encode())
    tree.small(INDEX, index_text(all_shards).encode())
    for name, data in STRAY.items():
        tree.small(name, data)
    values = None if empty else Values()
    for i, tensors in enumerate(all_shards):
        write_shard(tree.shard(i), tensors, values)
    if values:
        poke_rows(tree, all_shards, values, check_ids())
    return tree.folder


def disk_bytes(folder):
    files = (p.lstat() for p in folder.rglob('*') if p.is_file() and not p.is_symlink())
    return sum(f.st_blocks * 512 for f in files)
