"""What the comparisons of two programs share: the command line, both programs at work, groups of
differences, and making one of them small.

A subject is a module or object with

- `generate(seed, options)`: a case, whose `json(number)` is what programs read and `smaller()` the
  cases that have less;
- `judged(case, answers)`: the kind of a difference and what it is, or nothing; the kind `known` is
  counted and not written;
- `shape(kind, text)`: what is the same for differences that are the same but for names and numbers;
- `same(found, kind, group)`: whether a smaller case still shows the difference;
- `repaired(case, answers, found)`: the case without what failed in it, or nothing;
- `succeeds(answer)` and `shown(answer)`.
"""

import argparse
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from programs import Server


def parser(name, what, out, shrink):
    """The options that all comparisons have."""
    found = argparse.ArgumentParser(prog=name, description=what.split("\n")[0])
    found.add_argument("ours")
    found.add_argument("theirs", nargs="?")
    found.add_argument("--seed", type=int, default=1, help="of the first case")
    found.add_argument("--cases", type=int, default=1000)
    found.add_argument("--seconds", type=float, default=10**9)
    found.add_argument("--shrink", type=float, default=shrink, help="seconds for making one difference small")
    found.add_argument("--out", type=Path, default=Path(f"fuzz/artifacts/{out}.txt"))
    found.add_argument("--print", action="store_true", help="print the cases and end")
    return found


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


def start(subject, options, seconds, batch):
    """Runs the cases that are asked for, or prints them."""
    if not options.print:
        return Campaign(subject, options, seconds, batch).run()
    for seed in range(options.seed, options.seed + options.cases):
        print(f"## {seed}\n{subject.generate(seed, options)}")


class Campaign:
    """Cases of a subject, run with two programs."""

    def __init__(self, subject, options, seconds, batch):
        self.subject, self.options, self.batch = subject, options, batch
        self.servers = [Server(options.ours, seconds[0]), Server(options.theirs, seconds[1])]
        self.counts, self.groups, self.runs = Counter(), {}, 0

    def run(self):
        options, start, seed = self.options, time.time(), self.options.seed
        end = options.seed + options.cases
        while seed < end and time.time() - start < options.seconds:
            cases = [(s, self.subject.generate(s, options)) for s in range(seed, min(seed + self.batch, end))]
            seed += len(cases)
            for round_ in range(options.repairs + 1):
                cases = self.round(cases, round_ < options.repairs)
        ran = time.time() - start
        self.write()
        for server in self.servers:
            server.stop()
        print(f"{seed - options.seed} cases, {self.runs} runs in {ran:.0f} s, {len(self.groups)} different differences")
        for outcome, count in sorted(self.counts.items()):
            print(f"{count:8} {outcome}")
        sys.exit(1 if self.groups else 0)

    def round(self, cases, repairs):
        """Runs cases; gives those that go on without what failed in them."""
        again = []
        for (seed, case), answers in zip(cases, both(self.servers, [c.json(s) for s, c in cases])):
            self.runs += 1
            found = self.subject.judged(case, answers)
            if found and found[0] not in getattr(self.options, "skipped", ()):
                self.counts[found[0]] += 1
                if found[0] != "known":
                    self.groups.setdefault(self.subject.shape(*found), []).append((seed, case))
            fewer = self.subject.repaired(case, answers, found) if repairs else None
            if fewer:
                again.append((seed, fewer))
            elif not found:
                self.counts["both succeed" if self.subject.succeeds(answers[1]) else "both fail"] += 1
        return again

    def write(self):
        """The groups, the largest first, with some cases of each made small."""
        options, subject, seen = self.options, self.subject, set()
        options.out.parent.mkdir(parents=True, exist_ok=True)
        with open(options.out, "w", encoding="utf-8") as out:
            for group, found in sorted(self.groups.items(), key=lambda entry: -len(entry[1])):
                for seed, case in found[:options.each]:
                    case = self.shrink(case, group.split(":")[0], group, time.time() + options.shrink)
                    answers = both(self.servers, [case.json(0)])[0]
                    text = str(case)
                    if text in seen:
                        continue
                    seen.add(text)
                    now = subject.judged(case, answers)
                    out.write(f"#### {len(found)} x {now and now[0]} (seed {seed})\n{text}\n-> {now and now[1]}\n"
                              f"== ours:   {subject.shown(answers[0])}\n== theirs: {subject.shown(answers[1])}\n\n")
                    out.flush()

    def shrink(self, case, kind, group, until):
        """The smallest case found with a difference of this group."""
        tried, again = set(), case
        while again and time.time() < until:
            case, again, batch = again, None, []
            for candidate in case.smaller():
                text = str(candidate)
                if text in tried or len(text) > len(str(case)) + 5:
                    continue
                tried.add(text)
                batch.append(candidate)
                if len(batch) >= 12:
                    again, batch = self.first(batch, kind, group), []
                    if again or time.time() > until:
                        break
            again = again or self.first(batch, kind, group)
        return again or case

    def first(self, batch, kind, group):
        for candidate, answers in zip(batch, both(self.servers, [c.json(0) for c in batch])):
            found = self.subject.judged(candidate, answers)
            if found and self.subject.same(found, kind, group):
                return candidate
        return None
