class Light:
    TRANSITIONS = {"green": "yellow", "yellow": "red", "red": "green"}

    def __init__(self):
        self.state = "red"
        self._log = []

    def next(self):
        old, self.state = self.state, self.TRANSITIONS[self.state]
        self._log.append(f"{old}->{self.state}")
        return self


light = Light()
for _ in range(4):
    light.next()
print(light.state, light._log)
