# attack: a mathematical spelling of eval
# stopped by: outside-name
print(𝐞𝐯𝐚𝐥("1"), "ESCAPED")
