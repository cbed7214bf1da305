# attack: inside a function that is never called
# stopped by: import
def f():
    import subprocess
print("ESCAPED")
