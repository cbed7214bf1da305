# attack: __import__ by name
# stopped by: dunder-name
__import__("os").system("id")
