"""What the NumPy oracle says of token ids, and how the logits of an engine compare with it."""
import json
import struct
import sys

import numpy as np

from values import Values, token_map
from v41 import config, model, safetensors


class Lazy(safetensors.Checkpoint):
    """Decodes no table of the vocabulary."""

    def dense(self, name):
        if name in ('embed.weight', 'head.weight'):
            raise KeyError(name)
        return super().dense(name)


class Sparse(model.Model):
    """The oracle, but it computes nothing where the weights are all zero, and keeps no weights: they are too many."""

    values = Values()

    def get(self, name):
        return self.w.dense(name)

    def vocabulary(self, name):
        return self.w.where[name][1]

    def linear(self, name, x):
        if not self.values.is_rich(name + '.weight'):
            return np.zeros((len(x), self.w.where[name + '.weight'][1].shape[0]), np.float32)
        return super().linear(name, x)

    def attention_output(self, pre, heads, rope, positions):
        if not self.values.is_rich(pre + 'wo_b.weight'):
            return np.zeros((len(heads), self.c.hidden_size), np.float32)
        return super().attention_output(pre, heads, rope, positions)

    def embed(self, st, p0):
        raw = self.vocabulary('embed.weight')[st.tokens[p0:]]
        h = np.repeat((raw.astype(np.uint32) << 16).view(np.float32)[:, None], self.c.hc_mult, 1)
        pre = np.zeros((len(h), self.c.hc_mult), np.float32)
        pre[:, 0] = 1
        return h, pre, self.hasher.rows(st.tokens, p0, len(st.tokens), st.image)

    def logits(self, h, pre_mix):
        x = self.norm('norm', self.collapse(h, pre_mix)).astype(np.float64)
        raw, out = self.vocabulary('head.weight'), []
        for at in range(0, self.c.vocab_size, 4096):
            w = (raw[at:at + 4096].astype(np.uint32) << 16).view(np.float32)
            out.append((x @ w.astype(np.float64).T).astype(np.float32))
        return np.concatenate(out, 1)

    def layer(self, i, *rest):
        print(f'\rlayer {i}', end='', file=sys.stderr, flush=True)
        return super().layer(i, *rest)


def expect(snapshot, out, ids):
    c = config.load(snapshot)
    logits = Sparse(Lazy(snapshot), c, token_map()).extend(model.State(c), ids)
    np.savez(out, ids=np.array(ids), logits=logits)
    print(f'\n{out}: {logits.shape}, magnitudes to {np.abs(logits).max():.3f}', file=sys.stderr)


def read_logits(path):
    data = path.read_bytes()
    n = struct.unpack('<Q', data[:8])[0]
    entry = next(v for k, v in json.loads(data[8:8 + n]).items() if k != '__metadata__')
    begin, end = entry['data_offsets']
    return np.frombuffer(data[8 + n + begin:8 + n + end], '<f4').reshape(entry['shape'])


def compare(expected, logits, tolerance):
    """Whether the error is below the tolerance, in spreads of the logits; says what it found."""
    want, got = np.load(expected)['logits'], read_logits(logits)
    want = want[-len(got):]
    if got.shape != want.shape or not np.isfinite(got).all():
        print(f'logits: found {got.shape}, expected finite {want.shape}')
        return False
    rows, error = np.abs(want).max(0) > 0, np.abs(got - want)
    relative = error[:, rows].std() / want[:, rows].std()
    print(f'largest difference {error.max():.6f} of {np.abs(want).max():.3f}; of each position',
          ' '.join(f'{e:.6f}' for e in error.max(1)))
    print('rows of the head that answer:', int((np.abs(got).max(0) > 0).sum()), 'expected', int(rows.sum()))
    print('likeliest tokens', got.argmax(1).tolist(), 'expected', want.argmax(1).tolist())
    print(f'relative to the spread: {relative:.6f}, at most {tolerance}')
    return bool(relative < tolerance)
