"""A repository as large sites have it: the same bytes on every run.

    write(directory)      280 modules, 3,400 manifests, 1,400 ERB templates, 1,500 data files
    facts(node)           what is known of one of its nodes

Roles include profiles, profiles include modules, and every node gets about 2,500 resources. All of
the language that such sites use is in it: parameters from data in ten levels, type aliases,
functions, defines in loops, templates of both kinds, virtual users and collectors.
"""

import json
import re

FIRST = """web mail file block name time print job log proxy cache queue search index graph backup
mirror build test stage""".split()
SECOND = """server agent store relay broker gate watch sync pool feed vault track probe board""".split()
MODULES = [f"{first}_{second}" for first in FIRST for second in SECOND][:278]
PROFILES = 40
EACH = len(MODULES) // PROFILES
ROLES = 20
NODES = 940
SITES = ["ams", "ber", "cph", "dub", "edi"]


def fill(text, **values):
    """Puts values into a text, where their names stand in double braces."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: str(values[found[1]]), text)


HEADER = """\
# This file belongs to {{m}}, which runs on Debian, on Red Hat and its kin, and on BSD.
#
# Changes go through review; `rake test` runs the checks, and the acceptance tests need two hosts,
# one with the service and one that talks to it. Parameters are documented where they are declared,
# and those that sites may set in their data are marked as such in the reference.
#
# Known limits: instances share the user of the service, rules are for one address family only, and
# what was removed from the data stays on the hosts until `ensure` says otherwise.
#
"""

ELSEWHERE = """\
  # Hosts that are not yet moved keep what they had.
  if $facts['os']['family'] == 'RedHat' and versioncmp($facts['os']['release']['full'], '7.{{n}}') < 0 {
    $old_dir = "/opt/{{d}}/${facts['os']['release']['major']}"
    $links = {
      '/usr/bin/{{d}}'      => "${old_dir}/bin/{{d}}",
      '/usr/bin/{{d}}-ctl'  => "${old_dir}/bin/ctl",
      '/etc/{{d}}.conf'     => "${old_dir}/etc/main.conf",
      '/var/lib/{{d}}/data' => "${old_dir}/data",
    }
    $links.each |String $link, String $target| {
      file { $link:
        ensure => link,
        target => $target,
        force  => true,
        before => Exec['{{m}} moves'],
      }
    }
    exec { '{{m}} moves':
      command => "/usr/sbin/{{d}}-move --from ${old_dir} --port ${{{m}}::port}",
      creates => "${old_dir}/.moved",
      timeout => 60 * {{step}},
      unless  => ["/usr/bin/test -e ${old_dir}/.keep", '/usr/bin/pgrep {{d}}'],
      notify  => Class['{{m}}::service'],
    }
  } elsif $facts['kernel'] != 'Linux' and !('{{m}}' in pick_names($facts)) {
    notice("{{m}} is not tested on ${facts['kernel']}: ${facts['os']['name']}")
  }
