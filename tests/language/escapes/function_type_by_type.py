# attack: type(f) is the function type, but there is no code object
# stopped by: harmless
t = type(lambda: 0)
try:
    t("code", {})
    print("ESCAPED")
except TypeError:
    pass
