"""A repository whose modules bring functions and a Hiera backend in Ruby: the same bytes on every run.

    write(directory)      40 modules, 20 functions, a backend of four levels, 400 data files
    facts(node)           what is known of one of its nodes

    rubysite.py DIR [--beyond]    the site in DIR/production, the facts of its nodes in DIR/facts

Every node gets about 2,400 resources. The functions are of the usual kind, 10 to 40 lines about
texts, lists and hashes that call other functions, most of the newer interface and some of the older
one. The backend is a function as `lookup_key`: it finds the file by the name of the key, keeps what
it found in the cache of its context, and says that it finds nothing for most keys.

With `beyond` each file uses something that only `ruby` itself runs, such as `define_method`,
`instance_eval` and libraries with code in C. What the functions give is the same.
"""

import json

from production import write_file, yaml

MODULES = [f"svc{n:02}" for n in range(40)]
NODES = 31
SITES = ["ams", "ber", "cph"]

BACKEND = """\
require 'yaml'

Puppet::Functions.create_function(:'site::by_path') do
  dispatch :by_path do
    param 'String[1]', :key
    param 'Struct[{path=>String[1]}]', :options
    param 'Puppet::LookupContext', :context
  end

  def by_path(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)

    parts = key.gsub(/^::/, '').split('::')
    parts.pop
    path = parts.empty? ? "#{options['path']}.yaml" : File.join(options['path'], parts.join('/')) + '.yaml'
    Puppet.debug("looking for #{key} in #{path}")
    data = load_file(path, context)
    context.not_found unless data.include?(key)
    context.cache(key, context.interpolate(data[key]))
  end

  def load_file(path, context)
    return {} unless File.exist?(path)

    context.cached_file_data(path) do |content|
      data = YAML.safe_load(content, aliases: true)
      if data.is_a?(Hash)
        data
      else
        Puppet.warning("#{path}: no hash")
        {}
      end
    end
  end
end
"""

# Functions of the newer interface: name, types of the arguments, and the methods.
NEW = {
    "ini": (["Hash"], """\
  def ini(settings)
    settings.map { |section, items| "[#{section}]\\n" + lines(items).join("\\n") + "\\n" }.sort.join("\\n")
  end

  def lines(items, prefix = nil)
    items.flat_map do |key, value|
      name = [prefix, key].compact.join('.')
      case value
      when Hash then lines(value, name)
      when Array then value.map { |item| "#{name}[] = #{cast(item)}" }
      else "#{name} = #{cast(value)}"
      end
    end
  end

  def cast(value)
    value.to_s.include?('.') ? Float(value) : Integer(value)
  rescue StandardError
    value
  end
"""),
    "mask": (["Integer[0, 32]"], """\
  def mask(bits)
    number = (0xffffffff << (32 - bits)) & 0xffffffff
    [24, 16, 8, 0].map { |shift| (number >> shift) & 255 }.join('.')
  end
"""),
    "pairs": (["Hash", "String"], """\
  def pairs(hash, separator)
    hash.sort_by { |key, _| key }.map { |key, value| [key, value].join(separator) }
  end
"""),
    "slug": (["String"], """\
  def slug(text)
    text.downcase.gsub(/[^a-z0-9]+/, '-').gsub(/\\A-|-\\z/, '')
  end
"""),
    "listen": (["Array[String]", "Integer"], """\
  def listen(addresses, port)
    addresses.each_with_index.map do |address, i|
      address.include?(':') ? "[#{address}]:#{port + i}" : "#{address}:#{port + i}"
    end
  end
"""),
    "without": (["Hash", "Array[String]"], """\
  def without(hash, names)
    hash.reject { |name, value| names.include?(name) || value.nil? }
  end
"""),
    "nested": (["Hash", "String"], """\
  def nested(data, path)
    path.split('.').reduce(data) do |found, part|
      return nil unless found.is_a?(Hash) && found.key?(part)

      found[part]
    end
  end
"""),
    "group_by_site": (["Array[Hash]"], """\
  def group_by_site(hosts)
    hosts.each_with_object({}) do |host, all|
      all[host['site']] ||= []
      all[host['site']] << host['name']
    end
  end
"""),
    "merged": (["Hash", "Hash"], """\
  def merged(base, own)
    base.merge(own) do |_, left, right|
      left.is_a?(Hash) && right.is_a?(Hash) ? merged(left, right) : right
    end
  end
"""),
    "cron": (["String", "Integer"], """\
  def cron(name, every)
    minute = name.each_char.reduce(7) { |sum, char| (sum * 31 + char.ord) % 60 }
    { 'minute' => minute, 'hour' => every > 24 ? 0 : (minute % every) }
  end
"""),
    "env": (["Hash"], """\
  def env(values)
    values.map { |key, value| format('%-12s="%s"', key.upcase, value.to_s.gsub('"', '\\\\\\\\"')) }.join("\\n")
  end
"""),
    "servers": (["String", "Integer"], """\
  def servers(name, count)
    base = call_function('site::slug', name)
    (1..count).map { |n| { 'name' => format('%s%02d', base, n), 'site' => %w[ams ber cph][n % 3] } }
  end
"""),
    "option": (["Hash", "String", "Any"], """\
  def option(hash, name, default)
    value = hash.fetch(name, default)
    value = call_function('downcase', value) if value.is_a?(String)
    value.nil? ? default : value
  end
"""),
    "redirects": (["Array[String]"], """\
  def redirects(rules)
    rules.reject { |rule| rule.strip.empty? || rule.start_with?('#') }.map do |rule|
      from, to = rule.split(/\\s+/, 2)
      raise ArgumentError, "a rule without a target: #{rule}" unless to
      "rewrite ^#{Regexp.escape(from)}$ #{to};"
    end.join("\\n")
  end
"""),
    "size": (["String"], """\
  def size(text)
    match = /\\A(\\d+)([kMG]?)\\z/.match(text)
    raise Puppet::ParseError, "no size: #{text}" unless match
    match[1].to_i * { '' => 1, 'k' => 1024, 'M' => 1024**2, 'G' => 1024**3 }[match[2]]
  end
"""),
    "labels": (["Hash"], """\
  def labels(hash)
    hash.keys.sort.map { |key| %(#{key}="#{hash[key]}") }.join(',')
  end
"""),
}

