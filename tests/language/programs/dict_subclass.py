class CaseInsensitive(dict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)

    def __getitem__(self, k):
        return super().__getitem__(k.lower())

    def __missing__(self, k):
        return f"no {k}"

    def __contains__(self, k):
        return super().__contains__(k.lower())


d = CaseInsensitive()
d["Content-Type"] = "text"
print(d["CONTENT-TYPE"], "content-type" in d, d["x"], len(d), dict(d))
