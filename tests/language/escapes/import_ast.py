# attack: the tree that was validated, to change it before it is compiled
# stopped by: import
# after: GHSA-vp47-9734-prjw (R8)
import ast

print("ESCAPED", ast.parse("1"))
