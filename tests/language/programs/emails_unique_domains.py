emails = ["a@x.com", "B@X.com", "c@y.org", "bad", "d@y.org"]
domains = {}
for e in emails:
    user, at, domain = e.lower().partition("@")
    if not at:
        print("skip", e)
        continue
    domains[domain] = domains.get(domain, 0) + 1
print(sorted(domains.items(), key=lambda kv: (-kv[1], kv[0])))
