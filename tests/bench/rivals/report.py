"""What was measured, as a table for a terminal and as the measured part of a page."""

import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {
    "plain": "a provider that knows no keys and can't be asked",
    "keyed": "a provider that honours `Idempotency-Key`",
    "searchable": "a provider without keys that lists payments by our reference",
}
BEGIN = "<!-- measured: begin; written by `tests/bench/rivals/rivals.py --write` -->"
END = "<!-- measured: end -->"
RED, PLAIN = "\033[31m", "\033[0m"
# Baselines stand first, hapax last.
FIRST, LAST = "tenacity", "hapax"


def order(run):
    name = run["rival"]
    place = 0 if name == FIRST else 2 if name == LAST else 1
    return list(KINDS).index(run["kind"]), place, name, run["hook"], run["scene"], run["repetition"]


class Cell:
    """All repetitions of one scene in one row."""

    def __init__(self, runs, scene):
        self.runs, self.scene = runs, scene

    @property
    def effects(self):
        return sorted({run["effects"] for run in self.runs})

    @property
    def right(self):
        return self.effects == [1]

    @property
    def seconds(self):
        return statistics.median(run["seconds"] for run in self.runs)

    def learned(self):
        """What the last caller learns; in D what all four do."""
        seen = []
        for run in self.runs:
            word = run["last"]
            if self.scene == "D":
                counts = sorted(run["all"].items(), key=lambda pair: (pair[0] != "succeeded", pair[0]))
                word = ", ".join(f"{count} {name}" for name, count in counts)
            if word == "failed" and run["effects"]:
                word = "failed (untrue)"
            if word not in seen:
                seen.append(word)
        return " / ".join(seen)

    @property
    def ends(self):
        """Whether every last caller got the receipt of the one payment by itself."""
        if self.scene == "D":
            return self.right and all(set(run["all"]) == {"succeeded"} for run in self.runs)
        return self.right and all(run["last"] == "succeeded" for run in self.runs)

    def count(self):
        return "–".join(str(number) for number in self.effects)

    def said(self, mark):
        count = self.count()
        return f"{count if self.right else mark(count)} · {self.learned()} · {self.seconds:.1f} s"


def rows(told, kind):
    """Rows of a kind: name, store, hook, and a cell for each scene; None where there is none."""
    facts = {one["package"]: one for one in told["rivals"]}
    runs = [run for run in told["runs"] if run["kind"] == kind]
    scenes = sorted({run["scene"] for run in told["runs"]})
    seen = []
    for run in sorted(runs, key=order):
        if (run["rival"], run["hook"]) not in seen:
            seen.append((run["rival"], run["hook"]))
    for name, hook in seen:
        cells = {}
        for scene in scenes:
            found = [run for run in runs if (run["rival"], run["hook"], run["scene"]) == (name, hook, scene)]
            cells[scene] = Cell(found, scene) if found else None
        yield name, hook, facts[name], cells


def title(name, hook, kind, facts):
    if name == FIRST:
        # It is a loop, not a guard: said, so that nobody takes it for one.
        return f"{name}: a bare loop" + (" with a stable key" if kind == "keyed" else "")
    wants = kind == "searchable" and len([row for row in facts["rows"] if row[0] == "searchable"]) > 1
    return name + (" with the user's hook" if hook else " without hook" if wants else "")


def table(told, kind, mark):
    lines = [["", "version", "store", *sorted({run["scene"] for run in told["runs"]})]]
    for name, hook, facts, cells in rows(told, kind):
        said = [cell.said(mark) if cell else f"- (its store is {facts['store']})" for cell in cells.values()]
        lines.append([title(name, hook, kind, facts), facts["version"], facts["store"], *said])
    return lines


