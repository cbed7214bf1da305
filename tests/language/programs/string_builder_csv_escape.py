def escape(v):
    s = "" if v is None else str(v)
    if any(c in s for c in ',"\n'):
        s = '"' + s.replace('"', '""') + '"'
    return s


rows = [["id", "note"], [1, 'said "hi"'], [2, "a,b"], [3, None]]
print("\n".join(",".join(map(escape, r)) for r in rows))
