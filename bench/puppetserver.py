"""Debian's puppetserver with directories of its own, to measure and compare with.

Needs the package `puppetserver`. It runs as the user of the caller, who reads the package's settings:
root, or a member of the group `puppet`.
"""

import shutil
import signal
import subprocess
import time
from pathlib import Path

INSTALLED = Path("/etc/puppet/puppetserver")
JAR = "/usr/share/puppetserver/puppetserver.jar"

LOGBACK = """<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %-5p %c{2} %m%n</pattern></encoder></appender>
  <root level="info"><appender-ref ref="OUT"/></root>
</configuration>
"""


def settings(base, code, port, instances, autosign=False):
    """Writes the settings, and returns the directory of those of the service."""
    conf, services = base / "conf.d", base / "services.d"
    shutil.copytree(INSTALLED / "conf.d", conf)
    shutil.copytree(INSTALLED / "services.d", services)
    for name in ("conf", "var", "run", "log", "ssl"):
        (base / name).mkdir(mode=0o750)
    (base / "logback.xml").write_text(LOGBACK)
    (conf / "global.conf").write_text(f"global: {{ logging-config: {base}/logback.xml }}\n")
    (conf / "webserver.conf").write_text(
        f"webserver: {{ client-auth: want, ssl-host: 127.0.0.1, ssl-port: {port} }}\n"
    )
    (conf / "puppetserver.conf").write_text(
        f"""jruby-puppet: {{
    ruby-load-path: [/usr/lib/puppetserver/ruby/vendor_ruby]
    gem-home: {base}/var/jruby-gems
    gem-path: [${{jruby-puppet.gem-home}}, "/usr/lib/puppetserver/vendored-jruby-gems"]
    server-conf-dir: {base}/conf
    server-code-dir: {code}
    server-var-dir: {base}/var
    server-run-dir: {base}/run
    server-log-dir: {base}/log
    max-active-instances: {instances}
}}
"""
    )
    # Cached environments are its fastest setting.
    (base / "conf/puppet.conf").write_text(
        f"""[main]
certname = localhost
server = localhost
serverport = {port}
ssldir = {base}/ssl
cadir = {base}/ca
codedir = {code}
logdir = {base}/log
rundir = {base}/run
vardir = {base}/var
[server]
environment_timeout = unlimited
manage_internal_file_permissions = false
autosign = {str(autosign).lower()}
"""
    )
    return conf, services


class PuppetServer:
    """A running puppetserver. `base` is a directory that does not exist yet. `change` gets the directory
    of its settings before it starts."""

    def __init__(self, base, code, port, instances=2, heap="1g", log=None, change=None, autosign=False):
        self.base, self.port = Path(base), port
        self.base.mkdir(mode=0o750, parents=True)
        conf, services = settings(self.base, code, port, instances, autosign)
        if change:
            change(conf)
        self.log = Path(log or self.base / "log.txt")
        self.arguments = [
            "java", f"-Xms{heap}", f"-Xmx{heap}", "-Djruby.lib=/usr/share/jruby/lib",
            "-Djruby.logger.class=com.puppetlabs.jruby_utils.jruby.Slf4jLogger",
            "-jar", JAR, "--config", str(conf), "--bootstrap-config", str(services),
            "--restart-file", str(self.base / "restart"),
        ]
        self.start()

    def start(self):
        """Starts it, also again after `stop`."""
        self.process = subprocess.Popen(
            self.arguments, stdout=open(self.log, "w"), stderr=subprocess.STDOUT, cwd="/usr/share/puppetserver",
        )

    def wait(self, seconds=300):
        """Waits until it serves."""
        end = time.monotonic() + seconds
        while "Puppet Server has successfully started" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"puppetserver does not start; its log ends with\n{self.log.read_text()[-3000:]}")
            time.sleep(0.2)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    @property
    def ca_dir(self):
        return self.base / "ca"
