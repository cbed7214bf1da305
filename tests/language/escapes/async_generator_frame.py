# attack: the frame of an async generator
# stopped by: internal-attribute
# and by: fence
# after: CVE-2023-37271 (R3)
async def f(): yield 1
print(f().ag_frame, "ESCAPED")
