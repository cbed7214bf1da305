# attack: string.Formatter hands out the objects it walks
# stopped by: import
# after: CVE-2021-32807, CVE-2026-76825 (R2)
from string import Formatter


class Keep(Formatter):
    def get_value(self, key, args, kwargs):
        return print


print("ESCAPED", Keep().get_field("0.__self__", (), {}))
