# attack: hasattr tells nothing of what is refused
# stopped by: harmless
assert not hasattr((), "__class__") and not hasattr(lambda: 0, "__globals__")
