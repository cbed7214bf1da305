# bomb: expressions in texts in expressions
# limited by: sandbox/python/program.c
# expect: 400
# error: Code failed to parse: f-string: expressions nested too deeply
_ = f'{1:{1:{1}}}'
