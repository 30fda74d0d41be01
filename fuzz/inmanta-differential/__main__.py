"""Runs generated Inmanta models with two programs and compares what they answer.

    python3 fuzz/inmanta-differential OURS THEIRS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS and THEIRS are command lines of programs that read requests as JSON, one a line (`id`, `snippet`,
`autostd`, `precedence`, `files`), and answer each with a line; the example `answer` of ordain-inmanta is
one. Compared are the outcome, variables and instances with the order of their lists, what is printed,
warnings, how often plugins are called, and class, message, trace and place of an error, which name the
list that was frozen too early. When a model fails, the statement that failed is taken out and the rest
runs again. Differences are grouped; the first of a group are made small.
"""

import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

import cases
import compare
from campaign import parser, start
from known import known


def failed_at(answer):
    """The files and lines of an error, the innermost first."""
    error = answer.get("error") or {}
    places = re.findall(r"\{dir\}/([\w/.]+):(\d+)", error.get("trace") or "")
    location = error.get("location") or {}
    if location:
        places.append((location["file"].replace("{dir}/", ""), location["l"]))
    return [(path.removeprefix("./"), int(line)) for path, line in reversed(places)]


def repaired(case, answer):
    """The case without the statement that failed, or nothing."""
    for path, line in failed_at(answer):
        fewer = case.without(path, line)
        if fewer:
            return fewer
    return None


class Inmanta:
    """Generated models, and how their answers are compared."""

    shape = staticmethod(compare.shape)

    def generate(self, seed, options):
        return cases.generate(seed)

    def judged(self, case, answers):
        found = compare.difference(*answers)
        if found and known(case, found, *answers):
            return ("known", "")
        return found

    def same(self, found, kind, group):
        return found[0] == kind and (kind not in ("class", "trace", "msg") or self.shape(*found)[:60] == group[:60])

    def repaired(self, case, answers, found):
        return repaired(case, answers[1]) if answers[1].get("status") == "error" else None

    def succeeds(self, answer):
        return answer.get("status") == "ok"

    def shown(self, answer):
        if self.succeeds(answer):
            return f"ok {answer.get('vars')} {answer.get('stdout')!r}"
        return (answer.get("error") or {}).get("trace") or str(answer)


def main():
    options = parser("inmanta-differential", __doc__, "inmanta", 20)
    options.add_argument("--repairs", type=int, default=8, help="how often the statement that fails is taken out")
    options.add_argument("--each", type=int, default=1, help="how many of a group are made small")
    options = options.parse_args()
    start(Inmanta(), options, (20, 40), 50)


if __name__ == "__main__":
    main()
