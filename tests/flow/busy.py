"""How busy a service is, by its own metrics: what to wait for instead of for a
while."""

from harness import eventually


def metric(s, name, query=""):
    """Of all its labels together."""
    text = s.get(f"/metrics{query}").body.decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
               if line.startswith((name + "{", name + " ")))


def running(s, query=""):
    return metric(s, "glovebox_places_taken", query)


def waiting(s, query=""):
    return metric(s, "glovebox_queue_length", query)


def await_runs(s, runs, waits=0, query="", seconds=5):
    """Until so many run and so many wait."""
    eventually(f"{runs} run, {waits} wait", lambda: (
        running(s, query), waiting(s, query)) == (runs, waits), seconds)
