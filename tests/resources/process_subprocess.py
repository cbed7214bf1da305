# bomb: another program
# limited by: sandbox/confine/calls.c
# expect: error
# error: PermissionError
# refused: pipe2
# profile: standard
import subprocess
subprocess.run(['/bin/true'])
