# bomb: try within try, whose finally parts are compiled twice each
# limited by: sandbox/watch.c
# expect: ok
# value: null
try:
 try:
  try:
   try:
    try:
     try:
      try:
       try:
        try:
         try:
          try:
           try:
            try:
             try:
              try:
               try:
                try:
                 try:
                  x = 1
                 finally:
                  x = 1
                finally:
                 x = 1
               finally:
                x = 1
              finally:
               x = 1
             finally:
              x = 1
            finally:
             x = 1
           finally:
            x = 1
          finally:
           x = 1
         finally:
          x = 1
        finally:
         x = 1
       finally:
        x = 1
      finally:
       x = 1
     finally:
      x = 1
    finally:
     x = 1
   finally:
    x = 1
  finally:
   x = 1
 finally:
  x = 1
finally:
 x = 1
