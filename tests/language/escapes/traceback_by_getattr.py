# attack: the same by getattr
# stopped by: internal-attribute
class A:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        print(getattr(tb, "tb_frame"), "ESCAPED")
        return False
with A():
    1 / 0