"""

INIT = """\
# @summary Installs, configures and runs {{m}}.
#
# The defaults are those of the distribution; sites set the port and the instances in their data,
# and leave the rest alone.
#
# @example Two instances
#   class { '{{m}}':
#     instances => {
#       'blue'  => { 'port' => {{port}} },
#       'green' => { 'port' => {{port}}1, 'options' => { 'workers' => 8 } },
#     },
#   }
#
# @param ensure Whether it is there at all.
# @param packages What to install.
# @param port Where it listens.
# @param listen The addresses that it listens on.
# @param service_ensure Whether it runs.
# @param options What stands in the main file, on top of the defaults.
# @param instances Instances by name, each with the parameters of {{m}}::instance.
# @param admins Who may change the configuration.
# @param log_level How much is logged.
class {{m}} (
  Enum['present', 'absent']     $ensure         = 'present',
  Array[String[1]]              $packages       = ${{m}}::params::packages,
  {{M}}::Port                   $port           = {{port}},
  Array[String[1], 1]           $listen         = ['127.0.0.1'],
  Enum['running', 'stopped']    $service_ensure = 'running',
  Hash[String[1], {{M}}::Value] $options        = {},
  Hash[String[1], Hash]         $instances      = {},
  Array[Pattern[/\\A[a-z]+\\z/]]  $admins         = [],
  Enum['debug', 'info', 'warning', 'error'] $log_level = 'info',
) inherits {{m}}::params {
  $all_options = {{m}}::with_defaults($options, {
    'port'      => $port,
    'log_level' => $log_level,
    'user'      => $user,
    'fqdn'      => $facts['networking']['fqdn'],
  })

  contain {{m}}::install
  contain {{m}}::config
  contain {{m}}::service
  include {{m}}::logs
  include {{m}}::monitor

  Class['{{m}}::install']
  -> Class['{{m}}::config']
  ~> Class['{{m}}::service']

  $instances.each |String $title, Hash $parameters| {
    {{m}}::instance { "{{m}}-${title}":
      * => { 'group' => $group } + $parameters,
    }
  }

{{elsewhere}}}
"""

PARAMS = """\
# @summary What differs between the distributions.
# @api private
class {{m}}::params {
  $user  = '{{m}}'
  $group = $facts['os']['family'] ? {
    'Debian' => '{{m}}',
    'RedHat' => 'daemon',
    default  => 'nogroup',
  }
  case $facts['os']['family'] {
    'Debian': {
      $packages    = ['{{d}}', '{{d}}-tools']
      $config_dir  = '/etc/{{d}}'
      $service     = '{{d}}'
      $reload      = '/usr/bin/systemctl reload {{d}}'
    }
    'RedHat', 'Suse': {
      $packages    = ['{{d}}-server', '{{d}}-utils']
      $config_dir  = '/etc/sysconfig/{{d}}'
      $service     = '{{d}}d'
      $reload      = '/usr/sbin/service {{d}}d reload'
    }
    /^(Free|Open)BSD$/: {
      $packages    = ['{{d}}']
      $config_dir  = '/usr/local/etc/{{d}}'
      $service     = '{{d}}'
      $reload      = '/usr/sbin/service {{d}} reload'
    }
    default: {
      fail("{{m}} does not run on ${facts['os']['name']}")
    }
  }
  $log_dir = "/var/log/{{d}}"
  $spool   = if $facts['mountpoints'] and '/srv' in $facts['mountpoints'] {
    '/srv/{{d}}'
  } else {
    '/var/spool/{{d}}'
  }
}
"""

INSTALL = """\
# @summary Packages, user and group of {{m}}.
# @api private
class {{m}}::install {
  assert_private()

  $wanted = ${{m}}::ensure ? {
    'present' => 'installed',
    default   => 'purged',
  }
  $all = ${{m}}::packages.map |$package| { $package.downcase }.unique
  package { $all:
    ensure => $wanted,
    tag    => ['{{m}}', "site_${facts['location']}"],
  }

  group { ${{m}}::params::user:
    ensure => present,
    system => true,
  }
  user { ${{m}}::params::user:
    ensure  => present,
    system  => true,
    gid     => ${{m}}::params::user,
    home    => ${{m}}::params::spool,
    shell   => '/usr/sbin/nologin',
    comment => "runs {{m}} on ${trusted['certname']}",
    require => [Package[$all], Group[${{m}}::params::user]],
  }

{{elsewhere}}}
"""

CONFIG = """\
# @summary Configuration files of {{m}}.
# @api private
class {{m}}::config {
  assert_private()

  $dir     = ${{m}}::params::config_dir
  $options = ${{m}}::all_options
  $listen  = ${{m}}::listen.map |Integer $index, String $address| {
    { 'address' => $address, 'port' => ${{m}}::port + $index }
  }
  $admins  = ${{m}}::admins

  File {
    owner => ${{m}}::params::user,
    group => ${{m}}::params::user,
  }

  file { $dir:
    ensure => directory,
    mode   => '0750',
  }
  file { "${dir}/{{d}}.conf":
    ensure  => file,
    mode    => '0640',
    content => template('{{m}}/{{d}}.conf.erb'),
  }
  file { "${dir}/access.conf":
    ensure  => file,
    content => epp('{{m}}/access.conf.epp', {
      'admins' => $admins,
      'listen' => $listen,
      'extra'  => $options.filter |$key, $value| { $value =~ Numeric },
    }),
  }

