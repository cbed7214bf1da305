def parse(argv):
    opts, rest = {}, []
    it = iter(argv)
    for a in it:
        match a.split("=", 1):
            case [k, v] if k.startswith("--"):
                opts[k[2:]] = v
            case [k] if k.startswith("--no-"):
                opts[k[5:]] = False
            case [k] if k.startswith("--"):
                opts[k[2:]] = True
            case _:
                rest.append(a)
    return opts, rest


print(parse(["--name=x", "--verbose", "--no-color", "file.txt"]))
