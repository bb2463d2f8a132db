"""Damaged copies of the stand-in, made of links, and what an engine is to say of each."""
import json
import os
import re
import shutil
import struct

from layout import shard_name
from stand_in import INDEX

LFS_POINTER = b'version https://git-lfs.github.com/spec/v1\noid sha256:' + b'a' * 64 + b'\nsize 7405956128\n'
SHARD = shard_name(16)  # of layer 14
LAST = shard_name(42)   # head.weight and norm.weight, which is the last


def rewrite_header(source, target, change):
    """A copy with another header and the same data, sparse: only blocks that are on disk are copied."""
    with open(source, 'rb') as f:
        n = struct.unpack('<Q', f.read(8))[0]
        entries = json.loads(f.read(n))
    text = json.dumps(change(entries), separators=(',', ':')).encode()
    text += b' ' * (n - len(text)) if len(text) <= n else b' ' * (-len(text) % 8)
    fd, to = os.open(source, os.O_RDONLY), os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
    size, shift = os.fstat(fd).st_size, len(text) - n
    os.ftruncate(to, size + shift)
    at = 8 + n
    while at < size:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(fd, at, os.SEEK_HOLE)
        while at < end:
            piece = os.pread(fd, min(end - at, 1 << 24), at)
            os.pwrite(to, piece, at + shift)
            at += len(piece)
    os.pwrite(to, struct.pack('<Q', len(text)) + text, 0)
    os.close(fd)
    os.close(to)


