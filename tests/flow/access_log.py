"""nginx's access log, as ops/up passes it on: a moment after the answer."""

import json

from harness import eventually


def access_lines(s):
    """Each one read as strictly as JSON can be."""
    with open(s.log, "rb") as f:
        return [json.loads(line.split(b" | ", 1)[1].decode("utf-8", "strict"))
                for line in f.read().split(b"\n")[:-1]
                if line.startswith(b"nginx | {")]


def access_line(s, request_id):
    """The one line of that request, once it is there."""
    return eventually(f"the line of {request_id}", lambda: [
        row for row in access_lines(s) if row["request_id"] == request_id])[0]
