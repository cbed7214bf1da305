# attack: asks for the handle of a file, to open it past the directories
# stopped by: sandbox/confine/calls.c
# expect: forbidden
handle, mount_id = room(136), room(8)
handle[0] = 128
won = call("name_to_handle_at", AT_FDCWD, b"/tmp", handle, mount_id, 0) == 0