  $hint = @("END"/L)
    This directory is managed; see https://wiki.example.org/{{d}} \\
    before you change ${dir}.
    | END
  file { "${dir}/README":
    ensure  => file,
    mode    => '0444',
    content => $hint,
  }

  unless $facts['is_container'] {
    file { "/etc/sysctl.d/60-{{d}}.conf":
      ensure  => file,
      owner   => 'root',
      group   => 'root',
      content => join([
        'net.core.somaxconn = 1024',
        sprintf('net.ipv4.tcp_fin_timeout = %d', 10 + {{n}} % 20),
        "# for ${facts['networking']['hostname']}",
      ], "\\n"),
    }
  }

{{elsewhere}}}
"""

SERVICE = """\
# @summary Runs {{m}}.
# @api private
class {{m}}::service {
  assert_private()

  if ${{m}}::ensure == 'present' {
    service { ${{m}}::params::service:
      ensure     => ${{m}}::service_ensure,
      enable     => ${{m}}::service_ensure == 'running',
      hasrestart => true,
      hasstatus  => true,
    }
  } else {
    service { ${{m}}::params::service:
      ensure => stopped,
      enable => false,
    }
  }

  Package <| tag == '{{m}}' |> ~> Service[${{m}}::params::service]

{{elsewhere}}}
"""

INSTANCE = """\
# @summary One instance of {{m}}, with a directory, a file, and a service of its own.
#
# @param port Where this instance listens.
# @param options What stands in its file.
# @param group Who may read its files.
# @param weight Its share of the load.
# @param aliases Further names that it answers to.
define {{m}}::instance (
  {{M}}::Port             $port,
  Hash[String[1], Any]    $options = {},
  String[1]               $group   = 'root',
  Integer[0, 100]         $weight  = 10,
  Array[String[1]]        $aliases = [],
  Optional[String[1]]     $comment = undef,
) {
  include {{m}}::params

  $dir   = "${{{m}}::params::config_dir}/instances/${title}"
  $names = [$title] + $aliases
  $share = if $weight > 50 { 'high' } elsif $weight > 5 { 'normal' } else { 'low' }
  $all   = {{m}}::with_defaults($options, { 'share' => $share, 'threads' => $facts['processors']['count'] * 2 })

  file { $dir:
    ensure => directory,
    group  => $group,
    mode   => '0750',
  }
  file { "${dir}/instance.conf":
    ensure  => file,
    group   => $group,
    mode    => '0640',
    content => template('{{m}}/instance.conf.erb'),
  }
  exec { "{{m}} check ${title}":
    command     => "/usr/bin/{{d}}-check ${dir}/instance.conf",
    refreshonly => true,
    subscribe   => File["${dir}/instance.conf"],
  }
  -> service { "{{d}}@${title}":
    ensure    => running,
    enable    => true,
    subscribe => File[$dir, "${dir}/instance.conf"],
    require   => Class['{{m}}::install'],
  }
}
"""

RULE = """\
# @summary Lets hosts reach {{m}}.
# @param from The networks.
# @param action What happens to packets.
# @param order Where the rule stands.
define {{m}}::rule (
  Array[String[1], 1]     $from   = ['10.0.0.0/8'],
  Enum['accept', 'drop']  $action = 'accept',
  Integer[1, 999]         $order  = 100,
) {
  $lines = $from.map |$network| {
    "-A INPUT -s ${network} -p tcp --dport ${{{m}}::port} -j ${action.upcase} # ${title}"
  }
  file { sprintf('/etc/firewall.d/%03d-{{d}}-%s', $order, regsubst($title, '[^a-z0-9]', '_', 'G')):
    ensure  => file,
    mode    => '0600',
    content => "${lines.join("\\n")}\\n",
  }
}
"""

LOGS = """\
# @summary Rotates the logs of {{m}}.
# @param keep For how many days logs are kept.
# @param compress Whether old ones are compressed.
# @param pattern Which files of the directory.
class {{m}}::logs (
  Integer[1]  $keep     = {{keep}},
  Boolean     $compress = true,
  String[1]   $pattern  = '*.log',
) {
  include {{m}}::params

  $dir   = ${{m}}::params::log_dir
  $owner = ${{m}}::params::user
  file { $dir:
    ensure => directory,
    owner  => $owner,
    mode   => '0750',
  }
  file { '/etc/logrotate.d/{{d}}':
    ensure  => file,
    content => template('{{m}}/rotate.erb'),
  }
  {{m}}::rule { 'logs':
    from  => ["${facts['networking']['network']}/24"],
    order => 200 + {{n}} % 100,
  }

{{elsewhere}}}
"""

MONITOR = """\
# @summary Watches {{m}}.
# @param checks What is watched, by name.
# @param contact Who is told.
class {{m}}::monitor (
  Hash[String[1], Struct[{
    command            => String[1],
    Optional[interval] => Integer[1],
    Optional[enabled]  => Boolean,
  }]]        $checks  = {},
  String[1]  $contact = lookup('contact', { 'default_value' => 'root' }),
) {
  $active = $checks.filter |$name, $check| { $check['enabled'] =~ Undef or $check['enabled'] }
  $lines = $active.keys.sort.map |$name| {
    $interval = pick_interval($active[$name], {{interval}})
    "${name} ${interval} ${active[$name]['command']} ${contact}"
  }
  unless $lines.empty {
    file { '/etc/monitor.d/{{d}}':
      ensure  => file,
      content => $lines.reduce('') |$text, $line| { "${text}${line}\\n" },
      require => File['/etc/monitor.d'],
    }
  }

{{elsewhere}}}
"""

BACKUP = """\
# @summary Saves what {{m}} keeps; profiles for hosts with data include it.
# @param target Where to.
# @param hours At which hours.
# @param exclude What is left out.
class {{m}}::backup (
  String[1]              $target  = "backup.${facts['networking']['domain']}",
  Array[Integer[0, 23]]  $hours   = [1, 13],
  Array[String[1]]       $exclude = ['*.tmp', 'cache'],
) {
  include {{m}}::params

  $options = $exclude.map |$pattern| { "--exclude '${pattern}'" }.join(' ')
  $hours.each |$hour| {
    file { "/etc/cron.d/{{d}}-backup-${hour}":
      ensure  => file,
      content => "{{minute}} ${hour} * * * root rsync ${options} ${{{m}}::params::spool} ${target}:\\n",
    }
  }
  if $facts.dig('mountpoints', '/srv', 'available_bytes') =~ Integer[0, 1000000] {
    warning("little room for the backups of {{m}} on ${facts['networking']['fqdn']}")
  }
}
"""

WITH_DEFAULTS = """\
# @summary Options with their defaults, in order of name, without those that are not set.
# @param options What was set.
# @param defaults What else there is.
# @return [Hash] All of them.
function {{m}}::with_defaults(Hash $options, Hash $defaults) >> Hash {
  $all = $defaults + $options
  $known = $all.filter |$key, $value| { $value !~ Undef }
  $known.keys.sort.reduce({}) |$sum, $key| {
    $sum + { $key => $known[$key] }
  }
}
"""

PICK_INTERVAL = """\
# @summary The interval of a check.
function pick_interval(Hash $check, Integer $default) >> Integer {
  $check['interval'] ? {
    undef   => $default,
    default => $check['interval'],
  }
}
"""

ASSERT_PRIVATE = """\
# @summary Fails on hosts that nobody may manage.
function assert_private() {
  if $facts['location'] =~ /^(forbidden|private)$/ {
    fail("hosts in ${facts['location']} are not managed")
  }
}
"""

PORT = "# A port that needs no rights.\ntype {{M}}::Port = Variant[Integer[1024, 65535], Enum['auto']]\n"
VALUE = """\
# What an option may be.
type {{M}}::Value = Variant[
  Boolean,
  Numeric,
  String,
  Array[Variant[String, Numeric]],
  Hash[String, Variant[String, Numeric, Boolean]],
]
"""

CONF_ERB = """\
# Managed, do not edit: <%= @dir %>
# on <%= scope['facts']['networking']['fqdn'] %> (<%= scope['facts']['os']['name'] %>)
<% @listen.each do |entry| -%>
listen <%= entry['address'] %>:<%= entry['port'] %>
<% end -%>
<% @options.sort.each do |key, value| -%>
<%   if value.is_a?(Array) -%>
<%= key %> = [<%= value.map { |item| item.to_s }.join(', ') %>]
<%   elsif value.is_a?(Hash) -%>
[<%= key %>]
<%     value.keys.sort.each do |name| -%>
  <%= name.ljust(12) %> = <%= value[name] %>