# Code that makes a function of the newer interface run only in `ruby`.
BEYOND = """\
  %i[to_s inspect].each do |way|
    define_method(:"shown_by_#{way}") { |value| value.public_send(way) }
  end

"""

# Functions of the older interface.
OLD = {
    "site_join": (2, "    args[0].map(&:to_s).reject(&:empty?).join(args[1])"),
    "site_bool": (1, "    %w[yes true on 1].include?(args[0].to_s.downcase)"),
    "site_fqdn": (1, "    host = args[0]\n    host.include?('.') ? host : \"#{host}.#{lookupvar('::site_domain')}\""),
    "site_quote": (1, "    value = args[0]\n    raise(Puppet::ParseError, 'site_quote: no text') unless value.is_a?(String)\n"
                      "    \"'\" + value.gsub(\"'\", \"''\") + \"'\""),
}  # fmt: skip

CLASS = """\
class %(m)s (
  Integer               $port     = %(port)d,
  Array[String]         $addresses = ['127.0.0.1', '::1'],
  Hash                  $settings = {},
  String                $memory   = '64M',
  String                $label    = '%(m)s Main Service',
  Boolean               $enabled  = true,
  Optional[String]      $owner    = undef,
  Hash                  $extra    = {},
) {
  $base = { 'main' => { 'port' => $port, 'memory' => site::size($memory), 'limits' => { 'files' => '1024', 'ratio' => '0.5' } } }
  $all  = site::merged($base, $settings)
  $slug = site::slug($label)
  $listen = site::listen($addresses, $port)
  file { "/etc/%(m)s":
    ensure => directory,
    owner  => site::first($owner, 'root'),
  }
  file { "/etc/%(m)s/main.ini":
    content => site::ini($all),
  }
  file { "/etc/default/%(m)s":
    content => site::env({ 'name' => $slug, 'listen' => site_join($listen, ','), 'files' => site::nested($all, 'main.limits.files') }),
  }
  service { $slug:
    enable => site_bool($enabled),
  }
  $servers = site::servers($label, 12)
  site::group_by_site($servers).each |$site, $names| {
    file { "/etc/%(m)s/site-${site}.conf":
      content => site::labels({ 'site' => $site, 'names' => site_join($names, ' ') }),
    }
  }
  $servers.each |$i, $server| {
    $name = $server['name']
    $cron = site::cron($name, 6)
    file { "/etc/%(m)s/${name}.conf":
      content => site_join(site::pairs(site::without($server + $cron, ['site']), ' = '), "\\n"),
    }
    exec { "/usr/bin/%(m)s-check ${name}":
      command => "/usr/bin/%(m)s-check ${site_quote(site_fqdn($name))} ${site::mask(8 + $i)}",
      timeout => site::option($extra, 'timeout', 30 + $i),
      unless  => site::redirects(["/${name} /new/${name}", '# none']),
    }
    file { "/etc/cron.d/%(m)s-${name}":
      content => sprintf("%%d %%d * * * root /usr/bin/%(m)s-run %%s\n", $cron['minute'], $cron['hour'], $name),
    }
    notify { "%(m)s ${name}": }
  }
}
"""


