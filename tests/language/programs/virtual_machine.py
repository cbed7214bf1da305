PROGRAM = [("push", 10), ("store", "n"), ("push", 1), ("store", "acc"), ("label", "loop"), ("load", "acc"), ("load", "n"), ("mul",), ("store", "acc"), ("load", "n"), ("push", 1), ("sub",), ("store", "n"), ("load", "n"), ("jnz", "loop"), ("load", "acc"), ("print",)]


class VM:
    def __init__(self, program):
        self.program = program
        self.labels = {i[1]: n for n, i in enumerate(program) if i[0] == "label"}
        self.stack, self.vars, self.pc = [], {}, 0

    def run(self):
        while self.pc < len(self.program):
            op, *args = self.program[self.pc]
            self.pc += 1
            getattr(self, "op_" + op)(*args)

    def op_push(self, v): self.stack.append(v)
    def op_load(self, n): self.stack.append(self.vars[n])
    def op_store(self, n): self.vars[n] = self.stack.pop()
    def op_label(self, n): pass
    def op_mul(self): self.stack.append(self.stack.pop() * self.stack.pop())

    def op_sub(self):
        b, a = self.stack.pop(), self.stack.pop()
        self.stack.append(a - b)

    def op_jnz(self, n):
        if self.stack.pop():
            self.pc = self.labels[n]

    def op_print(self): print(self.stack.pop())


VM(PROGRAM).run()
