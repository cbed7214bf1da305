# bomb: forks, whatever they are answered
# limited by: sandbox/confine/calls.c
# expect: killed
# error: The program was killed: it made too many system calls that the sandbox refused
# refused: clone
# profile: standard
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
