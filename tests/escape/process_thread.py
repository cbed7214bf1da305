# attack: starts a thread
# stopped by: sandbox/confine/calls.c
# expect: RuntimeError
import _thread
lock = _thread.allocate_lock()
lock.acquire()
_thread.start_new_thread(lock.release, ())
won = lock.acquire(timeout=10)
