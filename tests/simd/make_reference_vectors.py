"""Writes tests/data/reference_vectors.txt: inputs and outputs of the oracle's own functions.

    /usr/bin/python3 tests/simd/make_reference_vectors.py > tests/data/reference_vectors.txt

Products with unit matrices feed chosen numbers into those functions of the oracle that multiply first.
A line is a name, then the values in hexadecimal: fp32 patterns of eight digits (bf16 values too) or
bytes of two.
"""
import pathlib
import sys
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / 'oracle'))
sys.dont_write_bytecode = True
from v41 import numerics as nu
from v41.model import Model, Rope, State, rms_norm
from v41.safetensors import Checkpoint

random = np.random.default_rng(4)
f32 = np.float32


def put(name, x):
    x = np.ascontiguousarray(x)
    if x.dtype == np.uint8:
        print(name, ' '.join(f'{v:02x}' for v in x.ravel()))
    else:
        print(name, ' '.join(f'{v:08x}' for v in x.astype(f32).ravel().view(np.uint32)))


def normal(*shape, scale=1.0):
    return nu.bf16((random.standard_normal(shape) * scale).astype(f32))


def hard(n):
    """A bf16 row in which some blocks are zero, subnormal, huge, or full of ties."""
    x = normal(n)
    x[0:32] = 0
    x[5] = -0.0
    x[32:64] = nu.bf16(np.ldexp(f32(1), -133) * random.integers(-9, 9, 32).astype(f32))
    x[64:96] = nu.bf16(x[64:96] * f32(2.0**120))
    x[96:128] = nu.bf16(random.integers(-24, 25, 32).astype(f32) / 8)
    x[128:160] = nu.bf16(random.integers(-64, 65, 32).astype(f32) * f32(2.34375 / 32))
    x[160:192] = nu.bf16(x[160:192] * f32(1e-6))
    x[192] = 448
    return x


def model(**config):
    m = Model.__new__(Model)
    m.c, m.w, m.cache = SimpleNamespace(**config), Checkpoint.__new__(Checkpoint), {}
    m.w.where, m.official, m.activations, m.trace, m.jitter = {}, False, 'fp8', None, None
    return m


def bind(m, name, dtype, raw):
    m.w.where[name] = (dtype, raw)


def bind_bf16(m, name, x):
    bind(m, name, 'BF16', (np.ascontiguousarray(x, f32).view(np.uint32) >> 16).astype(np.uint16))


def stores():
    x = hard(256)
    put('store.x', x)
    q, s = nu.fp8_blocks(x)
    put('store.window', np.concatenate([nu.encode_e4m3(q), nu.encode_ue8m0(s)]))
    q, s = nu.fp4_blocks(x, 16, 'e4m3')
    put('store.compressed', np.concatenate([nu.pack_e2m1(q), nu.encode_e4m3(s)]))
    q, s = nu.fp4_blocks(x, 32, 'ue8m0')
    put('store.index_key', np.concatenate([nu.pack_e2m1(q), nu.encode_ue8m0(s)]))


def products():
    m, x = model(), normal(2, 64)
    x[0, 7] = 1e-30
    codes = random.integers(0, 256, (40, 64)).astype(np.uint8)
    codes[(codes & 127) == 127] = 0
    scales = random.integers(118, 130, (2, 2)).astype(np.uint8)
    bind(m, 'fp8.weight', 'F8_E4M3', codes)
    bind(m, 'fp8.scale', 'F8_E8M0', scales)
    pairs, fp4_scales = random.integers(0, 256, (5, 32)).astype(np.uint8), random.integers(118, 130, (5, 2)).astype(np.uint8)
    bind(m, 'fp4.weight', 'I8', pairs.view(np.int8))
    bind(m, 'fp4.scale', 'F8_E8M0', fp4_scales)
    dense = normal(5, 64)
    bind_bf16(m, 'bf16.weight', dense)
    put('matmul.x', x)
    put('matmul.fp8', np.concatenate([codes.ravel(), scales.ravel()]))
    put('matmul.fp4', np.concatenate([pairs.ravel(), fp4_scales.ravel()]))
    put('matmul.bf16', dense)
    for name in 'fp8', 'fp4', 'bf16':
        put(f'matmul.{name}.y', m.linear(name, x))


def mixes():
    hc, d = 3, 32
    m = model(hc_mult=hc, rms_norm_eps=1e-20, hc_eps=1e-6, hc_sinkhorn_iters=5)
    h, y = normal(1, hc, d), normal(1, d)
    fn, base, scale = (random.standard_normal(s).astype(f32) for s in ((hc * (2 + hc), hc * d), hc * (2 + hc), 3))
    m.cache = {'p_fn': fn, 'p_base': base, 'p_scale': scale}
    pre, post, comb = m.mixes(h, 'p')
    for name, v in dict(h=h, y=y, fn=fn, base=base, scale=scale, pre=pre, post=post, comb=comb).items():
        put('mix.' + name, v)
    put('mix.collapse', m.collapse(h, pre))
    put('mix.expand', m.expand(y, h, post, comb))


