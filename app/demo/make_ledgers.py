"""Makes the ledgers that app/demo.sh asks about, and the facts that stand in them.

    python3 make_ledgers.py

Writes, beside itself, ledgers.jsonl (batch lines) and facts.jsonl (custom_id, question, the line of
the ledger that holds the answer, the answer). Documents come from corpus.py with a seed of their
own: the demo model was not trained on them.
"""
import json
import pathlib
import random

import corpus

SEED = 4100
LEDGERS = 24


def line_of(document, record):
    """The line of the document that tells of the record: buyers are unique within a document."""
    return next(line for line in document.split('\n') if f"{record['title']} {record['name']}" in line)


def request(custom_id, text):
    body = dict(model='demo', messages=[dict(role='user', content=text)], temperature=0,
                reasoning_effort='none', max_tokens=16)
    return dict(custom_id=custom_id, method='POST', url='/v1/chat/completions', body=body)


def main():
    r = random.Random(SEED)
    kinds = list(corpus.QUESTION)
    requests, facts = [], []
    for n in range(LEDGERS):
        document, records = corpus.document(r, r.randint(3, 12))
        record, (forms, answer) = r.choice(records), corpus.QUESTION[kinds[n % len(kinds)]]
        question, custom_id = r.choice(forms).format(**record), f'ledger-{n + 1:02}'
        requests.append(request(custom_id, f'{document}\n\n{question}'))
        facts.append(dict(custom_id=custom_id, question=question, line=line_of(document, record),
                          answer=answer.format(**record)))
    here = pathlib.Path(__file__).resolve().parent
    for name, rows in ('ledgers.jsonl', requests), ('facts.jsonl', facts):
        (here / name).write_text(''.join(json.dumps(row) + '\n' for row in rows))


if __name__ == '__main__':
    main()
