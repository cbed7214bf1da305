# attack: a coding line that would turn a comment into code
# stopped by: parse
# coding: unicode_escape
# \u000aprint("ESCAPED")
x = = 1
