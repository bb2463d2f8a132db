"""The layout of the released DeepSeek-V4.1-Flash: its 48 shards, 96,085 tensors, sizes and headers; no values.

What is proven about it: the bytes of config.json and of all 48 shard headers (SHA-256), the sizes of all files, the number of
tensors and the SHA-256 over all names, types and shapes are those of revision dba1be0a (or of df42c109, whose weights are the
same). Those digests were published by people who read the originals. model.safetensors.index.json has the right size and
content, but its entries stand in another order.
"""
import hashlib
import json
import math
import pathlib
import struct
import sys

REVISION = 'dba1be0a40aa45a94ad051997016db3960a90277'
TESTS = pathlib.Path(__file__).resolve().parent.parent
CONFIG_SHA256 = '8be45ce0476004a3f529fd896115a4a2e800a129ad2d3ec05b16050f52e21879'
CONFIG_TEXT = (TESTS / 'data/released/config.json').read_text()
CONFIG = json.loads(CONFIG_TEXT)
TEXT, VISION = CONFIG['text_config'], CONFIG['vision_config']
HIDDEN, VOCAB, HC = TEXT['hidden_size'], TEXT['vocab_size'], TEXT['hc_mult']

TENSORS, PAYLOAD = 96085, 510286023000
STRUCTURE_SHA256 = '834a3fd1840230036c63b3edf4467d9356784f69bcc4a7fb156ffec536b8ef2c'
INDEX_BYTES = 7470294

