"""Pieces of inputs that the modules share."""

import os


def nest(opening, closing, depth, inner="1"):
    """Something in so many brackets."""
    return opening * depth + inner + closing * depth


def chain(first, step, count):
    """A text that begins with `first` and goes on with `step(n)` for each number."""
    return first + "".join(step(n) for n in range(count))


def grown(step, count=50, first="", sigil=""):
    """A text in which `step` makes each variable {b} from the one before it, {a}; the first is v0."""
    return chain(first, lambda n: step.format(a=f"{sigil}v{n}", b=f"{sigil}v{n + 1}", n=n) + "\n", count)


def yaml_bomb(levels=28, width=9):
    """A document of few lines that stands for width ** levels values, under the key `x`."""
    lines = ["b0: &b0 [" + ",".join(["y"] * width) + "]"]
    for level in range(levels):
        lines.append(f"b{level + 1}: &b{level + 1} [" + ",".join([f"*b{level}"] * width) + "]")
    return "\n".join(lines) + f"\nx: *b{levels}\n"


def fifo(path):
    """Makes a named pipe in place of a file."""
    def make():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.lexists(path):
            os.remove(path)
        os.mkfifo(path)
    return make


def link(path, target):
    """Makes a symbolic link in place of a file."""
    def make():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(target, path)
    return make
