"""Changes to tiny_config that obey every rule of the released layout, drawn from a seed.

Whatever may differ between two models of this family differs here: layer counts, ratios of 0 to 4, KV and index sources,
windows, head counts, widths, experts, streams, the candidate level, Engram and YaRN, with and without. Every size is small, so
that the oracle answers within seconds.
"""
import numpy as np


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 20260])

    def int(self, low, high):
        """low .. high, both included."""
        return int(self.rng.integers(low, high + 1))

    def width(self, low, high):
        """A multiple of 32."""
        return 32 * self.int(low // 32, high // 32)

    def chance(self, p):
        return bool(self.rng.random() < p)

    def one_of(self, *choices):
        return choices[self.int(0, len(choices) - 1)]

    def subset(self, items, p):
        return [i for i in items if self.chance(p)]


def compressed_layers(d):
    """Which layers make and read compressed KV."""
    layers = d.int(2, 8)
    first = d.int(0, min(2, layers - 1))
    sources = [first] + d.subset(range(first + 1, layers), .2)
    ratios, ratio = [0] * first, 0
    for i in range(first, layers):
        if i in sources:
            ratio = d.int(1, 4)
        ratios.append(ratio if i in sources or d.chance(.85) else 0)
    readers = [i for i in range(layers) if ratios[i]]
    index = sorted({*sources, *d.subset(readers, .5)})
    return dict(num_hidden_layers=layers, compress_ratios=ratios, kv_source_layer_ids=sources, index_source_layer_ids=index)


def candidates(d, index_sources, first_decoder_layer, topk):
    if d.chance(.4):
        return dict(candidate_source_layer_id=-1, candidate_topk_blocks=0, candidate_block_size=0)
    block = d.int(1, 5)
    blocks = -(-(topk - 1) // block) + 1 + d.int(0, 3)
    source = first_decoder_layer if d.chance(.7) else d.one_of(*[i for i in index_sources if i >= first_decoder_layer])
    return dict(candidate_source_layer_id=source, candidate_topk_blocks=blocks, candidate_block_size=block)


def engram(d, first_decoder_layer, vocab):
    layers = d.subset(range(first_decoder_layer), .5)
    d.rng.shuffle(layers)
    return dict(engram_layer_ids=layers, engram_max_ngram_size=d.int(2, 4), engram_vocab_size=d.int(20, 150),
                engram_n_heads=d.int(1, 3), engram_head_dim=d.width(32, 64), engram_pad_token_id=d.int(0, vocab - 1),
                engram_compressed_vocab_size=vocab // 2)


def yarn(d):
    if d.chance(.3):
        return None
    return dict(rope_type='yarn', factor=d.one_of(2, 4.5, 16, 40), beta_fast=d.int(8, 40), beta_slow=d.int(1, 3),
                original_max_position_embeddings=d.one_of(16, 64, 1000))


def draft_head(d):
    """Its tensors are in the checkpoint, and nothing reads them."""
    if d.chance(.85):
        return {}
    return dict(num_nextn_predict_layers=d.int(1, 2), dspark_block_size=3, dspark_noise_token_id=9, dspark_target_layer_ids=[0],
                dspark_markov_rank=32, dspark_n_routed_experts=2, dspark_num_experts_per_tok=1)


def changes(seed):
    d = Draw(seed)
    layers = compressed_layers(d)
    first_decoder_layer, topk, vocab = max(layers['kv_source_layer_ids']), d.int(1, 14), 2 * d.int(40, 130)
    groups, experts, head_dim, index_head_dim = d.int(1, 3), d.one_of(1, *range(4, 15)), d.width(32, 128), d.width(32, 96)
    out = dict(
        layers, vocab_size=vocab, hidden_size=d.width(64, 224), moe_intermediate_size=d.width(32, 96),
        num_attention_heads=groups * d.int(1, 3), o_groups=groups, head_dim=head_dim, q_lora_rank=d.width(32, 96),
        o_lora_rank=d.width(32, 64), qk_rope_head_dim=2 * d.int(1, min(head_dim, index_head_dim) // 2), index_head_dim=index_head_dim,
        index_n_heads=d.int(1, 5), index_topk=topk, sliding_window=d.one_of(1, 2, 5, 9, 16, 33),
        n_routed_experts=experts, num_experts_per_tok=d.int(1, min(experts, 6)), norm_topk_prob=d.chance(.7),
        routed_scaling_factor=d.one_of(1.0, 1.5, 0.7, 2.3), swiglu_limit=d.one_of(0.0, 0.5, 1.3, 10.0),
        hc_mult=d.one_of(1, 2, 3, 4, 4), hc_sinkhorn_iters=d.one_of(1, 2, 7, 20), hc_eps=d.one_of(1e-6, 1e-3),
        rms_norm_eps=d.one_of(1e-20, 1e-6, 1e-3), rope_theta=d.one_of(10000, 500), compress_rope_theta=d.one_of(160000, 10000),
        rope_scaling=yarn(d))
    out.update(engram(d, first_decoder_layer, vocab))
    out.update(candidates(d, layers['index_source_layer_ids'], first_decoder_layer, topk))
    if not out['engram_layer_ids']:
        out['vocab_size'] -= d.int(0, 1)            # odd too: only the token map wants pairs
    out.update(draft_head(d))
    return out
