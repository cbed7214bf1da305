# attack: the contents of a cell
# stopped by: internal-attribute
def f(c):
    return c.cell_contents
print(f(1), "ESCAPED")
