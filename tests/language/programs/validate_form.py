import re


class ValidationError(ValueError):
    def __init__(self, field, problem):
        self.field, self.problem = field, problem
        super().__init__(f"{field}: {problem}")


def validate(form):
    errors = []
    rules = {
        "name": lambda v: bool(v) or "required",
        "email": lambda v: bool(re.fullmatch(r"[^@\s]+@[^@\s]+\.\w+", v or "")) or "not an email",
        "age": lambda v: str(v).isdigit() and 0 < int(v) < 150 or "out of range",
    }
    for field, rule in rules.items():
        result = rule(form.get(field))
        if result is not True:
            errors.append(ValidationError(field, result))
    return errors


for form in ({"name": "A", "email": "a@b.co", "age": "30"}, {"name": "", "email": "nope", "age": 200}):
    print([str(e) for e in validate(form)])