<%     end -%>
<%   else -%>
<%= key %> = <%= value %>
<%   end -%>
<% end -%>
<%# The administrators come last. -%>
<% unless @admins.empty? -%>
admins = <%= @admins.uniq.sort.join(' ') %>
<% end -%>
"""

INSTANCE_ERB = """\
# instance <%= @title %>
name   = <%= @names.first %>
<% @names.drop(1).each_with_index do |name, index| -%>
alias.<%= index %> = <%= name %>
<% end -%>
port   = <%= @port %>
weight = <%= @weight %><%= @weight > 50 ? ' # heavy' : '' %>
<% if @comment -%>
note   = <%= @comment.capitalize %>
<% end -%>
<% @all.each do |key, value| -%>
<%= '%-10s = %s' % [key, value] %>
<% end -%>
<%- [1, 2, 3].each do |n| -%>
backend<%= n %> = <%= @title.tr('-', '.') %>.<%= n * {{step}} %>
<%- end -%>
"""

ROTATE_ERB = """\
<%= @dir %>/<%= @pattern %> {
  daily
  rotate <%= @keep %>
<% if @compress -%>
  compress
<% end -%>
  create 0640 <%= @owner %> adm
  postrotate
    <%= scope.lookupvar('{{m}}::params::reload') %>
  endscript
}
"""

SPARE_ERB = """\
#!/bin/sh
# {{m}} helper {{k}} of <%= @fqdn %>
<% (1..{{k}}).each do |n| -%>
echo step <%= n %> <%= @title %>
<% end -%>
exec {{d}} "$@"
"""

ACCESS_EPP = """\
<%- | Array[String] $admins, Array[Hash] $listen, Hash[String, Numeric] $extra = {} | -%>
# Who may do what.
<% $admins.each |$admin| { -%>
allow <%= $admin %>
<% } -%>
<% $listen.each |$entry| { -%>
on <%= $entry['address'] %> <%= $entry['port'] %><% if $entry['port'] > 40000 { %> high<% } %>
<% } -%>
<% $extra.each |$name, $number| { -%>
limit <%= $name %> <%= $number * 2 %>
<% } -%>
"""

PROFILE = """\
# @summary Profile {{i}}: {{list}}.
# @param users Who works on these hosts.
# @param rules Who may reach them.
class profile::{{p}} (
  Hash[String[1], Hash]  $users = {},
  Hash[String[1], Hash]  $rules = {},
) {
  include profile::base
{{includes}}
  $merged = lookup('profile::users', { 'merge' => 'deep', 'default_value' => {} })
  $names = ($users + $merged).keys.sort

  file { '/etc/motd.d/{{p}}':
    ensure  => file,
    content => epp('profile/motd.epp', { 'profile' => '{{p}}', 'names' => $names }),
  }
  $rules.each |$title, $parameters| {
    {{first}}::rule { "{{p}} ${title}":
      * => $parameters,
    }
  }
  if $facts['virtual'] == 'physical' {
    include {{first}}::backup
  }
  Class['profile::base'] -> Class['{{first}}']
  User <| tag == 'team_{{team}}' |>
}
"""

BASE = """\
# @summary What every host has: users, directories, a message.
# @param teams Who is in which team.
class profile::base (
  Hash[String[1], Array[String[1]]] $teams = {},
) {
  file { ['/etc/motd.d', '/etc/monitor.d', '/etc/firewall.d']:
    ensure => directory,
  }
  $teams.each |$team, $members| {
    $members.each |$index, $member| {
      @user { "${team}-${member}":
        ensure     => present,
        uid        => 2000 + $index + 100 * size($team),
        managehome => true,
        groups     => ['adm', 'users'],
        tag        => "team_${team}",
      }
    }
  }
  File <| title == '/etc/firewall.d' |> {
    mode => '0700',
  }
  notify { "${facts['networking']['hostname']} in ${facts['location']}":
    message => "kernel ${facts['kernelmajversion']}, key ${lookup('secret2')[0, 4]}",
  }
}
"""

MOTD_EPP = """\
<%- | String $profile, Array[String] $names | -%>
This host has the profile <%= $profile %>.
<% $names.each |$name| { -%>
 * <%= $name %>
<% } -%>
"""

SITE = """\
File {
  owner => 'root',
  group => 'root',
}
Exec {
  path => ['/usr/sbin', '/usr/bin'],
}

