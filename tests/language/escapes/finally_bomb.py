# attack: finally blocks inside finally blocks double each time
# stopped by: parse
try: pass
finally:
    try: pass
    finally:
        try: pass
        finally:
            try: pass
            finally:
                try: pass
                finally:
                    try: pass
                    finally:
                        print("ESCAPED")
