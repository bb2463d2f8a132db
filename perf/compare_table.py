"""compare_table.py FOLDER CPU: what compare.sh measured, as a table in Markdown.

FOLDER holds NAME.ROUND.json; every figure is the median over the rounds.
"""
import glob
import json
import os
import statistics
import sys

folder, cpu = sys.argv[1:]


def load(name):
    """The contents of all rounds; none where it was not measured."""
    paths = sorted(glob.glob(os.path.join(folder, name + ".*.json")))
    return [json.load(open(path)) for path in paths]


def median(values):
    values = list(values)
    return statistics.median(values) if values else None


def operator(name, pattern, figure):
    """A figure of the benchmark whose name begins with the pattern; '*' stands for any part."""
    parts = pattern.split("/")

    def fits(found):
        found = found.split("/")
        return all(want in ("*", have) for want, have in zip(parts, found))

    return median(b[figure] for result in load(name) for b in result["benchmarks"] if fits(b["name"]))


def shown(*values, digits=2):
    """Numbers side by side; a dash where there is none."""
    return ", ".join("-" if v is None else f"{v:.{digits}f}" for v in values)


# What Cedar set out to reach: on Zen 4, on Emerald Rapids without AMX, with AVX2 alone. Shares and
# speeds are at least so much, times and their ratios at most.
BARS = {
    "decode reference": ("0.95", "0.75", "0.75 of the FMA bound"),
    "decode int8": ("0.95", "0.92", "0.90"),
    "prefill reference": ("0.80", "0.75", "0.75"),
    "prefill int8": ("0.55", "0.40", "0.60"),
    "decode FP8": ("0.93", "0.93", "0.90"),
    "prefill FP8": ("0.85", "0.80", "0.75"),
    "attention Token": ("0.45 of the peak",) * 3,
    "attention Prompt": ("0.53 of the peak",) * 2 + ("0.45 of the peak",),
    "index": ("250 G", "250 G", "125 G"),
    "slice decode": ("0.88", "0.78", "-"),
    "slice prefill": ("0.25, 0.45 of the peer's",) * 3,
    "first": ("1.5 s", "1.5 s", "3 s"),
    "bounded-long": ("0.54",) * 3,
    "exact-longest": ("0.55",) * 3,
    "deep-exact": ("0.62",) * 3,
}


def kind():
    """The column of BARS: what the kernels that were measured are made for."""
    isa = load("experts-Decode")[0]["benchmarks"][0]["name"].split("/")[1]
    return {"avx2": 2, "avx3_spr": 1}.get(isa, 0)


rows = []


def row(bar, what, ours, peer="-"):
    rows.append((what, BARS[bar][kind()], ours, peer))


def operator_rows():
    for what, work, figure in [("decode, expert layer: share of own read", "Decode", "read"),
                               ("prefill, expert layer, 512 tokens: share of the arithmetic peak of the numerics",
                                "Prefill", "peak")]:
        for numerics in ("reference", "int8"):
            row(f"{work.lower()} {numerics}", f"{what}, 1 and 2 threads, {numerics}",
                shown(*(operator("experts-" + work, f"{work}/*/{numerics}/{n}", figure)
                        for n in (1, 2))),
                shown(*(operator("peer-experts-" + work, f"Experts/{work}/{n}", figure)
                        for n in (1, 2))) + " (MXFP4)" if numerics == "reference" else "-")
    for what, work, figure in [("decode, FP8 projection {}: share of own read", "Decode", "read"),
                               ("prefill, FP8 projection {}, 512 tokens: share of the arithmetic "
                                "peak", "Prefill", "peak")]:
        for shape in ("5120_8192", "1280_32768"):
            row(f"{work.lower()} FP8", what.format(shape.replace("_", " -> ")) + ", 1 and 2 threads",
                shown(*(operator("projections-" + work, f"{work}/{shape}/*/{n}", figure)
                        for n in (1, 2))),
                shown(*(operator("peer-projections-" + work, f"Projection/{work}/{shape}/{n}",
                                 figure) for n in (1, 2))) + " (Q8_0)")


def attention_rows():
    for what, work, tokens in [("1 token", "Token", 1), ("512 tokens, per token", "Prompt", 512)]:
        peak = operator("attention", f"{work}/*", "peak")
        time = operator("attention", f"{work}/*", "real_time")
        peer = [operator("peer-attention", f"Attention/{work}/{kind}", "real_time")
                for kind in ("Fused", "Products")]
        row(f"attention {work}", f"attention, 640 rows, 64 heads, {what}, 1 thread",
            f"{shown(time)} ms, {shown(peak)} of the peak",
            shown(*sorted(t / tokens for t in peer if t)) + " ms (F16 rows)")
    row("index", "index scores, 32 heads x 128 against 16,384 keys, 1 thread",
        f"{shown(operator('index', 'IndexScores/*', 'GFLOP/s'), digits=0)} G operations/s")


def seconds(name):
    """Of a measured prompt of `cedar bench`, with its tokens."""
    results = load(name)
    if not results:
        return None, None
    tokens = results[0][0]["n_prompt"]
    return median(tokens / r[0]["tokens_per_s"] for r in results), tokens


def model_rows():
    peer = load("peer-model")
    layers, token_bytes = (json.load(open(os.path.join(folder, "peer-slice.json")))[key]
                           for key in ("layers", "token_bytes"))
    decode = load("decode")
    peer_share = median(p["decode_tokens_per_s"] * token_bytes / p["own_read"] for p in peer)
    row("slice decode", f"slice, decode of 64 tokens: share of own read, {peer[0]['threads']} threads",
        f"{shown(median(r[0]['read_share'] for r in decode))} "
        f"({shown(median(r[0]['tokens_per_s'] for r in decode), digits=1)} tokens/s, 8 layers)",
        f"{shown(peer_share)} ({shown(median(p['decode_tokens_per_s'] for p in peer), digits=1)} "
        f"tokens/s, {layers} layers)")
    row_time = median(1 / p["prefill_tokens_per_s"] for p in peer) / layers
    (bounded, tokens), (full, _) = seconds("bounded"), seconds("full")
    row("slice prefill", f"slice, prefill of {tokens} tokens: ms for a token and layer, bounded and full",
        f"{shown(bounded / tokens / 8 * 1e3, full / tokens / 8 * 1e3)}: "
        f"{shown(bounded / tokens / 8 / row_time, full / tokens / 8 / row_time)} of the peer's",
        shown(row_time * 1e3))
    first = median(r["first_token_s"] for r in load("first"))
    row("first", "start to first token, 32-token prompt, files in the page cache", f"{shown(first)} s",
        f"{shown(median(p['first_token_s'] for p in peer), digits=1)} s")


def replay_rows():
    for what, less, more in [("slice, {} tokens: time bounded over full", "bounded-long", "full-long"),
                             ("slice, {} tokens: time exact over full", "exact-longest",
                              "full-longest"),
                             ("20 + 20 narrow layers, {} tokens: time exact over full", "deep-exact",
                              "deep-full")]:
        (a, tokens), (b, _) = seconds(less), seconds(more)
        if a and b:
            row(less, what.format(tokens), shown(a / b), "no such thing")


operator_rows()
attention_rows()
model_rows()
replay_rows()
rounds = len(load("decode"))
medians = f"medians of {rounds} rounds" if rounds > 1 else "one round"
print(f"| on {cpu}, {medians} | bar | Cedar | llama.cpp |\n|---|---|---|---|")
for cells in rows:
    print("| " + " | ".join(cells) + " |")
