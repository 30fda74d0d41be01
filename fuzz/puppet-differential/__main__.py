"""Runs generated Puppet code with two programs and compares what they answer.

    python3 fuzz/puppet-differential OURS THEIRS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS and THEIRS are command lines of programs that read cases as JSON, one a line, and answer each
with a line, in the form of recorded answers; `cargo xtask answer` is one for Ordain. A case is an
expression, a text to be parsed, or a program with modules, data, facts and settings. Compared are
success, the issue code, the line and the words of an error, the value and its type, the syntax tree,
the catalog and what is logged. Differences are grouped; the first of a group are made small.
"""

import argparse
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import cases
from compare import difference, place, said, shape
from known import known
from programs import Server
from tree import smaller


def arguments():
    parser = argparse.ArgumentParser(prog="puppet-differential", description=__doc__.split("\n")[0])
    parser.add_argument("ours")
    parser.add_argument("theirs", nargs="?")
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--sort", default="", help="only cases of this sort: " + ", ".join(cases.SORTS))
    parser.add_argument("--skip", default="", help="kinds of differences that are left out, with commas")
    parser.add_argument("--shrink", type=float, default=5, help="seconds for making one difference small")
    parser.add_argument("--each", type=int, default=1, help="how many of a group are made small")
    parser.add_argument("--out", type=Path, default=Path("fuzz/artifacts/puppet.txt"))
    parser.add_argument("--repairs", type=int, default=12, help="how often the statement that fails is taken out")
    parser.add_argument("--print", action="store_true", help="print the cases and end")
    return parser.parse_args()


def both(servers, wanted):
    """The answers of both programs to some cases, made at the same time."""
    results = [None, None]

    def run(number):
        results[number] = list(servers[number].answers(wanted))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return list(zip(*results))


def judged(case, answers):
    found = difference(*answers)
    if found and known(case, found, *answers):
        return ("known", "")
    return found


def shrink(servers, case, kind, group, until):
    """The smallest case found with a difference of this kind."""
    tried = set()
    again = True
    while again and time.time() < until:
        again = False
        batch = []
        for candidate in case.smaller(smaller):
            text = str(candidate)
            if text in tried or len(text) > len(str(case)) + 5:
                continue
            tried.add(text)
            batch.append(candidate)
            if len(batch) >= 12:
                again = first(servers, batch, kind, group)
                batch = []
                if again or time.time() > until:
                    break
        again = again or first(servers, batch, kind, group)
        case = again or case
    return case


def first(servers, batch, kind, group):
    for candidate, answers in zip(batch, both(servers, [c.json(0) for c in batch])):
        found = judged(candidate, answers)
        if found and found[0] == kind and (kind not in ("issue", "words") or shape(*found) == group):
            return candidate
    return None


def main():
    options = arguments()
    if options.print:
        for seed in range(options.seed, options.seed + options.cases):
            print(f"## {seed}\n{cases.generate(seed, options.sort)}")
        return
    servers = [Server(options.ours, 20), Server(options.theirs, 20)]
    counts, groups, start, runs = Counter(), {}, time.time(), 0
    skipped = set(options.skip.split(","))
    seed = options.seed
    while seed < options.seed + options.cases and time.time() - start < options.seconds:
        batch = [(s, cases.generate(s, options.sort)) for s in range(seed, min(seed + 200, options.seed + options.cases))]
        seed += len(batch)
        for round_ in range(options.repairs + 1):
            again = []
            for (number, case), answers in zip(batch, both(servers, [c.json(s) for s, c in batch])):
                runs += 1
                found = judged(case, answers)
                if found and found[0] not in skipped:
                    counts[found[0]] += 1
                    if found[0] != "known":
                        groups.setdefault(shape(*found), []).append((number, case))
                if found and found[0] not in ("words", "known", "issue", "line") or answers[1].get("ok"):
                    counts["both succeed"] += not found
                    continue
                fewer = case.without(*place(answers[1])) if round_ < options.repairs else None
                if fewer:
                    again.append((number, fewer))
                else:
                    counts["both fail"] += not found
            batch = again
    ran = time.time() - start
    write(options, servers, groups)
    for server in servers:
        server.stop()
    print(f"{seed - options.seed} cases, {runs} runs in {ran:.0f} s, {len(groups)} different differences")
    for outcome, count in sorted(counts.items()):
        print(f"{count:8} {outcome}")
    sys.exit(1 if groups else 0)


def write(options, servers, groups):
    options.out.parent.mkdir(parents=True, exist_ok=True)
    seen = set()
    with open(options.out, "w", encoding="utf-8") as out:
        for group, found in sorted(groups.items(), key=lambda entry: -len(entry[1])):
            for number, case in found[:options.each]:
                kind = group.split(":")[0]
                case = shrink(servers, case, kind, group, time.time() + options.shrink)
                answers = both(servers, [case.json(0)])[0]
                text = str(case)
                if text in seen:
                    continue
                seen.add(text)
                now = judged(case, answers)
                out.write(f"#### {len(found)} x {now and now[0]} (seed {number})\n{text}\n== ours:   {shown(answers[0])}\n== theirs: {shown(answers[1])}\n"
                          f"-> {now and now[1]}\n\n")
                out.flush()


def shown(answer):
    if answer.get("ok"):
        return f"{answer.get('value', answer.get('pn', 'a catalog'))} {answer.get('type', '')}"
    return f"{answer.get('issue_code')} line {answer.get('line')}: {said(answer)}" if "error" in answer else str(answer)


if __name__ == "__main__":
    main()
