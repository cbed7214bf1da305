"""Two callers: the harness's own token, and another one."""

import contextlib
import hashlib
import json
import os
import tempfile

from harness import TOKEN

OTHER = "other-secret-0123456789abcdef"
OTHER_HEADERS = [("X-Executor-Token", OTHER)]


@contextlib.contextmanager
def two_tokens():
    """A tokens file with both, as settings of a service."""
    rows = [{"id": name, "sha256": hashlib.sha256(secret.encode()).hexdigest(),
             "profiles": ["restricted", "standard"]}
            for name, secret in (("own", TOKEN), ("other", OTHER))]
    with tempfile.TemporaryDirectory(prefix="gbtokens.") as home:
        os.chmod(home, 0o755)
        path = os.path.join(home, "tokens.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"tokens": rows}, f)
        os.chmod(path, 0o644)
        yield {"EXECUTOR_TOKENS_FILE": path, "EXECUTOR_API_TOKEN": None}
