def topo(deps):
    order, state = [], {}

    def visit(n):
        if state.get(n) == 1:
            raise ValueError(f"cycle at {n}")
        if state.get(n) == 2:
            return
        state[n] = 1
        for d in sorted(deps.get(n, ())):
            visit(d)
        state[n] = 2
        order.append(n)

    for n in sorted(deps):
        visit(n)
    return order


print(topo({"app": {"db", "log"}, "db": {"conf"}, "log": {"conf"}, "conf": set()}))
try:
    topo({"a": {"b"}, "b": {"a"}})
except ValueError as e:
    print(e)