node default {
  $role = lookup('role', String)
  include "role::${role}"
}
node /^spare\\d+\\./ {
  include profile::base
}
"""

HIERA = """\
---
version: 5
defaults:
  datadir: data
  data_hash: yaml_data
hierarchy:
  - name: Node
    path: "nodes/%{trusted.certname}.yaml"
  - name: Role in a site
    path: "roles/%{facts.role}/%{facts.location}.yaml"
  - name: Role
    path: "roles/%{facts.role}.yaml"
  - name: Site
    paths:
      - "sites/%{facts.location}/%{facts.os.name}.yaml"
      - "sites/%{facts.location}.yaml"
  - name: Hardware
    path: "virtual/%{facts.virtual}.yaml"
  - name: Release
    path: "os/%{facts.os.name}/%{facts.os.release.major}.yaml"
  - name: Family
    path: "os/%{facts.os.family}.yaml"
  - name: Module
    path: "modules/%{module_name}.yaml"
  - name: Secrets
    glob: "secrets/*.yaml"
  - name: Common
    path: common.yaml
"""

MODULE_HIERA = """\
---
version: 5
defaults:
  datadir: data
  data_hash: yaml_data
hierarchy:
  - name: Family
    path: "%{facts.os.family}.yaml"
  - name: Common
    path: common.yaml
