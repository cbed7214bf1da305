# bomb: finally within finally: each level doubles the code
# limited by: sandbox/watch.c
# expect: 400
# error: Code failed to parse: finally blocks are nested too deeply
try:
 x = 1
finally:
 try:
  x = 1
 finally:
  try:
   x = 1
  finally:
   try:
    x = 1
   finally:
    try:
     x = 1
    finally:
     try:
      x = 1
     finally:
      try:
       x = 1
      finally:
       try:
        x = 1
       finally:
        try:
         x = 1
        finally:
         try:
          x = 1
         finally:
          try:
           x = 1
          finally:
           try:
            x = 1
           finally:
            try:
             x = 1
            finally:
             try:
              x = 1
             finally:
              try:
               x = 1
              finally:
               try:
                x = 1
               finally:
                try:
                 x = 1
                finally:
                 try:
                  x = 1
                 finally:
                  try:
                   x = 1
                  finally:
                   x = 1
