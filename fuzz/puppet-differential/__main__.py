"""Runs generated Puppet code with two programs and compares what they answer.

    python3 fuzz/puppet-differential OURS THEIRS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS and THEIRS are command lines of programs that read cases as JSON, one a line, and answer each
with a line, in the form of recorded answers; `cargo xtask answer` is one for Ordain. A case is an
expression, a text to be parsed, or a program with modules, data, facts and settings. Compared are
success, the issue code, the line, the column and the words of an error, the value and its type, the syntax tree,
the catalog and what is logged. Differences are grouped; the first of a group are made small.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

import cases
import compare
from campaign import parser, start
from known import known


class Puppet:
    """Generated code, and how its answers are compared."""

    shape = staticmethod(compare.shape)

    def generate(self, seed, options):
        return cases.generate(seed, options.sort)

    def judged(self, case, answers):
        found = compare.difference(*answers)
        if found and known(case, found, *answers):
            return ("known", "")
        return found

    def same(self, found, kind, group):
        return found[0] == kind and (kind not in ("issue", "words") or self.shape(*found) == group)

    def repaired(self, case, answers, found):
        differs = found and found[0] not in ("words", "known", "issue", "line", "column")
        return None if differs or self.succeeds(answers[1]) else case.without(*compare.place(answers[1]))

    def succeeds(self, answer):
        return answer.get("ok")

    def shown(self, answer):
        if answer.get("ok"):
            return f"{answer.get('value', answer.get('pn', 'a catalog'))} {answer.get('type', '')}"
        return f"{answer.get('issue_code')} line {answer.get('line')}: {compare.said(answer)}" if "error" in answer else str(answer)


def main():
    options = parser("puppet-differential", __doc__, "puppet", 5)
    options.add_argument("--sort", default="", help="only cases of this sort: " + ", ".join(cases.SORTS))
    options.add_argument("--skip", default="", help="kinds of differences that are left out, with commas")
    options.add_argument("--each", type=int, default=1, help="how many of a group are made small")
    options.add_argument("--repairs", type=int, default=12, help="how often the statement that fails is taken out")
    options = options.parse_args()
    options.skipped = set(options.skip.split(","))
    start(Puppet(), options, (20, 20), 200)


if __name__ == "__main__":
    main()