"""


PICK_NAMES = """\
# @summary The names of what runs already, as the facts have it.
function pick_names(Hash $facts) >> Array[String] {
  $facts.dig('services') ? {
    Hash    => $facts['services'].keys,
    default => [],
  }
}
"""


def camel(name):
    """The name as types have it."""
    return name.capitalize()


def write_file(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_module(directory, n):
    name = MODULES[n]
    values = {
        "m": name, "M": camel(name), "d": name.replace("_", "-"), "n": n, "port": 3000 + n * 7,
        "keep": 7 + n % 21, "interval": 30 + n % 90, "minute": n % 60, "step": 1 + n % 9,
    }  # fmt: skip
    manifests = {
        "init": INIT, "params": PARAMS, "install": INSTALL, "config": CONFIG, "service": SERVICE,
        "instance": INSTANCE, "rule": RULE, "logs": LOGS, "monitor": MONITOR,
    }  # fmt: skip
    if n % EACH == 0:
        manifests["backup"] = BACKUP
    here = directory / "modules" / name
    for file, text in manifests.items():
        text = HEADER + text.replace("{{elsewhere}}", ELSEWHERE)
        write_file(here / "manifests" / f"{file}.pp", fill(text, **values))
    write_file(here / "functions/with_defaults.pp", fill(WITH_DEFAULTS, **values))
    for file, text in {"port": PORT, "value": VALUE}.items():
        write_file(here / "types" / f"{file}.pp", fill(text, **values))
    templates = {f"{values['d']}.conf": CONF_ERB, "instance.conf": INSTANCE_ERB, "rotate": ROTATE_ERB}
    for file, text in templates.items():
        write_file(here / "templates" / f"{file}.erb", fill(text, **values))
    for k in range(1, 3):
        write_file(here / "templates/bin" / f"helper{k}.erb", fill(SPARE_ERB, k=k, **values))
    write_file(here / "templates/access.conf.epp", ACCESS_EPP)
    if n % 3 == 0:
        write_file(here / "hiera.yaml", MODULE_HIERA)
        checks = {"alive": {"command": f"check_{name} -p {values['port']}"}}
        common = {f"{name}::monitor::checks": checks, f"{name}::log_level": "warning"}
        write_file(here / "data/common.yaml", yaml(common))
    about = {"name": f"example-{name}", "version": f"1.{n % 10}.0", "author": "example",
             "license": "Apache-2.0", "summary": name, "source": "", "dependencies": []}  # fmt: skip
    write_file(here / "metadata.json", json.dumps(about, indent=2) + "\n")
    if n % 4 == 0:
        write_file(here / "lib/facter" / f"{name}.rb", "# no facts yet\n")
    if n % 5 == 0:
        write_file(here / "lib/puppet/functions" / name / "unused.rb", "# not called\n")

FACT = """\
Facter.add(:%s) do
  setcode { File.read('/etc/machine/%s').strip }
