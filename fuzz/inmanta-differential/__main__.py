"""Runs generated Inmanta models with two programs and compares what they answer.

    python3 fuzz/inmanta-differential OURS THEIRS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS and THEIRS are command lines of programs that read requests as JSON, one a line (`id`, `snippet`,
`autostd`, `precedence`, `files`), and answer each with a line; the example `answer` of ordain-inmanta is
one. Compared are the outcome, variables and instances with the order of their lists, what is printed,
warnings, how often plugins are called, and class, message, trace and place of an error, which name the
list that was frozen too early. When a model fails, the statement that failed is taken out and the rest
runs again. Differences are grouped; the first of a group are made small.
"""

import argparse
import re
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "puppet-differential"))

import cases
from compare import difference, shape
from known import known
from programs import Server
from tree import smaller


def arguments():
    parser = argparse.ArgumentParser(prog="inmanta-differential", description=__doc__.split("\n")[0])
    parser.add_argument("ours")
    parser.add_argument("theirs", nargs="?")
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--repairs", type=int, default=8, help="how often the statement that fails is taken out")
    parser.add_argument("--shrink", type=float, default=20, help="seconds for making one difference small")
    parser.add_argument("--each", type=int, default=1, help="how many of a group are made small")
    parser.add_argument("--out", type=Path, default=Path("fuzz/artifacts/inmanta.txt"))
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


def shrink(servers, case, kind, group, until):
    """The smallest case found with a difference of this kind."""
    tried = set()
    again = True
    while again and time.time() < until:
        again = None
        batch = []
        for candidate in case.smaller(smaller):
            text = str(candidate)
            if text in tried or len(text) > len(str(case)) + 5:
                continue
            tried.add(text)
            batch.append(candidate)
            if len(batch) >= 8:
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
        if found and found[0] == kind and (kind not in ("class", "trace", "msg") or shape(*found)[:60] == group[:60]):
            return candidate
    return None


def main():
    options = arguments()
    if options.print:
        for seed in range(options.seed, options.seed + options.cases):
            print(f"## {seed}\n{cases.generate(seed)}")
        return
    servers = [Server(options.ours, 20), Server(options.theirs, 40)]
    counts, groups, start, runs = Counter(), {}, time.time(), 0
    seed = options.seed
    while seed < options.seed + options.cases and time.time() - start < options.seconds:
        batch = [(s, cases.generate(s)) for s in range(seed, min(seed + 50, options.seed + options.cases))]
        seed += len(batch)
        for round_ in range(options.repairs + 1):
            again = []
            for (number, case), answers in zip(batch, both(servers, [c.json(s) for s, c in batch])):
                runs += 1
                found = judged(case, answers)
                if found:
                    counts[found[0]] += 1
                    if found[0] != "known":
                        groups.setdefault(shape(*found), []).append((number, case))
                else:
                    counts["both succeed" if answers[1].get("status") == "ok" else "both fail"] += 1
                if answers[1].get("status") == "error" and round_ < options.repairs:
                    fewer = repaired(case, answers[1])
                    if fewer:
                        again.append((number, fewer))
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
                case = shrink(servers, case, group.split(":")[0], group, time.time() + options.shrink)
                answers = both(servers, [case.json(0)])[0]
                text = str(case)
                if text in seen:
                    continue
                seen.add(text)
                now = judged(case, answers)
                out.write(f"#### {len(found)} x {now and now[0]} (seed {number})\n{text}\n-> {now and now[1]}\n"
                          f"== ours:   {shown(answers[0])}\n== theirs: {shown(answers[1])}\n\n")
                out.flush()


def shown(answer):
    if answer.get("status") == "ok":
        return f"ok {answer.get('vars')} {answer.get('stdout')!r}"
    return (answer.get("error") or {}).get("trace") or str(answer)


if __name__ == "__main__":
    main()