def rows():
    x, weight = normal(1, 64, scale=3), normal(64)
    put('norm.x', x)
    put('norm.weight', weight)
    put('norm.out', rms_norm(x, weight, 1e-6))
    rope = Rope(16, 10000.0)
    x, position = normal(1, 3, 32), 1234
    angle = (f32(position) * rope.freq).astype(np.float64)
    put('rope.x', x)
    put('rope.cos', np.cos(angle))
    put('rope.sin', np.sin(angle))
    put('rope.forward', rope(x, [position]))
    put('rope.inverse', rope(x, [position], inverse=True))


def pool():
    d, pre = 32, 'layers.0.attn.'
    m = model(compress_ratios=[3], head_dim=d, index_head_dim=d, kv_source_layer_ids=[0], num_hidden_layers=1)
    unit, seen = np.eye(2 * d, dtype=f32), []
    m.cache = {pre + 'compressor.wkv.weight': unit[:d], pre + 'compressor.wgate.weight': unit[d:],
               pre + 'indexer.wk.weight': unit[:d, :d]}
    m.norm, m.rope_global = lambda name, x: seen.append(x) or x, lambda x, positions: x
    x = random.standard_normal((3, 2 * d)).astype(f32)
    m.publish(0, x, State(m.c), 0)
    put('pool.x', x)
    put('pool.out', seen[0])


def attention():
    heads, d = 3, 64
    m = model(head_dim=d)
    q, sink, window, latent = normal(heads, d, scale=4), random.standard_normal(heads).astype(f32), normal(5, d), normal(4, d)
    out = m.attend(q, np.concatenate([nu.fp8_roundtrip(window), nu.fp4_roundtrip(latent, 16, 'e4m3')]), sink)
    for name, v in dict(q=q, sink=sink, window=window, latent=latent, out=out).items():
        put('attend.' + name, v)


def index():
    heads, d, n = 4, 64, 9
    m, pre = model(index_n_heads=heads, index_head_dim=d), 'layers.0.attn.indexer.'
    bind_bf16(m, pre + 'wq_b.weight', np.eye(heads * d))
    m.cache[pre + 'weights_proj.weight'] = np.eye(heads, dtype=f32)
    m.rope_global = lambda x, positions: x
    q, w, keys = normal(1, heads * d), normal(1, heads), normal(n, d)
    put('index.q', q)
    put('index.w', w * f32(d**-0.5 * heads**-0.5))
    put('index.keys', keys)
    put('index.scores', m.index_scores(0, w, q, [0], nu.fp4_roundtrip(keys, 32, 'ue8m0')))


def experts():
    n, k = 12, 4
    m = model(norm_topk_prob=True, routed_scaling_factor=2.3, swiglu_limit=1.25)
    logits, bias = (random.standard_normal((1, n)) * 3).astype(f32), random.standard_normal(n).astype(f32)
    logits[0, 3], logits[0, 4], bias[7], logits[0, 7] = 0, 90, bias[8], logits[0, 8]
    m.cache = {'gate.weight': np.eye(n, dtype=f32), 'gate.bias': bias}
    top, weight = m.route('', logits, k)
    put('route.logits', logits)
    put('route.bias', bias)
    put('route.ids', top.astype(np.uint8))
    put('route.weights', weight)
    d = 32
    unit = np.eye(2 * d, dtype=f32)
    for name, w in ('w1', unit[:d]), ('w3', unit[d:]), ('w2', unit[:d, :d]):
        bind_bf16(m, name + '.weight', w)
    x = normal(1, 2 * d, scale=2)
    x[0, :3] = 0, -0.0, -100
    put('swiglu.x', x)
    put('swiglu.weight', weight[:, :1])
    put('swiglu.routed', m.expert('', x, weight[:, :1]))
    put('swiglu.shared', m.expert('', x))


def engram():
    hc, d = 2, 64
    m, pre = model(hc_mult=hc, hidden_size=d, rms_norm_eps=1e-20), 'layers.0.engram.'
    codes, scales = random.integers(0, 256, (3, d)).astype(np.uint8), random.integers(120, 128, (3, 2)).astype(np.uint8)
    codes[(codes & 127) == 127] = 3
    h, q_weight, k_weight = normal(1, hc, d), normal(hc, d), normal(hc, d)
    bind(m, pre + 'embed.weight', 'F8_E4M3', codes)
    bind(m, pre + 'embed.scale', 'F8_E8M0', scales)
    bind_bf16(m, pre + 'wkv.weight', np.eye((hc + 1) * d))
    m.cache.update({pre + 'q_weight': q_weight, pre + 'k_weight': k_weight})
    for name, v in dict(codes=codes, scales=scales, h=h, q_weight=q_weight, k_weight=k_weight).items():
        put('engram.' + name, v)
    put('engram.kv', nu.E4M3_TABLE[codes] * np.repeat(nu.UE8M0_TABLE[scales], 32, -1))
    put('engram.out', m.engram(0, h, np.arange(3)[None]))


for make in stores, products, mixes, rows, pool, attention, index, experts, engram:
    make()
