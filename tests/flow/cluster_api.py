"""What the API of Kubernetes has against a manifest.

Its own Python client is made from the published schemas, so its classes know
every field: the name, the type, whether it must be there and, for some, which
values it takes.
"""

import re

from kubernetes import client

SIMPLE = {"str": str, "int": int, "bool": bool, "float": (int, float),
          "datetime": str, "object": object}
# The client of Debian 12 is of the release before autoscaling/v2, which took
# over the fields of its last trial version as they were.
VERSIONS = {"autoscaling/v2": "V2beta2"}


def api_problems(manifest):
    """Sentences; none if the API would take it."""
    version = VERSIONS.get(manifest["apiVersion"], "V1")
    return list(_problems(manifest, version + manifest["kind"], ""))


def _problems(value, kind, where):
    many = re.fullmatch(r"list\[(.*)\]|dict\(str, (.*)\)", kind)
    if kind in SIMPLE:
        is_bool = isinstance(value, bool) and kind not in ("bool", "object")
        if is_bool or not isinstance(value, SIMPLE[kind]):
            yield f"{where} is {value!r}, not {kind}"
    elif many and many[1]:
        if not isinstance(value, list):
            yield f"{where} is {value!r}, not a list"
            return
        for n, one in enumerate(value):
            yield from _problems(one, many[1], f"{where}[{n}]")
    elif not isinstance(value, dict):
        yield f"{where} is {value!r}, not fields"
    elif many:
        for name, one in value.items():
            yield from _problems(one, many[2], f"{where}.{name}")
    else:
        yield from _object_problems(value, getattr(client, kind), where)


def _object_problems(value, model, where):
    names = {key: name for name, key in model.attribute_map.items()}
    for key, one in value.items():
        if key not in names:
            yield f"{where} has no field {key}"
            continue
        yield from _problems(one, model.openapi_types[names[key]],
                             f"{where}.{key}")
    try:
        model(**{names[k]: v for k, v in value.items() if k in names})
    except ValueError as e:
        yield f"{where}: {e}"
