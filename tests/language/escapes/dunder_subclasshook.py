# attack: a hook that is no special method of the list
# stopped by: dunder-name
class A:
    def __reduce__(self): return (print, ("ESCAPED",))
