# bomb: a signal to everybody
# limited by: sandbox/confine/calls.c
# expect: error
# error: PermissionError
# refused: kill
# profile: standard
import os
os.kill(-1, 9)
