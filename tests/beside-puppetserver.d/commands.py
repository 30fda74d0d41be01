"""`puppetserver ca` commands."""

import subprocess

# A request for a name that puppetserver's commands sign, and the extensions that it asks for.
REQUESTS = {
    "a.example.org": [], "b.example.org": [], "c.example.org": [], "d.example.org": [], "e.example.org": [],
    "role.example.org": ["1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:web"],
}

COMMANDS = [
    "list", "list --format json", "list --all", "list --all --format json",
    "list --certname a.example.org,missing.example.org", "list --certname a.example.org --format json",
    "list --certname missing.example.org --format json", "list --format yaml",
    "sign --certname a.example.org", "sign --certname a.example.org", "sign --certname missing.example.org",
    "sign --certname b.example.org,missing.example.org,c.example.org", "sign --certname d.example.org --ttl 10d",
    "sign --certname e.example.org --ttl 10x",
    "list", "list --all", "list --certname a.example.org --format json",
    "sign --all", "sign --all", "list --all --format json",
    "revoke --certname a.example.org", "revoke --certname a.example.org", "revoke --certname missing.example.org",
    "list --all", "list --certname a.example.org --format json",
    "clean --certname a.example.org", "clean --certname a.example.org", "clean --certname b.example.org,missing.example.org",
    "REQUEST a.example.org", "revoke --certname a.example.org", "clean --certname a.example.org",
    "REQUEST a.example.org", "sign --certname a.example.org", "REQUEST a.example.org",
    "clean --certname a.example.org,c.example.org", "list --all",
    "generate --certname new.example.org", "generate --certname new.example.org",
    "generate --certname long.example.org --ttl 1h",
    "generate --certname alt.example.org --subject-alt-names alt,DNS:other.example.org,IP:192.0.2.1",
    "generate --certname Upper.example.org", "generate --certname admin2.example.org --ca-client",
    "list --all", "list --all --format json",
    "revoke --certname new.example.org,long.example.org", "clean --certname new.example.org,long.example.org,alt.example.org",
    "list --all", "list",
]


def requests(base):
    """Makes a request for each name: its path."""
    made = {}
    for name, extensions in REQUESTS.items():
        lines = ["[req]", "distinguished_name = dn", "prompt = no", "req_extensions = ext", "[dn]", f"CN = {name}", "[ext]"]
        lines += extensions or [f"subjectAltName = DNS:{name}"]
        config, path = base / "request.cnf", base / f"{name}.csr"
        config.write_text("\n".join(lines) + "\n")
        subprocess.run(
            ["openssl", "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-config", config, "-out", path],
            check=True, stderr=subprocess.DEVNULL,
        )
        made[name] = path.read_bytes()
    return made


def submit(side, name, request):
    path = f"/puppet-ca/v1/certificate_request/{name}"
    status, _, body = side.request("PUT", path, request, {"Content-Type": "text/plain"}, name=None)
    return f"{status} {body.decode()}"


def cases(real, own, base):
    """The name of each command and its two outcomes."""
    made, found = requests(base), []
    for name, request in made.items():
        found.append((f"request {name}", submit(real, name, request), submit(own, name, request)))
    seen = {}
    for command in COMMANDS:
        seen[command] = seen.get(command, 0) + 1
        # The second time that a command runs is another case.
        label = command if seen[command] == 1 else f"{command} ({seen[command]})"
        if command.startswith("REQUEST "):
            name = command.split()[1]
            found.append((label, submit(real, name, made[name]), submit(own, name, made[name])))
        else:
            found.append((label, real.ca(*command.split()), own.ca(*command.split())))
    return found
