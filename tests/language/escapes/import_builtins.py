# attack: builtins
# stopped by: import
import builtins
print(builtins.eval, "ESCAPED")
