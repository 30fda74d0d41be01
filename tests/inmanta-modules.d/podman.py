# Keeps networks in a file, with the commands of `podman network` that the module uses.
import json
import os
import sys

STATE = os.environ["TOOL_STATE"]
networks = json.load(open(STATE)) if os.path.exists(STATE) else {}
command, arguments = sys.argv[2], sys.argv[3:]
name = arguments[-1]
if command == "inspect":
    print(json.dumps([networks[name]] if name in networks else []))
    sys.exit(0 if name in networks else 125)
if command == "create":
    made = {"name": name, "driver": "bridge", "ipv6_enabled": "--ipv6" in arguments, "internal": "--internal" in arguments,
            "dns_enabled": "--disable-dns" not in arguments, "labels": {}, "subnets": []}
    for argument in arguments[:-1]:
        option, _, value = argument.partition("=")
        if option == "--label":
            key, _, label = value.partition("=")
            made["labels"][key] = label
        elif option == "--subnet":
            made["subnets"].append({"subnet": value, "gateway": None})
    networks[name] = made
elif command == "remove":
    del networks[name]
with open(STATE, "w") as file:
    json.dump(networks, file)
