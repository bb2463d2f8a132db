"""check_random.py SCHEMA_ANSWERS [SEED]: 500 random schemas, whose answers must all validate."""

import collections
import json
import random
import re
import sys

import random_schemas
import validation

SCHEMAS = 500
ANSWERS = 6
# Of those that are drawn some nothing meets, and some combine what is refused.
LEAST_ANSWERED = 430


def main():
    source = random_schemas.Schemas(random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1))
    schemas = [source.document() for _ in range(SCHEMAS)]
    failed = answered = texts = 0
    refused = collections.Counter()
    slowest = 0.0
    for schema, result in zip(schemas, validation.answers_to(sys.argv[1], schemas, ANSWERS)):
        slowest = max(slowest, result["seconds"])
        if "error" in result:
            refused[re.sub(r'^JSON schema, \S*: ', "", result["error"])[:90]] += 1
            continue
        answered += 1
        texts += len(result["answers"])
        for text in result["answers"]:
            complaint = validation.complaint(schema, "2020", text)
            if complaint:
                failed += 1
                print(f"{json.dumps(schema)}\n  {text}\n  {complaint}")
    print(f"{answered} of {SCHEMAS} schemas answered, with {texts} texts; the slowest took "
          f"{slowest:.3f} s. Refused:")
    for reason, count in sorted(refused.items()):
        print(f"  {count} {reason}")
    if answered < LEAST_ANSWERED:
        print(f"expected {LEAST_ANSWERED} to be answered")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
