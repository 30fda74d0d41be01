#!/usr/bin/env python3
"""Measures types with features: 100,000 objects of ten attributes, two checks and one invariant.

    bench/types.py              the table of the manual, in Markdown

Needs a release build (`cargo build --release -p ordain-cli`). Figures are CPU seconds, user and
system, of whole processes less those of the same loop without the objects; what the best of several
runs took. `ORDAIN=path bench/types.py` measures another build.
"""

import os
import tempfile
from pathlib import Path

from measure import best

HERE = Path(__file__).resolve().parent
ORDAIN = os.environ.get("ORDAIN", str(HERE.parent / "target/release/ordain"))

TYPE = """type T {
  attr name, String { min => 1, check => { $it != '' } }
  attr age, Integer { check => $it >= 0 }
  attr a, String
  attr b, String
  attr c, Integer { default => 3 }
  attr d, Boolean
  attr e, enum[x, y]
  attr f, Float
  attr g, String
  attr h, Integer
  invariant "a name and an age" { $name != undef and $age != undef }
}
"""
VALUES = """{ name => 'n', age => $i, a => 'a', b => 'b', c => 4, d => true, e => x, f => 1.5,
  g => 'g', h => 8 }"""


def main():
    print("| objects | CPU | memory |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as directory:
        for count in (25_000, 50_000, 100_000):
            figures = []
            for body in (VALUES, f"T.new {VALUES}"):
                path = Path(directory) / "site.pp"
                loop = f"Integer[1, {count}].each |$i| {{ $o = {body} }}\n"
                path.write_text(TYPE + loop)
                figures.append(best(5, ORDAIN, "compile", str(path), "--node", "a"))
            (plain, _), (objects, memory) = figures
            print(f"| {count:,} | {objects - plain:.2f} s | {memory:.0f} MB |")


if __name__ == "__main__":
    main()
