# attack: ignores a signal through Python
# stopped by: sandbox/confine/calls.c
# expect: PermissionError
import signal
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
won = True
