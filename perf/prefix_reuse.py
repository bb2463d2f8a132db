#!/usr/bin/python3
"""What 64 questions on one document cost, against their rows at the measured cost of a row.

    perf/prefix_reuse.py build/cedar MODEL [--document 2000] [--questions 64] [--tokens 4] [--threads N]

Four runs of `cedar batch`, one after the other, on random token ids: (1) one prompt of `document` tokens, (2) as
many prompts of two windows as fill the same chunks, which gives with (1) the cost of a row of each half; (3) as many
requests as there are questions whose prompts are a single token, for the cost of decoding them together; (4) the
questions themselves. Prints the time of (4) over what (1) to (3) say it should take; the issue allows 1.15.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile

WINDOW_KEY = 'sliding_window'


def run(cedar, model, prompts, tokens, options):
    """The summary of a batch over raw prompts of ids, each answered with exactly `tokens` tokens."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({'url': '/v1/completions', 'body': {
            'prompt': ids, 'max_tokens': tokens, 'ignore_eos': True, 'temperature': 0}}) for ids in prompts]
        path = lambda name: os.path.join(folder, name)
        with open(path('in.jsonl'), 'w') as file:
            file.write('\n'.join(lines) + '\n')
        subprocess.run([cedar, 'batch', model, '-i', path('in.jsonl'), '-o', path('out.jsonl'),
                        '--summary', path('summary.json')] + options, check=True, stderr=subprocess.DEVNULL)
        with open(path('summary.json')) as file:
            return json.load(file)


def busy(summary):
    """Seconds that the run spent in steps."""
    return summary['seconds']['prefill'] + summary['seconds']['decode']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('cedar')
    parser.add_argument('model')
    for name, default in (('document', 2000), ('questions', 64), ('question', 24), ('tokens', 4)):
        parser.add_argument('--' + name, type=int, default=default)
    parser.add_argument('--threads', default='')
    a = parser.parse_args()
    with open(os.path.join(a.model, 'config.json')) as file:
        config = json.load(file)
    text = config.get('text_config', config)
    window, vocab = text[WINDOW_KEY], text['vocab_size']
    draw = random.Random(1)
    ids = lambda n: [draw.randrange(300, vocab - 1) for _ in range(n)]
    options = ['--parallel', str(a.questions), '--ctx', str(a.document + a.question + a.tokens + 8)]
    if a.threads:
        options += ['--threads', a.threads]
    measure = lambda prompts, tokens: run(a.cedar, a.model, prompts, tokens, options)

    measure([ids(64)], 1)  # brings the weights into memory
    one = measure([ids(a.document)], 1)
    short = measure([ids(2 * window) for _ in range(max(1, a.document // (2 * window)))], 1)
    # Two equations for the cost of a row of each half.
    e1, d1, t1 = one['rows']['encoder'], one['rows']['decoder'], busy(one)
    e2, d2, t2 = short['rows']['encoder'], short['rows']['decoder'], busy(short)
    det = e1 * d2 - e2 * d1
    encoder, decoder = (t1 * d2 - t2 * d1) / det, (e1 * t2 - e2 * t1) / det
    alone = measure([ids(1) for _ in range(a.questions)], a.tokens)
    document = ids(a.document)
    # Every question begins with a token of its own: all part where the document ends.
    questions = [document + [300 + i] + ids(a.question - 1) for i in range(a.questions)]
    asked = measure(questions, a.tokens)

    fed = a.questions * (a.tokens - 1)
    encoder_rows, decoder_rows = asked['rows']['encoder'] - fed, asked['rows']['decoder'] - fed
    expected = (a.document + a.questions * a.question, a.questions * window)
    decode = busy(alone) - a.questions * (encoder + decoder)
    bound = encoder_rows * encoder + decoder_rows * decoder + decode
    print(f'rows: encoder {encoder_rows} (expected {expected[0]}), decoder {decoder_rows} (expected {expected[1]})')
    print(f'a row: encoder {encoder * 1e3:.3f} ms, decoder {decoder * 1e3:.3f} ms')
    print(f'decode of {a.questions} x {a.tokens - 1} tokens: {decode:.3f} s')
    print(f'bound {bound:.3f} s, taken {busy(asked):.3f} s: {busy(asked) / bound:.3f} times the bound')


if __name__ == '__main__':
    main()
