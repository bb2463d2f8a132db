"""Random schemas over the keywords that Cedar supports, most of which some value meets."""

WORDS = ["red", "green", "blue", "q\"uote", "back\\slash", "é", "", "line\nend", "two words"]
NAMES = ["id", "name", "size", "a/b", "t~1", "quo\"te", "ü", "kind", "tags", "x y"]
CONSTANTS = [None, True, False, 0, -7, 1.5, "red", "é\"", [], [1, "x"], {}, {"k": 1}]
PATTERNS = ["^[A-Z]{2}[0-9]{1,4}$", "^(\\+|-)?[a-z]+$", "abc?", "^\\d{3}-\\d{4}$", "^x-", "^\\w+$",
            "[^a-z]", "^(ab|cd)*$", "^$|^[é-ü]+$"]
FORMATS = ["date", "time", "date-time", "email", "uuid", "uri", "ipv4", "ipv6", "hostname"]


class Schemas:
    """Draws schemas. Each may refer to those in $defs."""

    def __init__(self, random):
        self.random = random
        self.defs = {}

    def chance(self, n):
        return self.random.randrange(n) == 0

    def document(self):
        self.defs = {}
        self.defs["Leaf"] = self.simple()
        self.defs["To/do ~%"] = self.simple()
        self.defs["Node"] = {
            "type": "object",
            "properties": {"value": {"$ref": "#/$defs/Leaf"},
                           "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}},
            "required": ["value", "next"], "additionalProperties": False}
        self.defs["Tree"] = {
            "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"},
                                        "maxItems": 2}}}
        schema = self.object(0) if not self.chance(4) else self.schema(0)
        if isinstance(schema, bool):
            schema = {"allOf": [schema]}
        return {**schema, "$defs": self.defs}

    def annotated(self, schema):
        if isinstance(schema, dict) and self.chance(5):
            note = self.random.choice(["title", "description", "$comment"])
            schema = {note: "of no effect", **schema}
        if isinstance(schema, dict) and self.chance(8):
            key, value = self.random.choice([("default", 3), ("examples", ["x"]), ("readOnly", True),
                                             ("writeOnly", True), ("deprecated", False),
                                             ("x-order", 4)])
            schema = {**schema, key: value}
        return schema

    def schema(self, depth):
        kinds = [self.simple, self.simple, self.reference]
        if depth < 3:
            kinds += [lambda: self.object(depth), lambda: self.array(depth),
                      lambda: self.combined(depth)] * 2
        return self.annotated(self.random.choice(kinds)())

    def reference(self):
        return {"$ref": self.random.choice(["#/$defs/Leaf", "#/$defs/Node", "#/$defs/Tree",
                                            "#/%24defs/To~1do%20~0%25"])}

    def simple(self):
        return self.random.choice([self.string, self.string, self.number, self.number, self.enum,
                                   self.types, self.negated])()

    def string(self):
        schema = {"type": "string"}
        kind = self.random.randrange(5)
        if kind == 0:
            schema["format"] = self.random.choice(FORMATS)
        elif kind == 1:
            schema["pattern"] = self.random.choice(PATTERNS)
            if self.chance(2):
                schema["maxLength"] = self.random.randrange(7, 20)
        elif kind == 2:
            low = self.random.randrange(0, 9)
            schema["minLength"] = low
            schema["maxLength"] = low + self.random.randrange(0, 9)
        if self.chance(4):
            del schema["type"]
        return schema or {"minLength": 1}

    def number(self):
        schema = {"type": self.random.choice(["integer", "number"])}
        low = self.random.choice([-1e3, -5, -0.5, 0.0, 0, 1, 2.25, 17])
        if not self.chance(3):
            schema[self.random.choice(["minimum", "exclusiveMinimum"])] = low
        if not self.chance(3):
            high = low + self.random.choice([3, 10.5, 1000, 1000000])
            schema[self.random.choice(["maximum", "exclusiveMaximum"])] = high
        if self.chance(4):
            schema["multipleOf"] = self.random.choice([1, 0.5, 3, 0.25])
        return schema

    def enum(self):
        if self.chance(3):
            return {"const": self.random.choice(CONSTANTS)}
        schema = {"enum": self.random.sample(CONSTANTS, self.random.randrange(1, 6))}
        if self.chance(3):
            schema = {"type": "string", "enum": self.random.sample(WORDS, 3)}
        return schema

    def types(self):
        names = ["null", "boolean", "integer", "number", "string"]
        return {"type": self.random.sample(names, self.random.randrange(1, 4))}

    def negated(self):
        return self.random.choice([
            {"type": "string", "not": {"enum": self.random.sample(WORDS, 2)}},
            {"not": {"const": self.random.choice([None, True, 5, "red"])}},
            {"type": ["integer", "null"], "not": {"enum": [0, 1, -7]}},
            {"type": ["string", "boolean", "null"], "not": {"type": "boolean"}},
            {"type": "string", "not": {"maxLength": 3}}])

    def object(self, depth):
        schema = {"type": "object"}
        names = self.random.sample(NAMES, self.random.randrange(0, 5))
        if names:
            schema["properties"] = {name: self.schema(depth + 1) for name in names}
            required = [name for name in names if self.chance(2)]
            if required:
                schema["required"] = required
        kind = self.random.randrange(9)
        if kind < 3:
            schema["additionalProperties"] = False
        elif kind == 3:
            schema["additionalProperties"] = self.schema(depth + 1)
        elif kind == 4:
            schema["patternProperties"] = {"^x-": self.schema(depth + 1),
                                           self.random.choice(PATTERNS): self.schema(depth + 1)}
        elif kind == 5:
            schema["propertyNames"] = self.random.choice(
                [{"pattern": "^[a-z]+$"}, {"enum": NAMES}, {"maxLength": 5}])
        elif kind == 6:
            schema["minProperties"] = len(schema.get("required", [])) + self.random.randrange(2)
            schema["maxProperties"] = schema["minProperties"] + self.random.randrange(4)
        elif kind == 7 and len(names) > 1:
            schema["dependentRequired"] = {names[0]: names[1:]}
        if self.chance(6):
            del schema["type"]
        return schema or {"type": "object"}

    def array(self, depth):
        schema = {"type": "array"}
        kind = self.random.randrange(6)
        if kind == 0:
            schema["prefixItems"] = [self.schema(depth + 1) for _ in range(self.random.randrange(1, 4))]
            if self.chance(2):
                schema["items"] = self.random.choice([False, self.schema(depth + 1)])
            if self.chance(2):
                schema["minItems"] = len(schema["prefixItems"])
        elif kind == 1:
            schema["items"] = {"enum": self.random.sample(WORDS, self.random.randrange(3, 6))}
            schema["uniqueItems"] = True
            schema["minItems"] = self.random.randrange(3)
        elif kind == 2:
            schema["contains"] = self.random.choice([{"type": "null"}, {"const": 3}])
            schema["maxContains"] = self.random.randrange(1, 3)
            schema["maxItems"] = 4
        else:
            schema["items"] = self.schema(depth + 1)
            low = self.random.randrange(3)
            schema["minItems"] = low
            schema["maxItems"] = low + self.random.randrange(4)
        return schema

    def combined(self, depth):
        kind = self.random.randrange(7)
        some = [self.schema(depth + 1) for _ in range(self.random.randrange(1, 4))]
        if kind < 2:
            return {"anyOf": some}
        if kind == 2:
            return {"allOf": [self.object(depth + 1), self.object(depth + 1)]}
        if kind == 3:
            return {"allOf": [self.reference()], "description": "of another"}
        if kind == 4:
            tags = self.random.sample(WORDS, 3)
            return {"oneOf": [{"type": "object", "required": ["kind"],
                               "properties": {"kind": {"const": tag}, "v": self.schema(depth + 1)}}
                              for tag in tags],
                    "discriminator": {"propertyName": "kind"}}
        if kind == 5:
            return {"oneOf": [{"type": "string", "maxLength": 4}, {"type": "integer"},
                              {"type": "null"}, {"enum": ["red", 3, "yellow"]}]}
        return {"type": "object",
                "properties": {"kind": {"enum": ["a", "b"]}, "v": {"type": ["integer", "string"]}},
                "required": ["kind", "v"],
                "if": {"properties": {"kind": {"const": "a"}}},
                "then": {"properties": {"v": {"type": "integer"}}},
                "else": {"properties": {"v": {"type": "string", "minLength": 1}}},
                "unevaluatedProperties": False}
