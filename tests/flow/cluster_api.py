"""What the API of Kubernetes has against a manifest.

Its own Python client is made from the published schemas, so its classes know
every field: the name, the type, whether it must be there and, for some, which
values it takes.  The ServiceMonitor is not the API's but an operator's; of its
published definition stand here the fields that ours has.
"""

import re

from kubernetes import client

SIMPLE = {"str": str, "int": int, "bool": bool, "float": (int, float),
          "datetime": str, "object": object}
# The client of Debian 12 is of the release before autoscaling/v2, which took
# over the fields of its last trial version as they were.
VERSIONS = {"autoscaling/v2": "V2beta2"}
MONITOR = {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor"}
MONITOR_SPEC = {"selector": "V1LabelSelector",
                "endpoints": "list[dict(str, str)]"}
DURATION = r"0|(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?"
MONITOR_ENDPOINT = {"port": ".+", "path": "/.*", "interval": DURATION,
                    "scrapeTimeout": DURATION}


def api_problems(manifest):
    """Sentences; none if the API would take it."""
    version = VERSIONS.get(manifest["apiVersion"], "V1")
    return list(_problems(manifest, version + manifest["kind"], ""))


def monitor_problems(manifest):
    """Likewise, if its operator would take a ServiceMonitor."""
    for name, wanted in MONITOR.items():
        if manifest[name] != wanted:
            yield f".{name} is {manifest[name]!r}, not {wanted}"
    yield from _problems(manifest["metadata"], "V1ObjectMeta", ".metadata")
    spec = manifest["spec"]
    for name in sorted(spec.keys() ^ MONITOR_SPEC.keys()):
        yield f".spec {'has no field' if name in spec else 'needs'} {name}"
    for name in spec.keys() & MONITOR_SPEC.keys():
        wrong = list(_problems(spec[name], MONITOR_SPEC[name],
                               f".spec.{name}"))
        yield from wrong
        if name == "endpoints" and not wrong:
            yield from _endpoint_problems(spec[name])


def _endpoint_problems(endpoints):
    for n, endpoint in enumerate(endpoints):
        where = f".spec.endpoints[{n}]"
        for name, value in endpoint.items():
            if name not in MONITOR_ENDPOINT:
                yield f"{where} has no field {name}"
            elif not re.fullmatch(MONITOR_ENDPOINT[name], value):
                yield f"{where}.{name} cannot be {value!r}"


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
