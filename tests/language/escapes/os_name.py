# attack: os without importing it
# stopped by: outside-name
os.system("id")
