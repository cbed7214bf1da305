# attack: the frame of an async generator
# stopped by: internal-attribute
# and by: fence
async def f(): yield 1
print(f().ag_frame, "ESCAPED")
