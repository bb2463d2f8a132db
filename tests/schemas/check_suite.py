"""check_suite.py SCHEMA_ANSWERS [FOLDER]: the cases of Debian's json-schema-test-suite.

Each schema of theirs is either refused, by an error that names what is not supported, or all
answers that its grammar allows validate. Prints what was refused, by keyword.
"""

import collections
import json
import pathlib
import re
import sys

import validation

# Of 393 schemas. More refusals than these mean that something was lost.
MOST_REFUSED = 75
ANSWERS = 8


def cases(folder):
    for draft in ("draft4", "draft6", "draft7"):
        for file in sorted((folder / draft).rglob("*.json")):
            for group in json.loads(file.read_text()):
                yield draft, file.relative_to(folder), group


def named(schema, draft):
    """The schema with its draft: what it means depends on that."""
    if not isinstance(schema, dict):
        return schema
    number = draft.removeprefix("draft")
    return {"$schema": f"http://json-schema.org/draft-0{number}/schema#", **schema}


def main():
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/usr/share/json-schema-test-suite/tests")
    all_cases = list(cases(folder))
    failed = 0
    # With the draft's name, and without: then the schema must hold in each reading.
    for with_draft in (True, False):
        schemas = [named(g["schema"], d) if with_draft else g["schema"] for d, _, g in all_cases]
        results = validation.answers_to(sys.argv[1], schemas, ANSWERS)
        refused = collections.Counter()
        answered = 0
        for (draft, file, group), schema, result in zip(all_cases, schemas, results):
            name = f"{file}: {group['description']}"
            if "error" in result:
                error = result["error"]
                reason = re.sub(r'^JSON schema, \S*: ', "", error)
                refused[file.stem + ": " + reason[:70]] += 1
                # A value of theirs shows that there is one.
                wrong = "no finite value" in error and any(t["valid"] for t in group["tests"])
                if wrong or not error.startswith("JSON schema, #"):
                    print(f"{name}: {error}")
                    failed += 1
                continue
            answered += 1
            for text in result["answers"]:
                complaint = validation.complaint(schema, draft, text)
                if complaint:
                    failed += 1
                    print(f"{name}\n  {json.dumps(group['schema'])}\n  {text}\n  {complaint}")
        print(f"{'with' if with_draft else 'without'} $schema: {answered} schemas answered, "
              f"{sum(refused.values())} refused:")
        for reason, count in sorted(refused.items()):
            print(f"  {count} {reason}")
        if sum(refused.values()) > MOST_REFUSED:
            print(f"expected {MOST_REFUSED} refusals at most")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
