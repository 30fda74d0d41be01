"""Debian systems in directories, started as containers, for tests that need whole machines."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

# A test that is ended ends its machines.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

# One image serves all tests. Recommended packages are left out.
PACKAGES = """
systemd systemd-sysv dbus mount passwd cron lsb-release iproute2 ca-certificates git iptables unzip bzip2 xz-utils
puppet-agent augeas-tools ruby-augeas
""".split()
MODULES = """
apache apt augeas-core concat cron-core firewall host-core inifile mailalias-core mount-core mysql postgresql
sshkeys-core stdlib vcsrepo
""".split()
PACKAGES += [f"puppet-module-puppetlabs-{name}" for name in MODULES] + ["puppet-module-puppet-archive", "puppet-module-camptocamp-kmod"]
# Packages that manifests install: they lie in the cache of the image, so a container needs no network.
CACHED = "apache2 mariadb-server postgresql gnupg mime-support".split()
# The same names on every host.
FILES = {
    "etc/hostname": "web\n",
    "etc/hosts": "127.0.0.1\tlocalhost\n127.0.1.1\tweb.example.org\tweb\n",
    "etc/resolv.conf": "search example.org\n",
    "etc/timezone": "Etc/UTC\n",
}
NO_RECOMMENDED = 'APT::Install-Recommends "0";\n'
# Variables of the host stay out, but for the way to the mirror.
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
    **{name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy", "no_proxy")},
}
CGROUPS = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
# The systemd of a machine finds its own processes by their control group, so each machine needs one of its own.
OWN_CGROUP = """
for tree in %s; do
    mkdir "$tree/ordain-$$" && echo $$ >"$tree/ordain-$$/cgroup.procs"
done 2>/dev/null
exec "$@"
""" % " ".join(CGROUPS)


class NoContainer(Exception):
    """A container did not start; the text is the end of its console."""


def command(*argv):
    """Runs a command of the image's making; shows its output if it fails."""
    done = subprocess.run(argv, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", umask=0o022)
    if done.returncode:
        sys.exit(f"containers: {' '.join(argv[:3])}: exit code {done.returncode}\n{done.stdout[-2000:]}")


def mirror():
    """The mirror of DEBIAN_MIRROR, else the one that this machine installs from."""
    if os.environ.get("DEBIAN_MIRROR"):
        return os.environ["DEBIAN_MIRROR"]
    for path in [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]:
        text = path.read_text(errors="replace") if path.is_file() else ""
        found = re.search(r"^(?:URIs:|deb(?: +\[[^]]*\])?) +(https?://\S*/debian)/?(?: .*)?$", text, re.M)
        if found:
            return found[1]
    return "http://deb.debian.org/debian"


def make_image(root):
    """Makes a bare system, or unpacks the tarball that IMAGE_TARBALL names; writes it first if there is none."""
    tarball = os.environ.get("IMAGE_TARBALL", "")
    os.makedirs(root, mode=0o755)
    if tarball and os.path.exists(tarball) and os.path.getsize(tarball):
        command("tar", "--numeric-owner", "-xf", tarball, "-C", root)
        return
    bootstrap(root)
    if tarball:
        part = f"{tarball}.{os.getpid()}"
        command("tar", "--numeric-owner", "-cf", part, "-C", root, ".")
        os.rename(part, tarball)


def bootstrap(root):
    command("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", root, mirror())
    # A container shares only the kernel with this host.
    resolver = pathlib.Path("/etc/resolv.conf").read_text()
    write(root, "etc/resolv.conf", resolver)
    write(root, "etc/apt/apt.conf.d/10recommends", NO_RECOMMENDED)
    chroot = ("chroot", root, "apt-get", "-o", "Acquire::Retries=3", "-qq", "-y")
    command(*chroot, "clean")
    command(*chroot, "update")
    command(*chroot, "install", "--download-only", *CACHED)
    for path, text in FILES.items():
        write(root, path, text)


def write(root, path, text):
    """Writes a file below a directory, with its directories."""
    path = pathlib.Path(root, path.lstrip("/"))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    path.write_text(text)


class Machine:
    """A machine with systemd whose disk is a layer on an image. Its network is its own and reaches nothing."""

    def __init__(self, image, directory):
        """Makes the disk in a new directory."""
        self.directory = directory
        self.root = f"{directory}/root"
        self.name = re.sub("[^a-z0-9]+", "-", f"ordain-{os.getpid()}-{os.path.basename(directory)}")
        self.console = f"{directory}/console"
        self.leader = None
        self.process = None
        for name in ("root", "upper", "work"):
            os.makedirs(f"{directory}/{name}", mode=0o755)
        layers = f"lowerdir={image},upperdir={directory}/upper,workdir={directory}/work"
        mounted = subprocess.run(["mount", "-t", "overlay", "-o", layers, "overlay", self.root], capture_output=True)
        self.is_mounted = mounted.returncode == 0
        if not self.is_mounted:
            # The host's own disk may be such a layer.
            subprocess.run(["cp", "-a", "--reflink=auto", f"{image}/.", self.root], check=True)

    def start(self):
        """Boots the machine.

        Raises NoContainer where that is impossible.
        """
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", OWN_CGROUP, "sh",
             "systemd-nspawn", "-D", self.root, "--boot", "--register=no", "--keep-unit", "--quiet", "--settings=no",
             "--private-network", "--resolv-conf=off", "--timezone=off", "--link-journal=no", "--hostname=web",
             f"--machine={self.name}"],
            stdin=subprocess.DEVNULL, stdout=open(self.console, "wb"), stderr=subprocess.STDOUT, env=ENVIRONMENT,
        )
        for _ in range(900):
            if self.process.poll() is not None:
                break
            children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
            if children.stdout.strip():
                self.leader = children.stdout.split()[0]
                if self.shell("systemctl is-system-running")[1].strip() in ("running", "degraded"):
                    return
            time.sleep(0.2)
        raise NoContainer(open(self.console, errors="replace").read()[-500:])

    def shell(self, script):
        """Runs a script in the machine; returns its status and output."""
        status, output, errors = self.execute(script)
        return status, output + errors

    def execute(self, script, stderr=subprocess.STDOUT):
        """Runs a script in the machine; returns its status, its output, and its errors if these are apart."""
        argv = ["nsenter", "-t", self.leader, "-m", "-u", "-i", "-n", "-p", "-C", "--",
                "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "/bin/sh", "-c", script]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True,
                              errors="replace")
        return done.returncode, done.stdout, done.stderr or ""

    def write(self, path, text):
        """Writes a file of the machine, with its directories."""
        write(self.root, path, text)

    def read(self, path):
        """Reads a file of the machine; a missing one is empty."""
        try:
            return pathlib.Path(self.root, path.lstrip("/")).read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def end(self):
        """Ends the machine and removes its disk."""
        if self.process:
            # It has nothing left to save.
            if self.leader and self.process.poll() is None:
                subprocess.run(["kill", "-KILL", self.leader], check=False)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            for tree in CGROUPS:
                remove_groups(f"{tree}/ordain-{self.process.pid}")
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.root], check=True)
        subprocess.run(["rm", "-rf", self.directory], check=True)


def remove_groups(top):
    """Removes a control group with those below it, once nothing runs there any more."""
    for directory, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            pass


def left_out(test, reason):
    """Says that a test cannot run here, which is a failure where CI expects it to."""
    print(f"{test}: LEFT OUT: no container can be started here:\n{reason}")
    if os.environ.get("CI"):
        sys.exit(1)
