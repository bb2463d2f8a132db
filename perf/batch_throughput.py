#!/usr/bin/python3
"""Tokens a second that `cedar batch` generates with 1, 8, 32 and 128 requests at once.

    perf/batch_throughput.py build/cedar MODEL [--parallel 1 8 32 128] [--tokens 16] [--threads N] [--temperature T]

Every request has a prompt of one random token, so that the run is all but decode; a first short run brings the
weights into memory. Prints a Markdown table: what the summary of the run says, and the same from the outside, as
tokens over the time of the whole process. `cedar bench --parallel N` has the bounds beside it.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
import time


def run(a, parallel, tokens):
    """The summary of a batch of as many requests as run at once, and the seconds that the process took."""
    draw = random.Random(parallel)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path('in.jsonl'), 'w') as file:
            for _ in range(parallel):
                file.write(json.dumps({'url': '/v1/completions', 'body': {
                    'prompt': [draw.randrange(300, 4000)], 'max_tokens': tokens, 'ignore_eos': True,
                    'temperature': a.temperature}}) + '\n')
        command = [a.cedar, 'batch', a.model, '-i', path('in.jsonl'), '-o', path('out.jsonl'), '--summary',
                   path('summary.json'), '--parallel', str(parallel), '--ctx', str(tokens + 8)]
        if a.threads:
            command += ['--threads', a.threads]
        start = time.monotonic()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        with open(path('summary.json')) as file:
            return json.load(file), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cedar')
    parser.add_argument('model')
    parser.add_argument('--parallel', type=int, nargs='+', default=[1, 8, 32, 128])
    parser.add_argument('--tokens', type=int, default=16)
    parser.add_argument('--threads', default='')
    parser.add_argument('--temperature', type=float, default=1)
    a = parser.parse_args()
    run(a, 1, 2)
    print('| parallel | decode tokens/s | token p50 s | token p95 s | tokens/s of the whole process |')
    print('|---|---|---|---|---|')
    for parallel in a.parallel:
        summary, seconds = run(a, parallel, a.tokens)
        made = summary['tokens']['completion']
        print(f"| {parallel} | {summary['decode_tokens_per_s']:.2f} | {summary['token_s']['p50']:.3f} | "
              f"{summary['token_s']['p95']:.3f} | {made / seconds:.2f} |", flush=True)


if __name__ == '__main__':
    main()
