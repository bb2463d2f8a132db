#!/usr/bin/python3
"""A sparse stand-in for the released DeepSeek-V4.1-Flash: the real layout and sizes (48 shards, 96,085 tensors, 510 GB), holes
for nearly all data, about 1.6 GB of real bytes. To see whether an engine would load the release. The values are made up
(values.py); run.sh does all of it.

    released.py header                          checks names, types, shapes and sizes against the published digests
    released.py make OUT [--flat] [--empty]     writes it; prints the folder to give to an engine
    released.py ids                             the 17 check ids
    released.py rows [IDS...]                   which table rows token ids read, and where they lie
    released.py expect SNAPSHOT OUT.npz [IDS...]                what the NumPy oracle says of them
    released.py compare OUT.npz LOGITS [--tolerance T]          the engine's logits against it
    released.py damage SNAPSHOT KIND OUT        a damaged copy, made of links (damage.py has the kinds)
    released.py refusals CEDAR SNAPSHOT WORK    what `info` and `score` say of every kind

Needs Debian's python3-numpy.
"""
import argparse
import pathlib
import sys

import numpy as np

import damage
import stand_in
from layout import TEXT, check_layout, header_of, shards
from refusals import check_refusals
from values import Rows, check_ids


def header(args):
    check_layout(shards())
    print('config, index, headers, tensors: as released')


def make(args):
    args.out.mkdir(parents=True, exist_ok=True)
    if not stand_in.has_holes(args.out):
        sys.exit(f'{args.out}: skipped, the file system has no holes for 510 GB')
    print(stand_in.write(args.out, args.flat, args.empty))
    print(f'{stand_in.disk_bytes(args.out) / 1e9:.2f} GB on disk', file=sys.stderr)


def rows(args):
    ids = args.ids or check_ids()
    found, all_shards = Rows().of(ids), shards()
    print('ids', *ids)
    for table, i in enumerate(TEXT['engram_layer_ids']):
        count = TEXT['engram_num_embeddings'][table]
        begin = header_of(all_shards[46 + table])[1][f'layers.{i}.engram.embed.weight'][0]
        top = np.sort(found[:, table].ravel())[-4:]
        print(f'layer {i}: {count} rows; the highest read:',
              ', '.join(f'{r} ({count - r} from the end, byte {begin + 256 * r})' for r in top))


def expect(args):
    import compare
    compare.expect(args.snapshot, args.out, args.ids or check_ids())


def compare_logits(args):
    import compare
    sys.exit(0 if compare.compare(args.expected, args.logits, args.tolerance) else 1)


def main():
    path = pathlib.Path
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)

    def command(name, function, *names):
        sub = commands.add_parser(name)
        for n in names:
            sub.add_argument(n, type=path)
        sub.set_defaults(function=function)
        return sub
    command('header', header)
    sub = command('make', make, 'out')
    sub.add_argument('--flat', action='store_true', help='plain files, as hf download --local-dir leaves them')
    sub.add_argument('--empty', action='store_true', help='no values at all: headers and holes')
    command('ids', lambda args: print(*check_ids()))
    command('rows', rows).add_argument('ids', nargs='*', type=int)
    command('expect', expect, 'snapshot', 'out').add_argument('ids', nargs='*', type=int)
    sub = command('compare', compare_logits, 'expected', 'logits')
    sub.add_argument('--tolerance', type=float, default=.02, help='of the error, in spreads of the logits')
    sub = command('damage', lambda args: damage.damage(args.snapshot, args.kind, args.out), 'snapshot')
    sub.add_argument('kind', choices=damage.KINDS)
    sub.add_argument('out', type=path)
    sub = command('refusals', lambda args: sys.exit(check_refusals(args)), 'cedar', 'snapshot', 'work')
    sub.add_argument('--score-harmless', action='store_true', help='score what is harmless too (minutes)')
    args = parser.parse_args()
    args.function(args)


if __name__ == '__main__':
    main()
