# Keeps the names of installed packages in a file, as apt-get, dpkg, dnf or rpm. There is no
# `command`, which the module yum asks about packages that rpm does not know.
import os
import sys

STATE = os.environ["TOOL_STATE"]
installed = open(STATE).read().split() if os.path.exists(STATE) else []
tool, arguments = os.path.basename(sys.argv[0]), sys.argv[1:]
if tool == "dpkg":
    if arguments[1] not in installed:
        sys.exit(f"dpkg-query: package '{arguments[1]}' is not installed and no information is available")
    print(f"Package: {arguments[1]}\nStatus: install ok installed")
elif tool == "command":
    sys.exit(1)
elif tool == "rpm":
    sys.exit(0 if arguments[-1] in installed else 1)
else:
    verb = next(word for word in arguments if word in ("install", "purge", "remove"))
    names = arguments[arguments.index(verb) + 1:]
    left = [name for name in installed if name not in names] + (names if verb == "install" else [])
    if left:
        with open(STATE, "w") as file:
            file.write("\n".join(sorted(left)) + "\n")
    else:
        os.remove(STATE)
