"""predecessor - the usual way to build such a service, for the bench alone

FastAPI takes the request; a fresh interpreter is spawned for it, runs the code
and hands the result back through a pipe.  This is how the service that Glovebox
replaces worked, written anew with Debian's packages, without its checks, which
only makes it faster.
"""

import asyncio
import contextlib
import io
import multiprocessing
import os

import fastapi
import pydantic

app = fastapi.FastAPI()
spawn = multiprocessing.get_context("spawn")
places = asyncio.Semaphore(2 * (os.cpu_count() or 1))


class Request(pydantic.BaseModel):
    code: str
    context: dict = {}


def run(sender, code, context):
    names = dict(context)
    out = io.StringIO()
    error = None
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, "<code>", "exec"), names)
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
    sender.send({"success": error is None, "stdout": out.getvalue(),
                 "return_value": names.get("_"), "error": error})


def in_a_process(request):
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=run,
                            args=(sender, request.code, request.context))
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    return result


@app.post("/execute")
async def execute(request: Request):
    async with places:
        return await asyncio.get_running_loop().run_in_executor(
            None, in_a_process, request)


@app.get("/health")
async def health():
    return {"status": "healthy"}
