def grade(score):
    if not 0 <= score <= 100:
        raise ValueError(f"score {score} out of range")
    for limit, letter in ((90, "A"), (80, "B"), (70, "C"), (60, "D")):
        if score >= limit:
            return letter
    return "F"


students = {"Ann": [90, 95], "Bob": [72, 68, 75], "Cid": []}
for name, scores in students.items():
    try:
        avg = sum(scores) / len(scores)
    except ZeroDivisionError:
        print(name, "no scores")
        continue
    print(f"{name}: {avg:.1f} {grade(avg)}")
try:
    grade(101)
except ValueError as e:
    print(e)
