dir = "some/dir"
vars = [1, 2]
os = {"name": "linux"}


def help(open, sys=3):
    compile = open + sys
    return compile


print(dir, vars, os["name"], help(4))
id = 5
print(id)
