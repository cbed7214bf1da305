#!/usr/bin/python3
"""callers - many callers at once, in a process of their own

usage: callers.py bombs|honest PORT TOKEN SECONDS THREADS

The test's own threads would share one interpreter lock, and what is measured
would be that.  `honest` prints a JSON object: the seconds of every answer and
what was wrong; `bombs` sends the programs of tests/resources, again and again,
and prints how many answers of each status it got.
"""

import collections
import http.client
import json
import os
import random
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BOMBS = os.path.join(os.path.dirname(HERE), "resources")

# What an answer to a bomb may be when many of them fight for two processors;
# what it is when alone is in its file.
STATUSES = {200, 400, 429}


class Bomb:
    """A program of tests/resources with what its head says of it."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-len(".py")]
        with open(path, encoding="utf-8") as f:
            self.code = f.read()
        self.head = {}
        for line in self.code.split("\n"):
            name, colon, value = line[2:].partition(": ")
            if not line.startswith("# ") or not colon:
                break
            self.head[name] = value
        self.fields = {}
        if "profile" in self.head:
            self.fields["profile"] = self.head["profile"]
        if "timeout" in self.head:
            self.fields["timeout_s"] = float(self.head["timeout"])


def bombs():
    return [Bomb(os.path.join(BOMBS, name))
            for name in sorted(os.listdir(BOMBS)) if name.endswith(".py")]


class Callers:
    def __init__(self, port, token, seconds, threads):
        self.port = port
        self.headers = {"Content-Type": "application/json",
                        "X-Executor-Token": token}
        self.end = time.monotonic() + seconds
        self.threads = threads
        self.lock = threading.Lock()
        self.seconds = []
        self.wrong = []
        self.counts = collections.Counter()

    def call(self, connection, code, fields):
        body = json.dumps({"code": code, **fields})
        connection.request("POST", "/execute", body, self.headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def say(self, what):
        with self.lock:
            self.wrong.append(what)

    def honest(self, number, connection):
        rounds = random.Random(number)
        count = 0
        while time.monotonic() < self.end:
            count += 1
            n = number * 1_000_000 + count
            start = time.monotonic()
            status, body = self.call(
                connection, f"print({n})\n_ = sum(range(1000)) + {n}", {})
            seconds = time.monotonic() - start
            got = (status, body.get("status"), body.get("stdout"),
                   body.get("return_value"))
            with self.lock:
                self.seconds.append(seconds)
            if got != (200, "ok", f"{n}\n", 499500 + n):
                self.say(f"{n}: {str(got)[:200]} {str(body)[:200]}")
            # A caller who thinks: not a flood, and in step with nothing.
            time.sleep(rounds.uniform(0.002, 0.02))

    def bomb(self, number, connection):
        programs = bombs()
        random.Random(number).shuffle(programs)
        while time.monotonic() < self.end:
            for program in programs:
                if time.monotonic() >= self.end:
                    return
                status, body = self.call(
                    connection, program.code, program.fields)
                with self.lock:
                    self.counts[body.get("status", str(status))] += 1
                if status not in STATUSES:
                    self.say(f"{program.name}: {status} {str(body)[:200]}")

    def caller(self, work, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, 60)
        try:
            work(number, connection)
        except Exception as e:
            self.say(f"{type(e).__name__}: {e}")
        finally:
            connection.close()

    def run(self, work):
        threads = [threading.Thread(target=self.caller, args=(work, i))
                   for i in range(self.threads)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        print(json.dumps({"seconds": self.seconds, "wrong": self.wrong,
                          "counts": self.counts}))


def main():
    kind, port, token, seconds, threads = sys.argv[1:]
    callers = Callers(int(port), token, float(seconds), int(threads))
    callers.run(callers.honest if kind == "honest" else callers.bomb)


if __name__ == "__main__":
    main()
