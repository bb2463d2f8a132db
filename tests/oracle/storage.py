"""A checkpoint whose tensors are stored otherwise than in the release, in one file without an index.

    fp8_experts   routed experts as FP8 with 32x32 scales
    bf16          everything as BF16
    f32           everything but embed.weight and the Engram tables as F32, with values that bf16 cannot hold
    mixed         every quantised matrix in a format of its own, FP4, FP8, BF16 or F32
    odd_offsets   stored as released, but every tensor begins at an odd byte of the file
"""
import numpy as np

from v41 import numerics as nu
from v41 import safetensors, synthetic

CHANGES = dict(vocab_size=200, hidden_size=128, num_hidden_layers=5, compress_ratios=[0, 2, 2, 1, 1], kv_source_layer_ids=[1, 3],
               index_source_layer_ids=[1, 3, 4], candidate_source_layer_id=3, engram_layer_ids=[2], n_routed_experts=6,
               num_experts_per_tok=3, engram_compressed_vocab_size=100)
SCALED = 'F8_E4M3', 'I8'


def fp8(values):
    w = synthetic.Writer(0)
    w.matrix = lambda *_: values
    w.fp8('x', *values.shape)
    return w.out['x.weight'], w.out['x.scale']


def bf16(values):
    return 'BF16', (nu.bf16(values).view(np.uint32) >> 16).astype(np.uint16)


def fp4(values):
    w = synthetic.Writer(0)
    w.matrix = lambda *_: values
    w.fp4('x', *values.shape)
    return w.out['x.weight'], w.out['x.scale']


def f32(values, rng):
    return 'F32', (values * (1 + 1e-3 * rng.standard_normal(values.shape))).astype(np.float32)


def stored(checkpoint, name, way, rng, tables):
    """What stands for tensor `name`: {name: (dtype, storage)}."""
    dtype, raw = checkpoint.where[name]
    scale = name.replace('.weight', '.scale')
    if dtype == 'F8_E8M0':
        return {}                                               # comes with its weight
    as_released = {name: (dtype, raw)} if dtype not in SCALED else {name: (dtype, raw), scale: checkpoint.where[scale]}
    if way == 'fp8_experts' and dtype == 'I8':
        return dict(zip((name, scale), fp8(checkpoint.dense(name))))
    if way == 'mixed' and dtype in SCALED and 'engram.embed' not in name:
        values = checkpoint.dense(name)
        kinds = (fp4(values), fp8(values), (bf16(values),), (f32(values, rng),))
        return dict(zip((name, scale), kinds[rng.integers(4)]))
    if way == 'bf16' and (tables or 'engram.embed' not in name):
        return {name: bf16(checkpoint.dense(name))}
    if way == 'f32' and name != 'embed.weight' and 'engram.embed' not in name:
        return {name: f32(checkpoint.dense(name), rng)}
    return as_released


def write(directory, way, tables=False):
    """tables: Engram tables too; the oracle reads them as FP8 only, and 'bf16' does not change their values."""
    (directory / 'model.safetensors').unlink(missing_ok=True)
    synthetic.write(directory, synthetic.tiny_config(**CHANGES), 7)
    checkpoint, rng = safetensors.Checkpoint(directory), np.random.default_rng(8)
    out = {'first_byte': ('U8', np.zeros(1, np.uint8))} if way == 'odd_offsets' else {}
    for name in checkpoint.where:
        out.update(stored(checkpoint, name, way, rng, tables))
    safetensors.write(directory / 'model.safetensors', out)
    for file in directory.glob('model-*.safetensors'):
        file.unlink()
    (directory / 'model.safetensors.index.json').unlink()
