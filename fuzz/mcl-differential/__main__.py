"""Compiles programs made at random, of which is known what they give.

    python3 fuzz/mcl-differential OURS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS is the command line of a program that reads a program a line and answers each with a line: the
example `answer` of `ordain-mcl`. Of ten programs seven are well typed because of how they are made, and
a slow evaluator says which resources they give; one has a type that does not fit; two have some of
their characters changed, and only must come to an end. Of each program that parses the formatted text
must stay as it is when it is formatted again, and must give the same.
"""

import resource
import subprocess
import select
import sys
import time
import os
import re
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

from campaign import parser
from written import Writer, spoiled, wrong

SECONDS, MEMORY = 20, 3 << 30


class Answers:
    """The program, started again when it ends or takes too long."""

    def __init__(self, command):
        self.command, self.process = command, None

    def start(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        self.process = subprocess.Popen(self.command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True)

    def stop(self):
        if self.process:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self.process = None

    def to(self, text):
        if self.process is None:
            self.start()
        line = text.replace("\\", "\\\\").replace("\n", "\\n")
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return ["ends"]
        rest, until = b"", time.time() + SECONDS
        while b"\n" not in rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.time()))
            data = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            if not data:
                self.stop()
                return ["ends" if ready else "hangs"]
            rest += data
        fields = rest[:-1].decode().split("\t")
        return [re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), field) for field in fields]


def case(seed):
    way = seed % 10
    return wrong(seed) if way == 7 else spoiled(seed) if way > 7 else Writer(seed).program()


def judged(program, answer):
    """What is wrong with an answer, or nothing."""
    if len(answer) == 1:
        return answer[0]
    status, text, form = answer
    if status == "panic":
        return f"panic: {text}"
    if form != "fine":
        return f"fmt: {form}"
    if program.names is None:
        return None
    if program.wrong:
        return None if status in (program.wrong, "errLexParse", "errInit") else f"{program.wrong} expected, not {status}: {text[:200]}"
    if status != "graph":
        return f"{status}: {text}"
    wanted = "\n".join(sorted(f"Vertex: test[{name}]" for name in program.names))
    wanted, got = sorted(wanted.split("\n")), sorted(text.split("\n"))
    if wanted != got:
        return f"other resources: wanted {[line for line in wanted if line not in got]}, got {[line for line in got if line not in wanted]}"
    return None


def smaller(program, ask, found):
    """The program without lines that the fault does not need; only for what is no matter of values."""
    lines = program.text.splitlines(keepends=True)
    again = True
    until = time.time() + 10
    while again and time.time() < until:
        again = False
        for at in range(len(lines)):
            fewer = lines[:at] + lines[at + 1:]
            if judged(type(program)("".join(fewer), None), ask.to("".join(fewer))) == found:
                lines, again = fewer, True
                break
    return "".join(lines)


def main():
    options = parser("mcl-differential", __doc__, "mcl", 10).parse_args()
    if options.print:
        for seed in range(options.seed, options.seed + options.cases):
            program = case(seed)
            print(f"## {seed}\n{program.text}\n{program.names}")
        return
    ask, counts, start, seed, seen = Answers(options.ours), Counter(), time.time(), options.seed, Counter()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with open(options.out, "w", encoding="utf-8") as out:
        while seed < options.seed + options.cases and time.time() - start < options.seconds:
            program = case(seed)
            answer = ask.to(program.text)
            found = judged(program, answer)
            kind = "spoiled" if program.names is None else "wrong" if program.wrong else "well typed"
            counts[f"{kind}: {'a fault' if found else 'fine'}"] += 1
            shape = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "_", found)[:80] if found else None
            if found:
                seen[shape] += 1
                if seen[shape] <= 3:
                    text = smaller(program, ask, found) if program.names is None else program.text
                    out.write(f"#### seed {seed}: {found}\n{text}\n")
                    out.flush()
            seed += 1
    ask.stop()
    print(f"{seed - options.seed} programs in {time.time() - start:.0f} s, {len(seen)} kinds of faults")
    for outcome, count in sorted(counts.items()):
        print(f"{count:8} {outcome}")
    sys.exit(1 if seen else 0)


if __name__ == "__main__":
    main()