# SHA-256 of the first bytes of each shard (length and header), and the size of the whole file.
HEADERS = '''
4868e9de02a65ac3bc07fb19af0122e7963ed441dda87fdcecc7dfab80dcca08 970533624
129528c27f70585ccbef06de790837dc4f7a7fbe06fcab08e807212f4621d034 1323858272
ff66dd94d7eb6ef5cc1457b2ac13b422c14e9891914c786af995edaa4f10a614 7389759032
f02a4b31fc5b310ed6e77dcb3b96473df806794ed2996c5711181ee852538411 7389759032
f921056a11b2bee72e36ea301b533dd4d67cc8ae6fcc4c24f642516a2e3c4f31 7405953784
758bbceaef14ca838a4b6dec90cf3946dfa0d7b35e223153587f6354c0fbb0a1 7389759032
1283c3fff6a48f347c929c106c95f2ffcd7e9768b5ae414588d0a9f5dc70968f 7389759032
cab61806b0231bd4928bd852dee3df6ad0b3e62f0fbbb9445a76e8c8d67a60c8 7389759032
a064ee45313ab51341b00b17a74859feb2f91af858f28398d89df07ea1b48a38 7389759032
8b32e2ebfee9bf12080f41f13cd85425780f3d3536af943c4f345872b7ba84ae 7389759032
9ea69355f30af20a80c3cbb1652184ed86c085e976178cee0a9283382e643e21 7405953784
423a05803c18836ca5c4a764689ec6c95d2205814feadb881fea79c3ce8ab783 7389759032
5c844570348abb72d04657672d5f81ff262ab1ba596dff85ad1ddd60cc3c42aa 7389761368
ba69bf37728caeb1daa8763b9576732c2ea4b43fc90f02bfaacdcab4ae21e45d 7389761368
30e7bf8c2236a5c00cca7bcc2fc3ddd80c4d1290f4a731b4ef8862637e1fca2f 7389761368
8e5dc969144c6ff9363c595f83d9cbb4957144b685c7759674de5f586d4fe3d8 7389761368
b092419551bc23f939f4bc75dc0a18c603da376f2766af321727f456e7291f4d 7405956128
b16e9ed3a18d70b6aa03ff240dac72591e81060774fabd988923ef60896d6aa9 7389761368
bad7bf329a0fb3802ec1db1e01726fe322543aca9966ef74d952d81752f0100f 7389761368
99a1e14c1c319351d84d577d518ce1b5ad89905731b87d346aad4e3fb2dc0a45 7389761368
2f878ebc68e16c1f94b1fa11e46f264f8f523f7471e0d0c7a8d2d6351e656d6e 7389761368
deb4903850578c39001d10148cf8dec587de68ac5be44ff739644fbe0b83efe2 7389761368
3daa085f9ef36b6f2b11c0608ae16d8c163d7106eb318ffddb9700816f87481b 7400713088
ca757ef80d54a5271140663fe1fd675a52ad2fd9b589f4ccedc5eec3dbbd2255 7389761368
f5593669946de6d1c7eeba5541c14352d89a8ee6dacd0cb3c15cc304e58c9bcb 7389761368
8b28e31da8cb6ce1c58056c94a89a3e6c464b4ba321f6846463eac8fc84b91bf 7389761368
31269efb9aca4e77e770ec2161939d13735d9a83485281eff7e8b8afc77d4dd0 7395337384
f8bbdcbb568c9dad45d780b23c7ae962fcd04adb3abc685cec46036539b437ca 7389761368
cba716ddb64d109550a114eb9aedab2cd8b61367193d16a1ffc50e8a48c42ac6 7389761368
2d96f856ed545b76eadfcde7656f808ab0af745d949b382bb6e6bd103d15692d 7389761368
3b061de8ce5a963c86aa820e7444d1f9f3632c33ffb1d2604fd4813f61ed8839 7395337384
2ecd0c0958382db2459ab9e0d519509e71429faa79d5797dce103589f31eae39 7389761368
099872f6b55c62ac3a126399950c32addcbaa8323bcb949ca9e3c5835a18abe5 7389761368
fdf13a88a5f8d71f9178082acf7de279928767df3a073d78ade53405bf49021d 7389761368
5b2c5c669d6cf0b27bd49ea7ba72df747b17fe8d80493941a04c562ece572340 7395337384
79602d58ae094cbe25b92749640e2b4c967b233749e9c827879a233a62b068e0 7389761368
8c9968b922facdddbdd634f9a80df732cefe864ef67fc1c358706ced841bb879 7389761368
8a8c9fa0231cdd292756cc9b1d8a2214f69b4b36091ed2b1461f3180659feb65 7389761368
053e342f8388030f03e6c02e7d077b1adf5aea3839a9005fe19c62cabe6d8989 7395337384
6d5225cc55821348122025f204c292651d22b810833509e0af83eb928f72d8e5 7389761368
1da3f66ed02aac282013916f5221d2437cb7d465cbcad83c3b4cd5b84ddc2d37 7389761368
e115fc9ad378fe162d382445f523f58904d5e8965c3970bb8cc7d7f004a53db6 7389761368
032804db9bc5aadc7a7933ff37f499f99dfbc5cb62b85abd1cddc2ee3569bc9d 1323837624
5742a9c79ddad723de1fbfa4c6818a583967d6bb884269b770826c8378b23a2b 2652728736
5f1fbe51de5a9898ef08d34d52c043beb2c27e88116614bfedc882396677de61 2573998176
b85fa794726df6ba6bda1133dbd2742f616205237395875bc86eed0f81e5750b 2706402896
9055d06658af74f431f6675f6880f187b24a3f648b3f70ae949edc328b7702fc 101535150936
ffc9da89096525ea191d967531f8063db66327b0880a9d2f4d7d73a42d641f28 101537926640
'''


