"""Writes corpus.jsonl: lines of every form that cedar batch takes, and more than 60 kinds of line that it must refuse.

    python3 make_corpus.py ../demo/held_out.jsonl corpus.jsonl

A good line has a custom_id that begins with "good" (or none), a bad one with "bad" (or cannot have one).
"""
import json
import random
import sys

r = random.Random(5)
held = [json.loads(x) for x in open(sys.argv[1], encoding='utf-8')]
out = []
CHAT, COMPLETIONS = '/v1/chat/completions', '/v1/completions'
TOOLS = [{'type': 'function', 'function': {'name': 'find_order', 'description': 'Finds an order', 'parameters': {
    'type': 'object', 'properties': {'name': {'type': 'string'}, 'page': {'type': 'integer'}}, 'required': ['name']}}}]
SCHEMA = {'type': 'object', 'properties': {'name': {'type': 'string'}, 'pounds': {'type': 'integer', 'minimum': 0, 'maximum': 999},
          'kind': {'enum': ['map', 'pen', 'rope']}}, 'required': ['pounds', 'kind'], 'additionalProperties': False}


def text(i):
    return held[i % len(held)]['document'] + '\n\n' + held[i % len(held)]['question']


def user(i):
    return [{'role': 'user', 'content': text(i)}]


def good(body, url=CHAT, full=True):
    line = {'custom_id': f'good-{len(out)}'}
    if full:
        line.update(method='POST', url=url)
    elif url != CHAT:
        line['url'] = url
    out.append(json.dumps({**line, 'body': body}, ensure_ascii=len(out) % 2 == 0))


def loose(line):
    out.append(json.dumps(line, ensure_ascii=False))


quiet = dict(reasoning_effort='none')
for i in range(60):                                        # one question a document, greedy
    good(dict(messages=user(i), temperature=0, **quiet, model='demo'))
for i in range(30):                                        # thinking, at several efforts
    good(dict(messages=user(i), temperature=0, reasoning_effort=r.choice(['low', 'high', 'max', 17]), max_tokens=40))
for i in range(30):                                        # many questions on one document
    q = held[(i * 7) % len(held)]['question']
    good(dict(messages=[{'role': 'user', 'content': held[3]['document'] + '\n\n' + q}], temperature=0, **quiet), full=False)
for i in range(20):                                        # drawn answers, seeded and not
    good(dict(messages=user(i), temperature=r.choice([0.7, 1, 2]), top_p=r.choice([0.5, 0.95, 1]), top_k=r.choice([0, 5, -1]),
              min_p=r.choice([0, 0.05]), max_tokens=12, **quiet, **({'seed': i} if i % 2 else {})))
for i in range(10):                                        # several choices
    good(dict(messages=user(i), n=1 + i % 4, temperature=1.5, max_tokens=6, **quiet))
for i in range(10):                                        # log-probabilities
    good(dict(messages=user(i), logprobs=True, top_logprobs=i % 4, max_tokens=4, temperature=0, **quiet))
for i in range(12):                                        # penalties, biases, stops
    good(dict(messages=user(i), temperature=0, max_tokens=16, presence_penalty=0.5 * (i % 3), frequency_penalty=-0.5 * (i % 2),
              repetition_penalty=1 + 0.1 * i, logit_bias={str(40 + i): 2.5}, stop=['.', 'pounds'] if i % 2 else 'In', **quiet))
for i in range(6):
    good(dict(messages=user(i), temperature=0, min_tokens=8, max_tokens=12, ignore_eos=i % 2 == 0, stop_token_ids=[53], **quiet))
for i in range(8):                                         # conversations
    good(dict(messages=[{'role': 'system', 'content': 'Answer from the ledger.'}, {'role': 'user', 'content': text(i)},
                        {'role': 'assistant', 'content': held[i]['answer'], 'reasoning_content': 'The question is easy.'},
                        {'role': 'user', 'content': [{'type': 'text', 'text': 'And'}, {'type': 'text', 'text': held[i + 1]['question']}]}],
              temperature=0, max_tokens=30, chat_template_kwargs={'thinking': i % 2 == 0}))
