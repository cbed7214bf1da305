# attack: the traceback that __exit__ is given
# stopped by: internal-attribute
# after: CVE-2023-37271 (R3)
class A:
    def __enter__(self): return self
    def __exit__(self, t, v, tb):
        print(tb.tb_frame.f_builtins, "ESCAPED")
        return True
with A():
    1 / 0
