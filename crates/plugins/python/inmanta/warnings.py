"""Warnings."""
import warnings


class InmantaWarning(Warning):
    pass


# The warnings that were not reported yet: class and text.
noted = []
shown_by_python = warnings.showwarning


def shown(message, category, *where, **further):
    """Keeps warnings of the language, which come out with those of the compiler."""
    if issubclass(category, InmantaWarning):
        noted.append((category.__name__, str(message)))
    else:
        shown_by_python(message, category, *where, **further)


warnings.showwarning = shown
warnings.filterwarnings("always", category=InmantaWarning)


def warn(warning):
    warnings.warn(warning)
