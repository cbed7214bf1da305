class Query:
    def __init__(self):
        self._parts = {"where": []}

    def table(self, t):
        self._parts["table"] = t
        return self

    def where(self, **kw):
        self._parts["where"] += [f"{k} = {v!r}" for k, v in kw.items()]
        return self

    def limit(self, n):
        self._parts["limit"] = n
        return self

    def __str__(self):
        sql = f"SELECT * FROM {self._parts['table']}"
        if self._parts["where"]:
            sql += " WHERE " + " AND ".join(self._parts["where"])
        if "limit" in self._parts:
            sql += f" LIMIT {self._parts['limit']}"
        return sql


print(Query().table("users").where(name="Ann", age=3).limit(5))
