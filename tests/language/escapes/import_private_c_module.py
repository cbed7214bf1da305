# attack: the C half of an allowed module
# stopped by: import
import _json
print("ESCAPED")
