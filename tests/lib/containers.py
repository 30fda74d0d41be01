"""Debian systems in directories, started as containers, for tests that need whole machines."""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

# One image serves all tests. Recommended packages are left out.
PACKAGES = """
systemd systemd-sysv dbus mount passwd cron lsb-release iproute2 ca-certificates git iptables unzip bzip2 xz-utils
puppet-agent augeas-tools ruby-augeas
""".split()
MODULES = """
apache apt augeas-core concat cron-core firewall host-core inifile mailalias-core mount-core mysql postgresql
sshkeys-core stdlib vcsrepo
""".split()
PACKAGES += [f"puppet-module-puppetlabs-{name}" for name in MODULES] + ["puppet-module-puppet-archive"]
# Packages that manifests install: they lie in the cache of the image, so a container needs no network.
CACHED = "apache2 mariadb-server postgresql gnupg mime-support".split()


def mirror():
    """The mirror of DEBIAN_MIRROR, else the one that this machine installs from."""
    lists = glob.glob("/etc/apt/sources.list") + glob.glob("/etc/apt/sources.list.d/*")
    text = "".join(pathlib.Path(path).read_text(errors="replace") for path in lists)
    found = re.search(r"^(?:URIs:|deb(?: \[[^]]*\])?) +(https?://\S*/debian)/?(?: .*)?$", text, re.M)
    configured = found[1] if found else "http://deb.debian.org/debian"
    return os.environ.get("DEBIAN_MIRROR") or configured


def make_image(root):
    """Makes a bare system, or unpacks the tarball that IMAGE_TARBALL names; writes it first if there is none."""
    tarball = os.environ.get("IMAGE_TARBALL", "")
    os.makedirs(root)
    if os.path.exists(tarball):
        subprocess.run(["tar", "-xf", tarball, "-C", root], check=True)
        return
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", root, mirror()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.copy("/etc/resolv.conf", f"{root}/etc/resolv.conf")
    for command in (["update", "-qq"], ["install", "-qq", "--download-only", *CACHED]):
        subprocess.run(["chroot", root, "apt-get", "-y", *command], check=True, stdout=subprocess.DEVNULL)
    if tarball:
        subprocess.run(["tar", "-cf", tarball, "-C", root, "."], check=True)


class Container:
    """A machine with systemd. Its network is its own and reaches nothing."""

    def __init__(self, work, name):
        self.root = f"{work}/{name}"
        self.console = f"{work}/{name}.console"
        self.leader = None
        self.process = subprocess.Popen(
            ["systemd-nspawn", "-D", self.root, "--boot", "--register=no", "--keep-unit", "--quiet",
             "--private-network", f"--machine=ordain-{name}"],
            stdin=subprocess.DEVNULL, stdout=open(self.console, "wb"), stderr=subprocess.STDOUT,
        )

    def has_started(self):
        """Waits until the system is up; false if it ended instead."""
        for _ in range(900):
            if self.process.poll() is not None:
                return False
            children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
            if children.stdout.strip():
                self.leader = children.stdout.split()[0]
                if self.shell("systemctl is-system-running")[1].strip() in ("running", "degraded"):
                    return True
            time.sleep(0.2)
        return False

    def shell(self, script):
        """Runs a script in the container; returns its status and output."""
        command = ["nsenter", "-t", self.leader, "-m", "-u", "-i", "-n", "-p", "-C", "--",
                   "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8",
                   "/bin/sh", "-c", script]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return done.returncode, done.stdout

    def write(self, path, text):
        """Writes a file of the container, with its directories."""
        path = f"{self.root}/{path.lstrip('/')}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def read(self, path):
        """Reads a file of the container; a missing one is empty."""
        try:
            with open(f"{self.root}/{path.lstrip('/')}") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


def start_all(machines, test):
    """Waits for all machines; says so and returns false where containers cannot be started."""
    if all([machine.has_started() for machine in machines]):
        return True
    print(f"{test}: LEFT OUT: no container can be started here:")
    print(open(machines[0].console, errors="replace").read()[-500:])
    if os.environ.get("CI"):
        sys.exit(1)
    return False
