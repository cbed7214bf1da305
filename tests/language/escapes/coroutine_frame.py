# attack: the frame of a coroutine
# stopped by: internal-attribute
# and by: fence
async def f(): pass
c = f()
print(c.cr_frame, "ESCAPED")