def write_functions(directory, beyond):
    lib = directory / "modules/site/lib/puppet"
    backend = BACKEND
    if beyond:
        start = "Puppet::Functions.create_function(:'site::by_path') do\n"
        backend = "require 'open3'\n" + backend.replace(start, start + BEYOND)
    write_file(lib / "functions/site/by_path.rb", backend)
    for name, (types, methods) in NEW.items():
        params = "".join(f"    param '{kind}', :arg{n}\n" for n, kind in enumerate(types))
        head = f"# What `site::{name}` does is in the tests of this module.\n"
        text = (f"{head}Puppet::Functions.create_function(:'site::{name}') do\n  dispatch :{name} do\n{params}  end\n\n"
                f"{BEYOND if beyond else ''}{methods}end\n")  # fmt: skip
        write_file(lib / f"functions/site/{name}.rb", text)
    for name, (arity, body) in OLD.items():
        if beyond:
            body = f"    args[0].instance_eval {{ itself }}\n{body}"
        text = ("module Puppet::Parser::Functions\n"
                f"  newfunction(:{name}, :type => :rvalue, :arity => {arity}, :doc => <<-'EOS'\n    About {name}.\n  EOS\n"
                f"  ) do |args|\n{body}\n  end\nend\n")  # fmt: skip
        write_file(lib / f"parser/functions/{name}.rb", text)


def write_data(directory):
    data = directory / "data"
    levels = [("Node", "nodes/%{hostname}"), ("Role", "roles/%{role}"), ("Site", "sites/%{site}"),
              ("Common", "common")]  # fmt: skip
    text = "---\nversion: 5\nhierarchy:\n"
    for name, path in levels:
        text += f"  - name: {name}\n    lookup_key: site::by_path\n    path: \"{path}\"\n"
    write_file(directory / "hiera.yaml", text)
    write_file(data / "common.yaml", yaml({f"common{n}": f"value {n}" for n in range(200)}))
    for n in range(NODES):
        host = facts(n)["hostname"]
        write_file(data / f"nodes/{host}/svc00.yaml", yaml({"svc00::owner": host}))
    for n, module in enumerate(MODULES):
        own = {f"{module}::label": f"{module} on %{{facts.hostname}}",
               f"{module}::settings": {"main": {"name": f"%{{lookup('common{n}')}}", "users": ["a", "b"]}},
               **{f"{module}::other{k}": [f"value {k}"] * 4 for k in range(40)}}  # fmt: skip
        write_file(data / f"common/{module}.yaml", yaml(own))
        for site in SITES:
            write_file(data / f"sites/{site}/{module}.yaml", yaml({f"{module}::memory": f"{n + 1}M"}))
        for role in ("a", "b"):
            write_file(data / f"roles/{role}/{module}.yaml", yaml({f"{module}::extra": {"timeout": n}}))


def write(directory, beyond=False):
    write_functions(directory, beyond)
    write_data(directory)
    for n, module in enumerate(MODULES):
        text = CLASS % {"m": module, "port": 8000 + n}
        write_file(directory / f"modules/{module}/manifests/init.pp", text)
    write_file(directory / "modules/site/manifests/init.pp", "class site { }\n")
    pick = "function pick(*$args) { $args.filter |$arg| { $arg =~ NotUndef }[0] }\n"
    includes = "".join(f"include {module}\n" for module in MODULES)
    write_file(directory / "manifests/site.pp", f"$site_domain = 'example.org'\n{includes}")
    write_file(directory / "modules/site/functions/first.pp", pick.replace("function pick", "function site::first"))
    write_file(directory / "environment.conf", "modulepath = modules\n")


def node_name(n):
    return f"host{n:03}.{SITES[n % 3]}.example.org"


def facts(n):
    return {"hostname": f"host{n:03}", "site": SITES[n % 3], "role": "ab"[n % 2], "kernel": "Linux",
            "os": {"name": "Debian", "family": "Debian", "release": {"major": "12", "full": "12.5"}}}  # fmt: skip


if __name__ == "__main__":
    import sys
    from pathlib import Path

    root = Path(sys.argv[1])
    write(root / "production", "--beyond" in sys.argv[2:])
    (root / "facts").mkdir(parents=True, exist_ok=True)
    for n in range(NODES):
        (root / "facts" / f"{node_name(n)}.json").write_text(json.dumps(facts(n)))
