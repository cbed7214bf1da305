# bomb: threads, whatever is answered
# limited by: sandbox/confine/calls.c
# expect: killed
# error: The program was killed: it made too many system calls that the sandbox refused
# refused: mmap
# profile: standard
import threading
while True:
    try:
        threading.Thread(target=print).start()
    except RuntimeError:
        pass
