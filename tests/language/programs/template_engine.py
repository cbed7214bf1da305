import re


def render(template, **ctx):
    def repl(m):
        key = m.group(1).strip()
        value = ctx
        for part in key.split("."):
            value = value[part]
        return str(value)
    return re.sub(r"{{(.*?)}}", repl, template)


print(render("Hi {{ user.name }}, you have {{count}} items", user={"name": "Ann"}, count=3))
print("Dear {title} {last}".format_map({"title": "Dr", "last": "Who"}))
