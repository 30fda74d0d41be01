"""The faults. Each is injected, ends, and the time until all servers answer again is measured from its end."""

import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import agents


class Fault:
    """A fault lasts from `begin` to `end`; `note` describes it in the output."""

    # How long it lasts, in seconds.
    lasts = 0.5, 3.0
    # Whether servers have to answer while it lasts.
    is_harmless = False

    def __init__(self, site, chance, fleet):
        self.site, self.chance, self.fleet, self.note = site, chance, fleet, ""
        self.server = chance.randrange(len(site.ports))

    @classmethod
    def is_possible(cls, site):
        return True

    def run(self):
        """Returns the seconds until all servers answer again after the end, and the note."""
        lasts = self.chance.uniform(*self.lasts)
        self.begin()
        if self.is_harmless:
            took = self.recovery()
            time.sleep(lasts)
            self.end()
            return max(took, self.recovery()), self.note
        time.sleep(lasts)
        self.end()
        return self.recovery(), self.note

    def recovery(self):
        """The seconds until all servers answer on new connections. Each is asked often, with a short patience."""
        begin, left = time.monotonic(), set(range(len(self.site.ports)))
        while left:
            left -= {server for server in left if self.fleet.answers(server)}
            if time.monotonic() - begin > 60:
                logs = (self.site.base / f"server-{min(left)}.log").read_text()[-2000:]
                raise SystemExit(f"{type(self).__name__}{self.note}: the servers {left} do not come back\n{logs}")
            if left:
                time.sleep(0.05)
        return time.monotonic() - begin


class KillServer(Fault):
    """SIGKILL, and a start by the service manager."""
    lasts = 0.0, 1.0

    def begin(self):
        self.site.kill_server(self.server)

    def end(self):
        self.site.start_server(self.server)


class KillAllServers(Fault):
    lasts = 0.0, 1.0

    def begin(self):
        for server in range(len(self.site.ports)):
            self.site.servers[server].send_signal(signal.SIGKILL)

    def end(self):
        for server in range(len(self.site.ports)):
            self.site.servers[server].wait()
            self.site.start_server(server)


class FreezeServer(Fault):
    """As a machine that pauses: connections stay open, and nothing answers."""

    def begin(self):
        self.site.servers[self.server].send_signal(signal.SIGSTOP)

    def end(self):
        self.site.servers[self.server].send_signal(signal.SIGCONT)


class RestartDatabase(Fault):
    """The immediate mode, which is that of a crash."""

    def begin(self):
        self.site.database.crash()

    def end(self):
        self.site.database.start()


class FreezeDatabase(Fault):
    def begin(self):
        self.site.database.signal(signal.SIGSTOP)

    def end(self):
        self.site.database.signal(signal.SIGCONT)


class FreezeReplica(Fault):
    """The replica for which commits wait."""

    def run(self):
        self.site.attach_replica()
        result = super().run()
        self.site.detach_replica()
        return result

    def begin(self):
        self.site.other_database.signal(signal.SIGSTOP)

    def end(self):
        self.site.other_database.signal(signal.SIGCONT)


class PromoteReplica(Fault):
    """The machine of the primary is lost while agents write, and its replica becomes the primary. Commits waited for it."""
    lasts = 0.0, 3.0

    def run(self):
        self.site.attach_replica()
        self.fleet.wait_for_some(50)
        return super().run()

    def begin(self):
        port = self.site.database.port
        # A machine that is off does not even refuse connections.
        if self.chance.random() < 0.5:
            self.note = " (silent)"
            self.site.beside_database("nft", f"add rule inet cut input iifname to-servers tcp dport {port} drop")
        self.site.database.signal(signal.SIGKILL)

    def end(self):
        self.site.promote_replica()

    def recovery(self):
        took = super().recovery()
        self.site.beside_database("nft", "flush chain inet cut input")
        return took


