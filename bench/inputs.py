"""Inputs of the benchmarks: manifests of any size, the same bytes on every run."""

DEFINE = """\
define app::instance(Integer $port, String $owner = 'root', Hash[String, String] $options = {}) {
  $dir = "/etc/apps/${title}"
  file { $dir:
    ensure => directory,
    owner  => $owner,
    mode   => '0755',
  }
  file { "${dir}/app.conf":
    ensure  => file,
    owner   => $owner,
    mode    => '0644',
    content => "name = ${title}\\nport = ${port}\\nlog = /var/log/${title}.log\\n",
    require => File[$dir],
  }
  exec { "reload ${title}":
    command     => "/usr/bin/systemctl reload ${title}",
    refreshonly => true,
    subscribe   => File["${dir}/app.conf"],
  }
  service { $title:
    ensure => running,
    enable => $port % 2 == 0,
    tag    => ['app', 'generated'],
  }
}
"""


def defines(resources):
    """A manifest with so many resources: instances of a define with four resources each."""
    each = """\
Integer[1, %d].each |$i| {
  app::instance { "app${i}":
    port => 1024 + $i,
  }
}
"""
    return DEFINE + each % (resources // 4)


CLASS = """\
# Class number {n}: what a role of a middling site looks like.
class role{n}::server (
  String                    $version  = 'latest',
  Stdlib::Port              $port     = {port},
  Enum['running','stopped'] $ensure   = 'running',
  Optional[String]          $user     = undef,
  Array[String]             $packages = ['alpha{n}', 'beta{n}', 'gamma{n}'],
) inherits role{n}::params {{
  include stdlib, role{n}::install

  $real_user = $user ? {{
    undef   => $facts['os']['family'] ? {{
      'Debian' => 'www-data',
      'RedHat' => 'apache',
      default  => 'nobody',
    }},
    default => $user,
  }}

  if $ensure == 'running' and versioncmp($version, '2.{n}') >= 0 {{
    $packages.each |Integer $index, String $name| {{
      package {{ "${{name}}-${{index}}":
        ensure  => $version,
        require => Class['role{n}::install'],
      }}
    }}
  }} elsif $port > 1024 {{
    notify {{ "port ${{port}} of ${{facts['networking']['fqdn']}} is high": }}
  }} else {{
    fail("no port ${{port}}")
  }}

  # The configuration is a template of its own.
  file {{ '/etc/role{n}/server.conf':
    ensure  => file,
    owner   => $real_user,
    mode    => '0640',
    content => epp('role{n}/server.conf.epp', {{ 'port' => $port, 'user' => $real_user }}),
    notify  => Service['role{n}'],
  }}

  case $facts['os']['name'] {{
    'Debian', 'Ubuntu': {{ $unit = 'role{n}.service' }}
    /^(RedHat|CentOS)$/: {{ $unit = "role{n}@${{port}}.service" }}
    default: {{ $unit = undef }}
  }}

  service {{ 'role{n}':
    ensure     => $ensure,
    name       => $unit,
    enable     => true,
    hasrestart => true,
  }}
  -> exec {{ "/usr/bin/curl -s http://localhost:${{port}}/health":
    tries     => 3 * 2,
    try_sleep => 5,
  }}
}}

"""


def classes(size):
    """A manifest of at least so many bytes, one class after the other."""
    parts = []
    total = 0
    while total < size:
        text = CLASS.format(n=len(parts), port=1000 + len(parts) % 60000)
        parts.append(text)
        total += len(text)
    return "".join(parts)


def files(count, directory):
    """A manifest that keeps so many files in a directory."""
    parts = ["file { '%s': ensure => directory }\n" % directory]
    for n in range(count):
        text = "host = web%d\\nport = %d\\n" % (n, 1024 + n)
        parts.append(
            "file { '%s/%03d.conf':\n  ensure  => file,\n  mode    => '0640',\n"
            '  content => "%s",\n}\n' % (directory, n, text)
        )
    return "".join(parts)


def lines(count, directory):
    """A manifest of lines in files that have them already."""
    directory.mkdir()
    for n in range(0, count, 10):
        (directory / str(n)).write_text("".join(f"line {n + i}\n" for i in range(10)))
    line = "file_line {{ 'l{n}': path => '{directory}/{of}', line => 'line {n}' }}\n"
    return "".join(line.format(n=n, of=n // 10 * 10, directory=directory) for n in range(count))