def losses(told):
    """Where hapax is worse than a rival, from the figures."""
    found = []
    for kind in KINDS:
        listed = list(rows(told, kind))
        ours = next((cells for name, _, _, cells in listed if name == LAST), None)
        for scene, cell in (ours or {}).items():
            others = [
                (title(name, hook, kind, facts), cells[scene].seconds)
                for name, hook, facts, cells in listed
                if name != LAST and cells[scene] and cells[scene].ends
            ]
            # By a tenth of a second, as it is shown: less is chance.
            slower = round(cell.seconds, 1)
            faster = sorted((other for other in others if round(other[1], 1) < slower), key=lambda other: other[1])
            if not cell.right:
                found.append(f"{kind}, {scene}: hapax made {cell.count()} payments.")
            elif not cell.ends:
                names = ", ".join(name for name, _ in others) or "no rival does"
                word = f"ends as \"{cell.learned()}\" after {cell.seconds:.1f} s"
                found.append(f"{kind}, {scene}: hapax {word}. With one payment and its receipt by itself: {names}.")
            elif faster:
                names = ", ".join(f"{name} ({seconds:.1f} s)" for name, seconds in faster)
                found.append(f"{kind}, {scene}: hapax took {cell.seconds:.1f} s. As right, and faster: {names}.")
    return found


def needs(told):
    lines = {kind: len((HERE / "hapax" / f"{kind}.toml").read_text().splitlines()) for kind in KINDS}
    said = ", ".join(f"{count} lines for {kind}" for kind, count in lines.items())
    return (
        f"hapax needs a binary ({told['build']} build here), a ledger, a secret, a configuration and a declaration of the "
        f"cell ({said}); most rivals need a decorator and a file. A call by its command line is a process of its own."
    )


def text(told, colour):
    """For a terminal: columns, and wrong counts in red."""

    def mark(count):
        return f"!{count}!"

    out = [f"{told['date']}  {told['machine']}", f"{told['command']}", ""]
    for scene, what in told["scenes"].items():
        out.append(f"{scene}: {what}")
    for kind, what in KINDS.items():
        lines = table(told, kind, mark)
        if len(lines) == 1:
            continue
        widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
        out += ["", what.replace("`", "")]
        for line in lines:
            row = "  ".join(part.ljust(width) for part, width in zip(line, widths)).rstrip()
            out.append(RED + row + PLAIN if colour and "!" in row else row)
    out += ["", "where hapax loses:", *(f"- {line}" for line in losses(told)), f"- {needs(told)}"]
    out += ["", *(f"not played: {one['package']} {one['version']}, {one['why']}" for one in told["missing"])]
    return "\n".join(out)


def page(told):
    repetitions = len({run["repetition"] for run in told["runs"]})
    ended = sum(run["stopped"] for run in told["runs"])
    out = [
        f"{told['date']}, `{told['command']}`. {told['machine']}; hapax: {told['build']} build.",
        "",
        f"{len(told['runs'])} runs, {repetitions} of each, none left out. Ended at the limit of "
        f"{told['limit_seconds']:.0f} s: {ended}.",
    ]
    for kind, what in KINDS.items():
        lines = table(told, kind, lambda count: f"**{count}**")
        if len(lines) == 1:
            continue
        out += ["", f"### {what[0].upper()}{what[1:]}", ""]
        out.append("| " + " | ".join(lines[0]) + " |")
        out.append("|" + "---|" * len(lines[0]))
        out += ["| " + " | ".join(line) + " |" for line in lines[1:]]
    out += ["", "### Where hapax loses", "", *(f"- {line}" for line in losses(told)), f"- {needs(told)}"]
    out += ["", "### Not played", ""]
    out += [f"- {one['package']} {one['version']}: {one['why']}" for one in told["missing"]] or ["- none"]
    return "\n".join(out)


def write(path, told):
    before = path.read_text()
    if before.count(BEGIN) != 1 or before.count(END) != 1:
        sys.exit(f"{path} has no measured part: it stands between `{BEGIN}` and `{END}`")
    head, rest = before.split(BEGIN)
    path.write_text(f"{head}{BEGIN}\n\n{page(told)}\n\n{END}{rest.split(END)[1]}")