class FullDisk(Fault):
    """The disk of the database. If PostgreSQL ends itself, it is started again when there is room."""

    def begin(self):
        self.fill(self.site.database.disk)

    def fill(self, disk):
        self.path = disk / "filler"
        try:
            with open(self.path, "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(1 << 16))
        except OSError:
            pass

    def end(self):
        self.path.unlink(missing_ok=True)
        if self.site.database.has_ended():
            self.note = " (PostgreSQL ended)"
            self.site.database.start()


class FullDiskOfAuthority(FullDisk):
    def begin(self):
        self.fleet.had_full_disk = True
        self.fill(self.site.base / "authority")


class CutDatabase(Fault):
    """Packets between servers and database are dropped, and nobody is told."""
    lasts = 1.0, 20.0

    def begin(self):
        self.site.beside_database("nft", "add rule inet cut input iifname to-servers drop")
        subprocess.run(["nft", "add rule inet cut input iifname to-db drop"], check=True)

    def end(self):
        self.site.beside_database("nft", "flush chain inet cut input")
        subprocess.run(["nft", "flush chain inet cut input"], check=True)


class CutDatabaseHalf(CutDatabase):
    """Requests reach the database, and replies get lost: what was stored is not known."""

    def begin(self):
        subprocess.run(["nft", "add rule inet cut input iifname to-db drop"], check=True)


class CutServer(CutDatabase):
    """Packets from agents to one server are dropped."""
    lasts = 1.0, 6.0

    def begin(self):
        subprocess.run(["nft", f"add rule inet cut input tcp dport {self.site.ports[self.server]} drop"], check=True)


class JumpClock(Fault):
    """The clock of one server is wrong by up to two hours."""
    lasts = 3.0, 6.0
    is_harmless = True

    @classmethod
    def is_possible(cls, site):
        return site.can_set_clocks

    def begin(self):
        seconds = self.chance.choice((-7200, -600, -20, 20, 600, 7200))
        self.note = f" ({seconds:+d} s)"
        self.site.set_clock(self.server, seconds)

    def end(self):
        self.site.set_clock(self.server, 0)
        # The library looks at its file once a second.
        time.sleep(1.2)


class SilentConnections(Fault):
    """10,000 connections that say nothing, from 200 addresses."""
    lasts = 1.0, 2.0
    is_harmless = True

    def begin(self):
        self.open = agents.silent_connections(self.site.ports[self.server], 10_000)
        self.note = f" ({len(self.open)} connections)"

    def end(self):
        for one in self.open:
            one.close()


class SlowClients(Fault):
    """Handshakes, heads and bodies of which a part arrives, some of them a byte at a time."""
    lasts = 2.0, 6.0
    is_harmless = True

    def begin(self):
        self.open, self.has_ended = [], threading.Event()
        port = self.site.ports[self.server]
        for number in range(600):
            self.open.append(plain(port, number, bytes([22, 3, 1, 2, 0])))
        context = agents.Client(self.site).context
        for number in range(60):
            self.open.append(encrypted(context, port, b"GET /status/v1/simple HTTP/1.1\r\nhost: localhost\r\nx: "))
            self.open.append(encrypted(context, port, b"PUT /puppet-ca/v1/certificate_request/slow.example.org HTTP/1.1\r\n"
                                       b"host: localhost\r\ncontent-type: text/plain\r\ncontent-length: 60000\r\n\r\n-----BEGIN"))
        context = agents.Client(self.site, "probe.example.org").context
        for number in range(10):
            self.open.append(encrypted(context, port, b"PUT /puppet/v3/report/probe.example.org HTTP/1.1\r\nhost: localhost\r\n"
                                       b"content-type: application/json\r\ncontent-length: 67000000\r\n\r\n{\"host\""))
        self.open = [one for one in self.open if one]
        self.note = f" ({len(self.open)} clients)"
        self.trickle = threading.Thread(target=self.send_bytes, daemon=True)
        self.trickle.start()

    def send_bytes(self):
        while not self.has_ended.wait(0.5):
            for one in self.open:
                try:
                    one.send(b"x")
                except (OSError, ValueError):
                    pass

    def end(self):
        self.has_ended.set()
        self.trickle.join()
        for one in self.open:
            one.close()


def plain(port, number, begin):
    try:
        one = socket.create_connection(("127.0.0.1", port), 2, (f"127.0.2.{1 + number % 20}", 0))
        one.send(begin)
        return one
    except OSError:
        return None


def encrypted(context, port, begin):
    """A connection with TLS on which a part of a request was sent."""
    try:
        raw = socket.create_connection(("127.0.0.1", port), 5, ("127.0.3.1", 0))
        one = context.wrap_socket(raw, server_hostname="localhost")
        one.send(begin)
        return one
    except (OSError, ssl.SSLError):
        return None


FAULTS = {
    "a server is killed": KillServer,
    "all servers are killed": KillAllServers,
    "a server freezes": FreezeServer,
    "the database restarts": RestartDatabase,
    "the database freezes": FreezeDatabase,
    "the replica freezes": FreezeReplica,
    "the replica is promoted": PromoteReplica,
    "the disk of the database is full": FullDisk,
    "the disk of the authority is full": FullDiskOfAuthority,
    "the database is cut off": CutDatabase,
    "replies of the database are lost": CutDatabaseHalf,
    "a server is cut off": CutServer,
    "a clock jumps": JumpClock,
    "connections say nothing": SilentConnections,
    "clients are slow": SlowClients,
}
if not shutil.which("nft"):
    raise SystemExit("nftables is not installed")
