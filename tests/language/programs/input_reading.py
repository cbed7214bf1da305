# stdin: 3|10 20 30|done
n = int(input("how many? "))
xs = list(map(int, input().split()))
print(n, sum(xs) / n)
word = input("word: ")
print(word.upper())
try:
    input()
except EOFError:
    print("no more")
