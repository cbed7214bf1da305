"""What nginx tells of requests, as ./ops/up shows it."""

import json


def access_lines(s):
    """Each one read as strictly as JSON can be."""
    with open(s.log, "rb") as f:
        return [json.loads(line.split(b" | ", 1)[1].decode("utf-8", "strict"))
                for line in f.read().splitlines()
                if line.startswith(b"nginx | {")]
