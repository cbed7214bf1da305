# attack: a parameter that would shadow a guard's name
# stopped by: dunder-name
def f(__import__): return __import__
print("ESCAPED")
