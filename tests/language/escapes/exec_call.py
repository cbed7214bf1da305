# attack: exec
# stopped by: outside-name
exec("print('ESCAPED')")
