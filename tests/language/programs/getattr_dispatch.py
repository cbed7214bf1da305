class Handler:
    def on_start(self):
        return "started"

    def on_stop(self):
        return "stopped"

    def handle(self, event):
        method = getattr(self, f"on_{event}", None)
        if method is None:
            return f"no handler for {event}"
        return method()


h = Handler()
print([h.handle(e) for e in ("start", "stop", "pause")])
obj = type("Obj", (), {})()
setattr(obj, "color", "red")
print(obj.color, hasattr(obj, "size"), getattr(obj, "size", 10))
delattr(obj, "color")
print(hasattr(obj, "color"))
for op in ("upper", "title", "swapcase"):
    print(getattr("heLLo", op)())
