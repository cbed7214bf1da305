# attack: getattr with a default gives the default
# stopped by: harmless
assert getattr((), "__class__", None) is None