def fp8(out, name, rows, cols):
    out[name + '.weight'] = ('F8_E4M3', (rows, cols))
    out[name + '.scale'] = ('F8_E8M0', (-(-rows // 32), -(-cols // 32)))


def fp4(out, name, rows, cols):
    out[name + '.weight'] = ('I8', (rows, cols // 2))
    out[name + '.scale'] = ('F8_E8M0', (rows, cols // 32))


def block(out, p, experts):
    t, rank, width = TEXT, TEXT['q_lora_rank'], TEXT['head_dim']
    queries, outputs = t['num_attention_heads'] * width, t['o_groups'] * t['o_lora_rank']
    out[p + 'attn_norm.weight'] = out[p + 'ffn_norm.weight'] = ('BF16', (HIDDEN,))
    for site in 'attn', 'ffn':
        out[f'{p}hc_{site}_fn'] = ('F32', ((2 + HC) * HC, HC * HIDDEN))
        out[f'{p}hc_{site}_base'] = ('F32', ((2 + HC) * HC,))
        out[f'{p}hc_{site}_scale'] = ('F32', (3,))
    out[p + 'attn.attn_sink'] = ('F32', (t['num_attention_heads'],))
    out[p + 'attn.q_norm.weight'], out[p + 'attn.kv_norm.weight'] = ('BF16', (rank,)), ('BF16', (width,))
    fp8(out, p + 'attn.wq_a', rank, HIDDEN)
    fp8(out, p + 'attn.wq_b', queries, rank)
    fp8(out, p + 'attn.wkv', width, HIDDEN)
    fp8(out, p + 'attn.wo_a', outputs, queries // t['o_groups'])
    fp8(out, p + 'attn.wo_b', HIDDEN, outputs)
    out[p + 'ffn.gate.weight'] = ('BF16', (experts, HIDDEN))
    out[p + 'ffn.gate.bias'] = out[p + 'ffn.gate.bias_vl'] = ('F32', (experts,))
    inner = t['moe_intermediate_size']
    for expert in ['shared_experts', *(f'experts.{e}' for e in range(experts))]:
        put = fp8 if expert == 'shared_experts' else fp4
        for part, rows, cols in ('w1', inner, HIDDEN), ('w2', HIDDEN, inner), ('w3', inner, HIDDEN):
            put(out, f'{p}ffn.{expert}.{part}', rows, cols)


def layer(i):
    out, t, a, width = {}, TEXT, f'layers.{i}.attn.', TEXT['head_dim']
    block(out, f'layers.{i}.', t['n_routed_experts'])
    if i in t['kv_source_layer_ids']:
        for part in ['wkv', 'wgate'] if t['compress_ratios'][i] > 1 else ['wkv']:
            out[f'{a}compressor.{part}.weight'] = ('BF16', (width, HIDDEN))
        out[a + 'compressor.norm.weight'] = ('BF16', (width,))
        out[a + 'indexer.wk.weight'] = ('BF16', (t['index_head_dim'], width))
        out[a + 'indexer.k_norm.weight'] = ('BF16', (t['index_head_dim'],))
    if i in t['index_source_layer_ids']:
        fp8(out, a + 'indexer.wq_b', t['index_n_heads'] * t['index_head_dim'], t['q_lora_rank'])
        out[a + 'indexer.weights_proj.weight'] = ('BF16', (t['index_n_heads'], HIDDEN))
    return out


def engram(i):
    t, g, width = TEXT, f'layers.{i}.engram.', TEXT['engram_head_dim']
    rows = t['engram_num_embeddings'][t['engram_layer_ids'].index(i)]
    out = {g + 'embed.weight': ('F8_E4M3', (rows, width)), g + 'embed.scale': ('F8_E8M0', (rows, width // 32)),
           g + 'q_weight': ('BF16', (HC, HIDDEN)), g + 'k_weight': ('BF16', (HC, HIDDEN))}
    fp8(out, g + 'wkv', HIDDEN * (HC + 1), (t['engram_max_ngram_size'] - 1) * t['engram_n_heads'] * width)
    return out


def draft(s):
    out, p, rank, last = {}, f'mtp.{s}.', TEXT['dspark_markov_rank'], TEXT['num_nextn_predict_layers'] - 1
    block(out, p, TEXT['dspark_n_routed_experts'])
    if s == 0:
        fp8(out, p + 'main_proj', HIDDEN, HIDDEN * len(TEXT['dspark_target_layer_ids']))
        out[p + 'main_norm.weight'] = ('BF16', (HIDDEN,))
    if s == last:
        out[p + 'norm.weight'] = ('BF16', (HIDDEN,))
        out[p + 'markov_head.embed.weight'] = out[p + 'markov_head.head.weight'] = ('BF16', (VOCAB, rank))
        out[p + 'confidence_head.proj.weight'] = ('BF16', (1, HIDDEN + rank))
    return out


def vision():
    v, out = VISION, {}

    def linear(name, rows, cols, bias=True):
        out[name + '.weight'] = ('BF16', (rows, cols))
        if bias:
            out[name + '.bias'] = ('BF16', (rows,))
    width = v['hidden_size']
    linear('vision.patch_embed.proj', width, 3 * v['patch_size']**2)
    for b in range(v['num_hidden_layers']):
        p = f'vision.blocks.{b}.'
        linear(p + 'attn.wqkv', 3 * width, width)
        linear(p + 'attn.wo', width, width)
        linear(p + 'mlp.w1', 2 * v['intermediate_size'], width, bias=False)
        linear(p + 'mlp.w2', width, v['intermediate_size'], bias=False)
        out[p + 'norm1.weight'] = out[p + 'norm2.weight'] = ('BF16', (width,))
    out['vision.norm.weight'] = ('BF16', (width,))
    linear('aligner.w1', HIDDEN, width * v['downsample_ratio']**2)
    linear('aligner.w2', HIDDEN, HIDDEN)
    return out


def shards():
    """[{name: (dtype, shape)}], the 48 of the release."""
    marks = {f'image_{k}': ('BF16', (HIDDEN,)) for k in ('start', 'newline', 'end')}
    return [vision(), {'embed.weight': ('BF16', (VOCAB, HIDDEN)), **marks},
            *map(layer, range(TEXT['num_hidden_layers'])),
            {'head.weight': ('BF16', (VOCAB, HIDDEN)), 'norm.weight': ('BF16', (HIDDEN,))},
            *map(draft, range(TEXT['num_nextn_predict_layers'])), *map(engram, TEXT['engram_layer_ids'])]


def shard_name(i):
    return f'model-{i + 1:05}-of-00048.safetensors'


def size_of(dtype, shape):
    return math.prod(shape) * {'F32': 4, 'BF16': 2}.get(dtype, 1)


def file_order(tensors):
    """As the safetensors library writes them: wide types first, then by name. Engram shards keep theirs."""
    if any('.engram.' in name for name in tensors):
        return list(tensors)
    wide = ['F32', 'BF16', 'F8_E8M0', 'F8_E4M3', 'I8']
    return sorted(tensors, key=lambda name: (wide.index(tensors[name][0]), name))


def header_of(tensors):
    """-> bytes before the data, {name: (begin, end) from the start of the file}, size of the file."""
    entries, at = {}, 0
    for name in file_order(tensors):
        dtype, shape = tensors[name]
        end = at + size_of(dtype, shape)
        entries[name] = {'dtype': dtype, 'shape': list(shape), 'data_offsets': [at, end]}
        at = end
    text = json.dumps(entries, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    start = 8 + len(text)
    places = {n: tuple(start + x for x in e['data_offsets']) for n, e in entries.items()}
    return struct.pack('<Q', len(text)) + text, places, start + at


def index_text(all_shards):
    where = {name: shard_name(i) for i, tensors in enumerate(all_shards) for name in tensors}
    return json.dumps({'metadata': {'total_size': PAYLOAD}, 'weight_map': where}, indent=2)


def check_layout(all_shards):
    def check(what, got, want):
        if got != want:
            sys.exit(f'{what}: found {got}, expected {want}')
    check('config.json', hashlib.sha256(CONFIG_TEXT.encode()).hexdigest(), CONFIG_SHA256)
    check('index', len(index_text(all_shards)), INDEX_BYTES)
    for i, (tensors, line) in enumerate(zip(all_shards, HEADERS.split('\n')[1:])):
        header, _, size = header_of(tensors)
        check(shard_name(i), f'{hashlib.sha256(header).hexdigest()} {size}', line)
    flat = {name: t for tensors in all_shards for name, t in tensors.items()}
    check('tensors', (len(flat), sum(size_of(*t) for t in flat.values())), (TENSORS, PAYLOAD))
    records = [{'dtype': d, 'name': n, 'shape': list(s), 'size_bytes': size_of(d, s)} for n, (d, s) in sorted(flat.items())]
    text = json.dumps(records, sort_keys=True, separators=(',', ':')) + '\n'
    check('structure', hashlib.sha256(text.encode()).hexdigest(), STRUCTURE_SHA256)