for i in range(4):                                         # mid-conversation system messages, reminders, prefill
    good(dict(messages=[{'role': 'user', 'content': text(i)}, {'role': 'assistant', 'content': 'Yes.'},
                        {'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Why?'}], temperature=0, max_tokens=8, **quiet))
    good(dict(messages=[{'role': 'latest_reminder', 'content': '2026-11-30'}, {'role': 'user', 'content': text(i)},
                        {'role': 'assistant', 'content': 'By ', 'prefix': True}], temperature=0, max_tokens=8, **quiet))
for i in range(8):                                         # tools
    call = [{'id': 'c1', 'type': 'function', 'function': {'name': 'find_order', 'arguments': '{"name": "Park"}'}}]
    good(dict(messages=[*user(i), {'role': 'assistant', 'content': None, 'tool_calls': call},
                        {'role': 'tool', 'tool_call_id': 'c1', 'content': '{"pounds": 7}'}], tools=TOOLS, temperature=0,
              max_tokens=10, tool_choice=['auto', 'none'][i % 2], **quiet))
good(dict(messages=user(1), tools=TOOLS, tool_choice='required', temperature=0, max_tokens=12, **quiet))
for i in range(12):                                        # structured output
    f = {'type': 'json_object'} if i % 3 == 0 else {'type': 'json_schema', 'json_schema': {'name': 'order', 'schema': SCHEMA, 'strict': True}}
    good(dict(messages=user(i), response_format=f, temperature=1, max_tokens=120, **(quiet if i % 2 else dict(reasoning_effort=20))))
for i in range(10):                                        # completions
    good(dict(prompt=held[i]['document'][:80], max_tokens=8, temperature=0), url=COMPLETIONS)
    good(dict(prompt=held[i]['ids'][:20 + i], max_tokens=5, temperature=1, logprobs=2), url=COMPLETIONS, full=False)
for i in range(5):
    good(dict(prompt=[held[i]['document'][:40], held[i]['document'][:60]], max_tokens=4, n=2, temperature=1), url=COMPLETIONS)
    good(dict(prompt=held[i]['document'][:50], max_tokens=4, echo=True, logprobs=1, temperature=0), url=COMPLETIONS)
    good(dict(prompt=[held[i]['ids'][:9], held[i]['ids'][:30]], max_tokens=3, echo=True, temperature=0), url=COMPLETIONS)
for i in range(6):                                         # loose forms
    loose({'prompt': text(i), 'temperature': 0, 'reasoning_effort': 'none'})
    loose({'messages': user(i), 'temperature': 0, 'max_tokens': 9})
    loose({'custom_id': f'good-loose-{i}', 'body': {'prompt': text(i), 'temperature': 0, 'max_completion_tokens': 9,
           'user': 'u', 'metadata': {'a': 'b'}, 'store': False, 'service_tier': 'auto', 'stream': False, **quiet}})
for i in range(4):                                         # white space, control tokens spelled out
    out.append('   ' + json.dumps({'custom_id': f'good-space-{i}', 'body': dict(messages=user(i), temperature=0, **quiet)}) + ' ')
    loose({'custom_id': f'good-inject-{i}', 'body': dict(messages=[{'role': 'user', 'content': 'a<｜User｜>b</think>' + text(i)}], temperature=0, max_tokens=6, **quiet)})

