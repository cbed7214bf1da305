# bomb: a search with the worst needle
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
x = 'a' * 3_000_000
y = 'a' * 100_000 + 'b' + 'a' * 100_000
while True:
    y in x
