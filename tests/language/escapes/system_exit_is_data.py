# attack: exceptions that pass `except Exception` and end whoever runs it
# stopped by: harmless
# after: CVE-2026-55244 (R9)
for kind in (SystemExit, KeyboardInterrupt, GeneratorExit):
    try:
        raise kind("x")
    except BaseException as e:
        print(type(e).__name__)