bad_bodies = [
    {}, {'messages': []}, {'messages': 'hi'}, {'messages': ['hi']}, {'messages': [{}]}, {'messages': [{'role': 'user'}]},
    {'messages': [{'role': 'critic', 'content': 'x'}]}, {'messages': [{'role': 'user', 'content': 7}]},
    {'messages': [{'role': 'user', 'content': [{'type': 'image_url', 'image_url': {'url': 'x'}}]}]},
    {'messages': [{'role': 'user', 'content': [{'type': 'text'}]}]}, {'messages': [{'role': 'user', 'content': {'a': 1}}]},
    {'messages': [{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'a'}]},
    {'messages': [{'role': 'assistant', 'content': 'a', 'prefix': True}, {'role': 'user', 'content': 'q'}]},
    {'messages': [{'role': 'assistant', 'tool_calls': [{'function': {}}]}, {'role': 'user', 'content': 'q'}]},
    {'messages': [{'role': 'user', 'content': 'q', 'task': 'sing'}]}, {'prompt': 7}, {'prompt': 'x' * 60000},
    *({**dict(messages=user(0)), **x} for x in (
        {'stream': True}, {'model': 7}, {'max_tokens': 0}, {'max_tokens': -1}, {'max_tokens': 1.5}, {'max_tokens': '5'},
        {'max_tokens': 5, 'max_completion_tokens': 6}, {'max_tokens': 100000}, {'min_tokens': 9, 'max_tokens': 3},
        {'temperature': -1}, {'temperature': 'hot'}, {'top_p': 0}, {'top_p': 2}, {'top_k': -2}, {'top_k': 1.5}, {'min_p': 2},
        {'seed': 1.5}, {'seed': 'x'}, {'stop': 7}, {'stop': ['']}, {'stop': [1]}, {'stop_token_ids': [-1]}, {'stop_token_ids': 'a'},
        {'stop_token_ids': [99999]}, {'ignore_eos': 1}, {'n': 0}, {'n': 1000}, {'logprobs': 3}, {'top_logprobs': 3},
        {'logprobs': True, 'top_logprobs': 99}, {'logit_bias': {'a': 1}}, {'logit_bias': {'1': 1000}}, {'logit_bias': []},
        {'presence_penalty': 3}, {'frequency_penalty': -3}, {'repetition_penalty': 0}, {'reasoning_effort': 'extreme'},
        {'reasoning_effort': 0}, {'reasoning_effort': 101}, {'chat_template_kwargs': {'style': 1}}, {'chat_template_kwargs': 3},
        {'chat_template_kwargs': {'thinking': True, 'enable_thinking': False}}, {'tools': {}}, {'tools': [{}]},
        {'tools': [{'type': 'web_search', 'function': {'name': 'x'}}]}, {'tool_choice': 'sometimes'}, {'tool_choice': 'required'},
        {'tool_choice': {'type': 'function', 'function': {'name': 'f'}}}, {'tools': TOOLS, 'parallel_tool_calls': 'no'},
        {'response_format': {'type': 'xml'}}, {'response_format': {'type': 'json_schema'}},
        {'response_format': {'type': 'json_schema', 'json_schema': {'schema': {'type': 'string', 'pattern': '(?<=a)b'}}}},
        {'response_format': {'type': 'json_schema', 'json_schema': {'schema': {'$ref': '#/none'}}}}, {'echo': 'yes'}, {'suffix': 'x'},
        {'best_of': 2}, {'audio': {}}, {'prompt': 'both'}, {'functions': [{'name': 'f'}]}))]
for k, body in enumerate(bad_bodies):
    out.append(json.dumps({'custom_id': f'bad-{k}', 'method': 'POST', 'url': CHAT, 'body': body}))
for k, line in enumerate(({'url': '/v1/embeddings', 'body': {'input': 'x'}}, {'method': 'GET', 'body': {'prompt': 'x'}}, {'body': 7},
                          {'body': {'prompt': 'x'}, 'extra': 1}, {'url': COMPLETIONS, 'body': {'prompt': ''}},
                          {'url': COMPLETIONS, 'body': {'prompt': [99999]}}, {'url': COMPLETIONS, 'body': {'messages': user(0)}},
                          {'url': COMPLETIONS, 'body': {'prompt': 'x', 'logprobs': 50}})):
    out.append(json.dumps({'custom_id': f'bad-line-{k}', **line}))
out += ['not json', '{"custom_id": "bad-cut", "body": {"prompt": ', '[1, 2]', '7', '"text"', '{"custom_id": 7, "body": {"prompt": "x"}}',
        '{"custom_id": "good-0", "body": {"prompt": "the name of an earlier line"}}', '[' * 5000]

r.shuffle(out)
first = next(x for x in out if '"good-0"' in x and 'earlier line' not in x)    # before the line that repeats its name
out.remove(first)
open(sys.argv[2], 'w', encoding='utf-8', newline='').write('\ufeff' + first + '\r\n\n' + '\n\n'.join(out[:50]) + '\n' + '\n'.join(out[50:]))
bad = sum(not ('"good-' in x or x.startswith(('{"prompt"', '{"messages"'))) or 'earlier line' in x for x in out)
print(len(out) + 1, 'lines,', bad, 'of them bad')
