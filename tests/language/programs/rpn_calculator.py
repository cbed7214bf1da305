import math

OPS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": math.pow,
}


def rpn(s):
    st = []
    for t in s.split():
        if t in OPS:
            b, a = st.pop(), st.pop()
            st.append(OPS[t](a, b))
        else:
            st.append(float(t))
    (r,) = st
    return r


print(rpn("3 4 + 2 *"), rpn("5 1 2 + 4 * + 3 -"), rpn("2 10 ^"))
