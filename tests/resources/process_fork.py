# bomb: a fork
# limited by: sandbox/confine/calls.c
# expect: error
# error: PermissionError
# refused: clone
# profile: standard
import os
os.fork()
