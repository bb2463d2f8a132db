#!/usr/bin/env python3
"""spec_check.py [ROOT]: comments name sections of the specification that exist. Prints those that do not, and fails then.

A comment cites as `model.md, Attention` or `text.md, C.2`: the page, a comma, the beginning of one of its headings.
A page alone is a citation too. Lists (`model.md, Prefill, MoE`) are not: each section is cited with its page.
"""
import pathlib
import re
import sys

PAGES = {'model.md': 'engine/model.md', 'checkpoint.md': 'weights/checkpoint.md', 'text.md': 'app/text.md'}
SOURCES = {'.cc', '.h', '.S', '.py', '.sh', '.cmake'}
CITATION = re.compile(r'\b(model|checkpoint|text|dspark|vision)\.md(?:,? (?:sections? )?([A-F]\.?\d?\b|[A-Z][\w-]*(?: [a-z]\w*)*))?')
MARGIN = re.compile(r'\n\s*(?://|#)? *')  # a citation may run over the end of a comment's line


def headings(page):
    """What stands behind the number signs, without a closing full stop after a letter or number."""
    return [line.lstrip('#').strip() for line in page.read_text().splitlines() if line.startswith('#')]


def exists(section, titles):
    """A title begins with the section, or the section with a title (prose goes on behind it)."""
    def same(title):
        name = re.sub(r'[.:(].*', '', title).strip() if re.match(r'[A-Z][a-z]', title) else title.split(' ')[0].rstrip('.')
        return section == name or section.startswith(name + ' ')
    return any(same(t) for t in titles)


def broken(root):
    titles = {name: headings(root / place) for name, place in PAGES.items()}
    for folder in 'simd', 'weights', 'engine', 'app', 'tests', 'perf':
        for source in sorted((root / folder).rglob('*')):
            if source.suffix not in SOURCES or source.name == 'spec_check.py':
                continue
            text = source.read_text(errors='replace')
            joined = MARGIN.sub(lambda m: ' ' + '\0' * (len(m[0]) - 1), text)
            for hit in CITATION.finditer(joined.replace('\0', '')):
                page, section = hit[1] + '.md', hit[2]
                if page not in titles or section and not exists(section, titles[page]):
                    yield f'{source.relative_to(root)}: {hit[0]}'


def check_itself():
    """The check finds what it is to find."""
    titles = ['Attention', 'Cost of one token (released shape)', 'C. Chat encoding', 'C.2 Rules (O)']
    for section, want in ('Attention', True), ('Attention over rows', True), ('Cost of one token', True), ('C', True), (
            'C.2', True), ('C.9', False), ('Attend', False), ('Cost', False):
        assert exists(section, titles) == want, section


check_itself()
lines = list(broken(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)))
print('\n'.join(lines))
sys.exit(bool(lines))
