"""Looks up generated data with two programs and compares what they answer.

    python3 fuzz/hiera-differential OURS THEIRS [--seed N] [--cases N] [--seconds N] [--out FILE]

OURS and THEIRS are command lines of programs that read cases as JSON, one a line, and answer each with
a line; `cargo xtask answer` is one for Ordain, `ruby fuzz/hiera-differential/puppet.rb` one for Puppet.
A case is an environment (`files`, with the global layer in `global`), `facts`, `settings` and `lookups`:
the code of a call, or a key to be explained. An answer has `ok`, the value or the error, and the logs of
each lookup. Differences are grouped; of each group the smallest case found is written.
"""

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "common"))

from campaign import both, parser
from generate import generate
from known import known
from programs import Server


def said(answer):
    """The message of an error without where it was and who called."""
    text = answer.get("error") or ""
    text = re.sub(r"^(Evaluation Error: |Error while evaluating a Function Call, )+", "", text)
    text = re.sub(r" on node \S+$", "", text)
    for _ in range(2):
        text = re.sub(r" \((file: [^()]*?(, )?)?(line: \d+(, column: \d+)?)?\)$", "", text)
    return text.replace("<env>", "/env").strip()


def difference(ours, theirs):
    """The kind of a difference of one lookup and what it is, or nothing."""
    if ours.get("ok") and not theirs.get("ok") and ours["value"].replace("<env>", "/env").strip().endswith(said(theirs)):
        return None  # An explanation that ends in the error.
    if ours.get("ok") != theirs.get("ok"):
        return ("only theirs fails", f"{ours.get('value')} | {said(theirs)}") if ours.get("ok") else ("only ours fails", f"{said(ours)} | {theirs.get('value')}")
    if not ours["ok"]:
        return ("words", f"{said(ours)} | {said(theirs)}") if said(ours) != said(theirs) else None
    # An explanation may end in an error, whose place differs.
    values = [re.sub(r"( \(file: [^()]*\))?\n*$", "", answer["value"].replace("<env>", "/env")) for answer in (ours, theirs)]
    if values[0] != values[1]:
        lines = next((pair for pair in zip(*(value.split("\n") for value in values)) if pair[0] != pair[1]), ("", "one ends"))
        return ("explanation" if "\n" in values[1] else "value", " | ".join(lines))
    logs = [[(level, text.replace("<env>", "/env")) for level, text in answer.get("logs") or [] if level != "err" and "deprecated" not in text] for answer in (ours, theirs)]
    logs = [list(dict.fromkeys(entries)) for entries in logs]  # Some say a thing for each hierarchy.
    if logs[0] != logs[1]:
        return "logs", f"{logs[0]} | {logs[1]}"
    return None


def judged(case, answers):
    """The lookups of a case with differences: the number, the kind, the text."""
    ours, theirs = answers
    if theirs.get("broken") or ours.get("broken") or ours.get("panic"):
        return [(0, "breaks", f"{ours.get('broken') or ours.get('panic')} | {theirs.get('broken')}")]
    found = []
    for number, pair in enumerate(zip(ours["answers"], theirs["answers"])):
        differs = difference(*pair)
        if differs:
            why = known(case, case["lookups"][number], differs, *pair)
            found.append((number, "known", why) if why else (number, *differs))
    return found


def shape(kind, text):
    """What is the same for differences that are the same but for names and numbers."""
    return f"{kind}: " + re.sub(r"'[^']*'|\"[^\"]*\"|-?\d[\d.]*", "'", text)[:110]


def smaller(case):
    """The case with less in it."""
    for path, text in case["files"].items():
        rest = {name: other for name, other in case["files"].items() if name != path}
        yield {**case, "files": rest}
        lines = text.splitlines(keepends=True)
        if path.endswith((".yaml", ".conf")) and "\n" in text.strip():
            for number in range(len(lines)):
                yield {**case, "files": {**case["files"], path: "".join(lines[:number] + lines[number + 1:])}}
        try:
            tree = json.loads(text)
        except ValueError:
            continue
        for cut in without(tree):
            yield {**case, "files": {**case["files"], path: json.dumps(cut)}}
    if case["settings"]:
        yield {**case, "settings": {}}


def without(tree):
    """A tree without one of its parts."""
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in parts:
        if isinstance(tree, dict):
            yield {k: v for k, v in tree.items() if k != key}
            for cut in without(part):
                yield {k: cut if k == key else v for k, v in tree.items()}
        else:
            yield tree[:key] + tree[key + 1:]
            for cut in without(part):
                yield tree[:key] + [cut] + tree[key + 1:]


def shrink(servers, case, group, until):
    """The smallest case found with a difference of this group."""
    again = True
    while again and time.time() < until:
        again = False
        candidates = list(smaller(case))
        for start in range(0, len(candidates), 10):
            batch = candidates[start:start + 10]
            for candidate, answers in zip(batch, both(servers, batch)):
                if any(shape(kind, text) == group for _, kind, text in judged(candidate, answers)):
                    case, again = candidate, True
                    break
            if again or time.time() > until:
                break
    return case


def shown(case, answers, number):
    wanted = case["lookups"][number]
    files = "".join(f"=== {path}\n{text.rstrip()}\n" for path, text in case["files"].items())
    lines = [f"{name}: {answer['answers'][number] if 'answers' in answer else answer}" for name, answer in zip(("ours", "theirs"), answers)]
    if wanted.get("key") and all("answers" in answer for answer in answers):
        lines = [f"{name}:\n{answer['answers'][number].get('value') or answer['answers'][number]}" for name, answer in zip(("ours", "theirs"), answers)]
    return f"{json.dumps(wanted)} {case['settings'] or ''}\n{files}" + "\n".join(lines) + "\n"


def main():
    options = parser("hiera-differential", __doc__, "hiera", 5).parse_args()
    if options.print:
        for seed in range(options.seed, options.seed + options.cases):
            print(json.dumps(generate(seed)))
        return
    servers = [Server(options.ours, 30), Server(options.theirs, 30)]
    counts, groups, start, seed, lookups = Counter(), {}, time.time(), options.seed, 0
    while seed < options.seed + options.cases and time.time() - start < options.seconds:
        batch = [generate(s) for s in range(seed, min(seed + 50, options.seed + options.cases))]
        seed += len(batch)
        for case, answers in zip(batch, both(servers, batch)):
            lookups += len(case["lookups"])
            for number, kind, text in judged(case, answers):
                counts[kind] += 1
                if kind != "known":
                    groups.setdefault(shape(kind, text), []).append((number, case))
    ran = time.time() - start
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with open(options.out, "w", encoding="utf-8") as out:
        for group, found in sorted(groups.items(), key=lambda entry: -len(entry[1])):
            number, case = min(found, key=lambda entry: len(json.dumps(entry[1]["files"])))
            case = shrink(servers, {**case, "lookups": [case["lookups"][number]]}, group, time.time() + options.shrink)
            out.write(f"#### {len(found)} x {group} (seed {case['id']})\n{shown(case, both(servers, [case])[0], 0)}\n")
            out.flush()
    for server in servers:
        server.stop()
    print(f"{seed - options.seed} cases, {lookups} lookups in {ran:.0f} s, {len(groups)} different differences")
    for outcome, count in sorted(counts.items()):
        print(f"{count:8} {outcome}")
    sys.exit(1 if groups else 0)


if __name__ == "__main__":
    main()
