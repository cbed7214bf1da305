"""The files of ops/ and what they must agree with: settings, times, metrics.

For tests/flow/test_deployment.py, test_units.py and test_monitoring.py.
"""

import os
import re
import subprocess
import tempfile

import yaml

from harness import ROOT, Failure, expect

OPS = os.path.join(ROOT, "ops")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def read_yaml(path):
    return list(yaml.safe_load_all(read(path)))


def unit(name):
    """The path of a systemd unit."""
    return os.path.join(OPS, "systemd", name)


def run(*command, status=0, **options):
    """Its output; another exit status is a failure that shows it."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != status:
        raise Failure(f"{command[0]} {command[1]}: exit status "
                      f"{done.returncode}: {done.stdout[-1500:]}")
    return done.stdout


# --- metrics ------------------------------------------------------------------

SAMPLE = re.compile(r"^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$")


def scrape(s):
    """{name: [labels]} of a live /metrics."""
    series = {}
    for line in s.get("/metrics").body.decode().splitlines():
        m = SAMPLE.match(line)
        if m:
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"',
                                     m.group(2) or ""))
            series.setdefault(m.group(1), []).append(labels)
    return series


# --- settings that the files name ---------------------------------------------


def known_settings():
    return set(re.findall(r"(?m)^#([A-Z_]+)=",
                          read(os.path.join(OPS, "glovebox.conf"))))


def expect_settings(where, names):
    expect(f"names in {where} that are no setting",
           sorted(set(names) - known_settings()), [])


def rendered(name):
    """A file of nginx with the presets, in seconds it took from them."""
    with tempfile.TemporaryDirectory(prefix="gbrender.") as home:
        done = subprocess.run(
            [os.path.join(OPS, "render"), home], input="SOCKET_PATH=/s\n",
            text=True, capture_output=True, timeout=60, check=False)
        expect("what render says", done.stderr, "")
        return read(os.path.join(home, "nginx", name))


def longest_request_s():
    """With presets: as long as nginx waits for the app."""
    return int(re.search(r"fastcgi_read_timeout (\d+)s",
                         rendered("fastcgi.conf")).group(1))