end
"""


def write_site(directory):
    for i in range(PROFILES):
        own = MODULES[i * EACH : (i + 1) * EACH]
        text = fill(
            PROFILE, i=i, p=f"unit{i:02}", list=", ".join(own), first=own[0],
            team="abcde"[i % 5] * 3, includes="".join(f"  include {name}\n" for name in own),
        )  # fmt: skip
        write_file(directory / f"site/profile/manifests/unit{i:02}.pp", text)
    write_file(directory / "site/profile/manifests/base.pp", BASE)
    write_file(directory / "site/profile/templates/motd.epp", MOTD_EPP)
    for r in range(ROLES):
        own = [f"  include profile::unit{i:02}\n" for i in profiles_of(r)]
        text = f"# @summary Role {r}.\nclass role::kind{r:02} {{\n{''.join(own)}}}\n"
        write_file(directory / f"site/role/manifests/kind{r:02}.pp", text)
    own = "".join(f"  include profile::unit{i:02}\n" for i in range(PROFILES))
    text = f"# @summary All that there is.\nclass role::everything {{\n{own}}}\n"
    write_file(directory / "site/role/manifests/everything.pp", text)
    own = "".join(f"  include profile::unit{i:02}\n" for i in profiles_of(0)[:2])
    text = f"# @summary A small host.\nclass role::small {{\n{own}}}\n"
    write_file(directory / "site/role/manifests/small.pp", text)
    write_file(directory / "manifests/site.pp", SITE)
    write_file(directory / "functions/pick_interval.pp", PICK_INTERVAL)
    write_file(directory / "functions/pick_names.pp", PICK_NAMES)
    write_file(directory / "functions/assert_private.pp", ASSERT_PRIVATE)
    for fact in ("role", "location", "is_container", "services"):
        write_file(directory / f"site/profile/lib/facter/{fact}.rb", FACT % (fact, fact))
    write_file(directory / "environment.conf", "modulepath = site:modules\n")
    write_file(directory / "hiera.yaml", HIERA)


def profiles_of(role):
    return sorted({(role * 2 + k * 3) % PROFILES for k in range(12)})


def modules_of(role):
    return [n for i in profiles_of(role) for n in range(i * EACH, (i + 1) * EACH)]


def yaml(value, indent=""):
    """Plain data as YAML in block style."""
    out = []
    for key, item in value.items():
        if isinstance(item, dict) and item:
            out.append(f"{indent}{key}:\n{yaml(item, indent + '  ')}")
        elif isinstance(item, list) and item:
            items = "".join(f"{indent}  - {json.dumps(one)}\n" for one in item)
            out.append(f"{indent}{key}:\n{items}")
        else:
            out.append(f"{indent}{key}: {json.dumps(item)}\n")
    return ("---\n" if not indent else "") + "".join(out)


def node_name(n):
    return f"host{n:04}.{SITES[n % len(SITES)]}.example.org"


def write_data(directory):
    data = directory / "data"
    for n in range(NODES):
        name = MODULES[modules_of(n % ROLES)[n % 50]]
        own = {
            "role": f"kind{n % ROLES:02}",
            f"{name}::log_level": ["debug", "error"][n % 2],
            f"{name}::options": {"workers": n % 32 + 1, "label": "host %{facts.networking.hostname}"},
            "profile::users": {f"guest{n % 7}": {"until": f"2030-01-{n % 28 + 1:02}"}},
        }
        write_file(data / f"nodes/{node_name(n)}.yaml", yaml(own))
    for role in ("everything", "small"):
        write_file(data / f"nodes/{role}.ams.example.org.yaml", yaml({"role": role}))
    for r in range(ROLES):
        own = {"contact": f"team{r}@example.org"}
        for n in modules_of(r):
            name, port = MODULES[n], 3000 + n * 7
            own[f"{name}::instances"] = {
                color: {
                    "port": port + 1 + k, "weight": 10 + 30 * k,
                    "options": {"color": color, "site": "%{facts.location}", "depth": k + n % 5},
                    "aliases": [f"{color}.{name}", "%{lookup('alias_suffix')}"],
                }
                for k, color in enumerate(["blue", "green", "red"])
            }  # fmt: skip
            own[f"{name}::admins"] = ["alice", "bob", ["carol", "dave"][n % 2]]
        write_file(data / f"roles/kind{r:02}.yaml", yaml(own))
        for site in SITES:
            own = {f"profile::unit{profiles_of(r)[0]:02}::rules": {
                f"from {site}": {"from": [f"10.{r}.0.0/16", "192.168.0.0/24"], "order": 300 + r}}}
            write_file(data / f"roles/kind{r:02}/{site}.yaml", yaml(own))
    for k, site in enumerate(SITES):
        own = {"alias_suffix": f"{site}.example.org", "ntp": [f"ntp{n}.{site}" for n in range(3)]}
        write_file(data / f"sites/{site}.yaml", yaml(own))
        write_file(data / f"sites/{site}/Debian.yaml", yaml({"mirror": f"http://deb.{site}/", "k": k}))
    for kind in ("physical", "kvm", "lxc"):
        write_file(data / f"virtual/{kind}.yaml", yaml({"is_real": kind == "physical"}))
    for release in ("10", "11", "12"):
        write_file(data / f"os/Debian/{release}.yaml", yaml({"release": release}))
    write_file(data / "os/Debian.yaml", yaml({"family": "Debian"}))
    for n, name in enumerate(MODULES):
        own = {f"{name}::listen": ["127.0.0.1", f"10.1.{n % 250}.1"], f"{name}::logs::keep": 5 + n % 30}
        write_file(data / f"modules/{name}.yaml", yaml(own))
    for n in range(4):
        write_file(data / f"secrets/part{n}.yaml", yaml({f"secret{n}": f"{n:032x}"}))
    teams = {team * 3: [f"{who}{team}" for who in ("ann", "ben", "cat", "dan")] for team in "abcde"}
    common = {"role": "kind00", "contact": "root@example.org", "alias_suffix": "example.org",
              "profile::base::teams": teams, "profile::users": {"operator": {"until": "2031-01-01"}}}  # fmt: skip
    common["lookup_options"] = {f"^{first}_.*::options$": {"merge": "deep"} for first in FIRST}
    write_file(data / "common.yaml", yaml(common))


def facts(n):
    """The facts of a node."""
    host, site = node_name(n).split(".")[0], SITES[n % len(SITES)]
    network = f"10.{n % ROLES}.{n // 250}"
    return {
        "role": f"kind{n % ROLES:02}", "location": site, "virtual": ["kvm", "physical"][n % 2],
        "is_container": False, "kernelmajversion": "6.1", "kernel": "Linux",
        "fqdn": node_name(n), "hostname": host,
        "os": {"name": "Debian", "family": "Debian", "architecture": "amd64",
               "release": {"major": "12", "minor": "5", "full": "12.5"}},
        "networking": {"fqdn": node_name(n), "hostname": host, "domain": f"{site}.example.org",
                       "network": f"{network}.0", "ip": f"{network}.{n % 250 + 1}",
                       "interfaces": {f"eth{k}": {"ip": f"{network}.{k}", "mtu": 1500} for k in range(4)}},
        "processors": {"count": 8, "models": ["Example CPU"] * 8},
        "mountpoints": {"/": {"available_bytes": 10**10}, "/srv": {"available_bytes": 10**12}},
        "memory": {"system": {"total_bytes": 2**34}},
    }  # fmt: skip


def write(directory):
    """Writes the whole repository."""
    for n in range(len(MODULES)):
        write_module(directory, n)
    write_site(directory)
    write_data(directory)