class Copy:
    """A folder of links to all files of a snapshot, some of which are replaced then."""

    def __init__(self, source, out):
        self.source, self.out = source.resolve(), out
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for p in self.source.iterdir():
            if p.is_file():
                (out / p.name).symlink_to(p.resolve())

    def remove(self, name):
        (self.out / name).unlink()

    def write(self, name, data):
        (self.out / name).unlink(missing_ok=True)
        (self.out / name).write_bytes(data)

    def link(self, name, target):
        (self.out / name).unlink(missing_ok=True)
        (self.out / name).symlink_to(target)

    def json(self, name, change):
        """Replaces a JSON file by what is made of it."""
        value = json.loads((self.source / name).read_text())
        change(value)
        self.write(name, json.dumps(value, indent=2).encode())

    def header(self, name, change=lambda entries: None):
        def changed(entries):
            change(entries)
            return entries
        self.remove(name)
        rewrite_header(self.source / name, self.out / name, changed)

    def resize(self, name, by):
        self.header(name)
        os.truncate(self.out / name, (self.out / name).stat().st_size + by)

    def poke(self, name, offset, data):
        """offset: below 0 from the end."""
        self.header(name)
        with open(self.out / name, 'r+b') as f:
            f.seek(offset, os.SEEK_END if offset < 0 else os.SEEK_SET)
            f.write(data)

    def cut(self, name):
        data = (self.source / name).read_bytes()
        self.write(name, data[:len(data) // 2])


# ---- Each kind: a function of a Copy -------------------------------------------------------------------------------------------

def unknown_tensor(copy):
    copy.json(INDEX, lambda index: index['weight_map'].update({'layers.5.attn.wq_z.weight': shard_name(7)}))


def unknown_shard(copy):
    copy.json(INDEX, lambda index: index['weight_map'].update(
        {'layers.5.attn.wq_a.weight': 'model-00049-of-00048.safetensors'}))


def missing_tensor(copy):
    copy.json(INDEX, lambda index: index['weight_map'].pop('layers.39.ffn.experts.383.w3.scale'))


def extra_tensor(copy):
    def change(entries):
        entries['a.new.thing'] = entries.pop('image_end')
        entries['odd.type'] = {'dtype': 'F4', 'shape': [2], 'data_offsets': [0, 0]}

    def index(value):
        value['weight_map'].pop('image_end')
        value['weight_map'].update({'a.new.thing': shard_name(1), 'odd.type': shard_name(1)})
    copy.header(shard_name(1), change)
    copy.json(INDEX, index)


def extra_files(copy):
    copy.write('model-extra.safetensors', b'not a shard')
    copy.write('consolidated.00.pth', b'x')


def retype(name, dtype, shape):
    return lambda entries: entries[name].update(dtype=dtype, shape=shape)


def move_norm(copy, dtype, value, gap):
    """norm.weight at a place of its own, behind the rest: where it was is a gap."""
    data = value * 5120

    def change(entries):
        end = max(e['data_offsets'][1] for e in entries.values()) + gap
        entries['norm.weight'] = {'dtype': dtype, 'shape': [5120], 'data_offsets': [end, end + len(data)]}
    copy.header(LAST, change)
    with open(copy.out / LAST, 'ab') as f:
        f.truncate(f.seek(0, os.SEEK_END) + gap)
        f.seek(0, os.SEEK_END)
        f.write(data)


def at_tensor(copy, name, tensor, data):
    """Bytes into the middle of a tensor."""
    with open(copy.source / name, 'rb') as f:
        n = struct.unpack('<Q', f.read(8))[0]
        begin, end = json.loads(f.read(n))[tensor]['data_offsets']
    copy.poke(name, 8 + n + (begin + end) // 2, data)


def quantised(value, key='quantization_config'):
    def change(config):
        config.pop('quantization_config')
        config[key] = value
    return lambda copy: copy.json('config.json', change)


def other_config(**values):
    return lambda copy: copy.json('config.json', lambda config: config.update(values))


def ids_in_text(copy):
    def change(config):
        config['text_config'].update({k: config[k] for k in ('bos_token_id', 'eos_token_id', 'pad_token_id')})
    copy.json('config.json', change)


def renamed(copy):
    """Another quantisation, of which only the names of tensors tell."""
    def rename(entries, names):
        for name in names:
            if name.endswith('.scale'):
                entries[name.removesuffix('scale') + 'weight_scale_2'] = entries.pop(name)

    def index(value):
        where = value['weight_map']
        rename(where, [name for name in where if where[name] == SHARD])
    copy.header(SHARD, lambda entries: rename(entries, list(entries)))
    copy.json(INDEX, index)


def swapped(copy):
    copy.link(shard_name(16), (copy.source / shard_name(17)).resolve())
    copy.link(shard_name(17), (copy.source / shard_name(16)).resolve())


def config_alone(copy):
    for p in list(copy.out.iterdir()):
        if p.name != 'config.json':
            p.unlink()


HTML = b'<!doctype html>\n<html><head><title>429 Too Many Requests</title></head></html>\n'
NVFP4 = {'quant_method': 'modelopt', 'quant_algo': 'NVFP4', 'producer': {'name': 'modelopt'}}

# The words that the message must have, as a regex; None: harmless.
FATAL = {
    'missing-shard': (lambda c: c.remove(SHARD), re.escape(SHARD) + '.*No such file'),
    'dangling-blob': (lambda c: c.link(SHARD, '../../blobs/' + 'b' * 64), re.escape(SHARD) + '.*a link to .*not there'),
    'short-shard': (lambda c: c.resize(SHARD, -1), re.escape(SHARD) + '.*1 byte .*behind the end'),
    'half-shard': (lambda c: c.resize(SHARD, -3 * 10**9), re.escape(SHARD) + '.*behind the end'),
    'long-shard': (lambda c: c.resize(SHARD, 4096), re.escape(SHARD) + '.*4096 bytes after the last tensor'),
    'empty-shard': (lambda c: c.write(SHARD, b''), re.escape(SHARD) + '.*empty'),
    'swapped-shards': (swapped, r'layers\.1[45]\.'),
    'html-shard': (lambda c: c.write(SHARD, HTML), re.escape(SHARD)),
    'header-length': (lambda c: c.poke(SHARD, 0, b'\xff' * 8), re.escape(SHARD) + '.*header'),
    'header-json': (lambda c: c.poke(SHARD, 8, b'\0\0\0\0'), re.escape(SHARD)),
    'no-index': (lambda c: c.remove(INDEX), re.escape(INDEX)),
    'cut-index': (lambda c: c.cut(INDEX), re.escape(INDEX)),
    'index-unknown-tensor': (unknown_tensor, 'wq_z'),
    'index-unknown-shard': (unknown_shard, 'model-00049-of-00048.safetensors'),
    'missing-tensor': (missing_tensor, re.escape('layers.39.ffn.experts.383.w3.scale')),
    'dtype': (lambda c: c.header(shard_name(2), retype('layers.0.attn.wq_a.scale', 'U8', [40, 160])),
              re.escape('layers.0.attn.wq_a.scale') + '.*U8'),
    'shape': (lambda c: c.header(shard_name(2), retype('layers.0.attn.wq_a.weight', 'F8_E4M3', [5120, 1280])),
              re.escape('layers.0.attn.wq_a.weight') + r'.*5120.*1280'),
    'lfs-shard': (lambda c: c.write(SHARD, LFS_POINTER), re.escape(SHARD) + '.*Git LFS pointer.*download'),
    'lfs-config': (lambda c: c.write('config.json', LFS_POINTER), r'config\.json.*Git LFS pointer'),
    'lfs-tokenizer': (lambda c: c.write('tokenizer.json', LFS_POINTER), r'tokenizer\.json.*Git LFS pointer'),
    'lfs-index': (lambda c: c.write(INDEX, LFS_POINTER), re.escape(INDEX) + '.*Git LFS pointer'),
    'no-tokenizer': (lambda c: c.remove('tokenizer.json'), r'tokenizer\.json'),
    'cut-tokenizer': (lambda c: c.cut('tokenizer.json'), r'tokenizer\.json'),
    'no-config': (lambda c: c.remove('config.json'), r'config\.json'),
    'cut-config': (lambda c: c.cut('config.json'), r'config\.json'),
    'other-model': (other_config(model_type='deepseek_v3'), 'model_type.*deepseek_v3'),
    'nvfp4': (quantised(NVFP4), 'NVFP4'),
    'quark': (quantised({'quant_method': 'quark', 'quant_mode': 'eager_mode'}), 'Quark'),
    'exl3': (quantised({'quant_method': 'exl3', 'version': '0.0.1', 'bits': 4.0}), 'EXL3'),
    'mlx': (quantised({'group_size': 64, 'bits': 4}, 'quantization'), 'MLX'),
    'blocks-128': (quantised({'quant_method': 'fp8', 'weight_block_size': [128, 128]}), r'128'),
    'quantised-tensors': (renamed, 'another quantisation'),
}
HARMLESS = {
    'extra-tensor': extra_tensor,
    'extra-files': extra_files,
    'f32-norm': lambda c: move_norm(c, 'F32', struct.pack('<f', 1), 0),
    'gap': lambda c: move_norm(c, 'BF16', b'\x80\x3f', 4096),
    'ids-in-text-config': ids_in_text,
}
# What only those see that read the values; `info` reads no matrix.
IN_VALUES = {
    'nan-norm': lambda c: c.poke(LAST, -2, b'\xc0\x7f'),
    'nan-code': lambda c: at_tensor(c, shard_name(2), 'layers.0.attn.wq_a.weight', b'\x7f'),
    'scale-255': lambda c: at_tensor(c, shard_name(2), 'layers.0.attn.wq_a.scale', b'\xff'),
}
# A folder of config.json alone is not damaged: `info` plans by it.
PLANNED = {'config-alone': config_alone}
KINDS = {**{kind: make for kind, (make, _) in FATAL.items()}, **HARMLESS, **IN_VALUES, **PLANNED}


def damage(snapshot, kind, out):
    KINDS[kind](Copy(snapshot, out))
