class Subject:
    def __init__(self):
        self.__observers = set()
        self.__state = None

    def attach(self, o):
        self.__observers.add(o)

    @property
    def state(self):
        return self.__state

    @state.setter
    def state(self, v):
        self.__state = v
        for o in sorted(self.__observers, key=lambda o: o.name):
            o.update(v)


class Observer:
    def __init__(self, name):
        self.name = name

    def update(self, v):
        print(self.name, "got", v)


s = Subject()
for n in "ba":
    s.attach(Observer(n))
s.state = 5
print(s.state)
