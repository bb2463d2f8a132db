"""Answers that Cedar's grammars allow, and what jsonschema (which is not ours) says of them."""

import json
import subprocess

import jsonschema

DRAFTS = {
    "draft4": (jsonschema.Draft4Validator, jsonschema.draft4_format_checker),
    "draft6": (jsonschema.Draft6Validator, jsonschema.draft6_format_checker),
    "draft7": (jsonschema.Draft7Validator, jsonschema.draft7_format_checker),
    "2019": (jsonschema.Draft201909Validator, jsonschema.draft201909_format_checker),
    "2020": (jsonschema.Draft202012Validator, jsonschema.draft202012_format_checker),
}


def answers_to(program, schemas, count):
    """For each schema what schema_answers writes: {"answers": [...]} or {"error": ...}."""
    lines = "".join(json.dumps({"schema": s, "answers": count}) + "\n" for s in schemas)
    run = subprocess.run([program], input=lines, stdout=subprocess.PIPE, check=True, text=True)
    results = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(results) == len(schemas), "schema_answers stopped early"
    return results




def complaint(schema, draft, text):
    """Why a text is not a value of the schema; empty if it is one."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"is no JSON: {error}"
    validator, formats = DRAFTS[draft]
    for error in validator(schema, format_checker=formats).iter_errors(value):
        return error.message[:200]
    return ""
