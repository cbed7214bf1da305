# bomb: comprehensions in comprehensions
# limited by: sandbox/python/program.c
# expect: ok
# value: []
_ = [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in [x for x in []]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
