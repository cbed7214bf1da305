# bomb: a constant text that would be folded
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
_ = 'a' * 9_999_999_999
