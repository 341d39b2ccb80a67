"""Which rivals there are: adapters/, with the versions of rivals.txt and what install.sh could install."""

import ast
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
INSTALLED = pathlib.Path(os.environ.get("HAPAX_RIVALS", ROOT / ".peers" / "rivals"))


class Rival:
    def __init__(self, package, version, adapter):
        self.package, self.version, self.adapter = package, version, adapter
        facts = _facts(HERE / "adapters" / f"{adapter}.py")
        self.store, self.calls = facts.get("STORE", "none"), facts.get("CALLS", 3)
        self.keyed, self.hook = facts.get("KEYED", False), facts.get("HOOK", False)

    @property
    def folder(self):
        return INSTALLED / self.package

    @property
    def durable(self):
        """Whether a new process can know what an earlier one did."""
        return self.store != "memory"

    def rows(self):
        """The rows that it has: a kind of provider, and whether the user's hook is there."""
        rows = [("plain", False)]
        if self.keyed:
            rows.append(("keyed", False))
        if self.hook:
            rows += [("searchable", False), ("searchable", True)]
        if self.adapter == "hapax":
            rows.append(("searchable", False))
        return rows


def _facts(path):
    """Constants of an adapter, read without importing it: its package is only where the caller runs."""
    found = {}
    for line in ast.parse(path.read_text()).body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            found[line.targets[0].id] = line.value.value
    return found


def pinned():
    lines = (HERE / "rivals.txt").read_text().splitlines()
    return [tuple(line.split("==")) for line in lines if line and not line.startswith("#")]


def rivals(only=None):
    """Those that can be played, and why each of the others can't."""
    found, missing = [], []
    for package, version in pinned():
        if only and package not in only:
            continue
        adapter = package.replace("-", "_")
        failed = INSTALLED / f"{package}.failed"
        if failed.is_file():
            missing.append((package, version, "not installed: " + failed.read_text().strip()))
        elif not (INSTALLED / f"{package}.installed").is_file():
            missing.append((package, version, "not installed: run install.sh"))
        elif not (HERE / "adapters" / f"{adapter}.py").is_file():
            missing.append((package, version, "installed, but there is no adapter"))
        else:
            found.append(Rival(package, version, adapter))
    return found, missing
