"""Small repositories, each of which leans on one part of a compile; the same bytes on every run.

Each function writes an environment and is named after what it is about. Its documentation is the
line of the table.
"""

import json

from production import write_file, yaml


def metadata(name, dependencies=()):
    about = {"name": f"example-{name}", "version": "1.0.0", "author": "example", "license": "MIT",
             "summary": name, "source": "", "dependencies": [
                 {"name": f"example-{other}", "version_requirement": ">= 0"} for other in dependencies
             ]}  # fmt: skip
    return json.dumps(about)


def module(directory, name, **manifests):
    here = directory / "modules" / name
    for file, text in manifests.items():
        write_file(here / "manifests" / f"{file}.pp", text)
    write_file(here / "metadata.json", metadata(name))
    return here


def site(directory, text):
    write_file(directory / "manifests/site.pp", text)
    write_file(directory / "environment.conf", "modulepath = modules\n")


def empty_catalog(directory):
    """nothing but a log message"""
    site(directory, "debug('no resources')\n")


def many_environments(directory):
    """an empty catalog of one environment among 1,000"""
    empty_catalog(directory)
    for n in range(999):
        (directory.parent / f"other{n}").mkdir()


def defined_types(directory):
    """200 modules, a define of each used twice"""
    names = [f"part{n:03}" for n in range(200)]
    for name in names:
        text = "define %s::thing {\n  notify { \"%s has ${title}\": }\n}\n" % (name, name)
        module(directory, name, thing=text)
    uses = [f"{name}::thing {{ ['one', 'two']: }}\n" for name in names]
    site(directory, "".join(uses))


def many_modules(directory):
    """100 modules of 12 classes"""
    names = [f"unit{n:03}" for n in range(100)]
    for name in names:
        classes = {f"step{k:02}": f"class {name}::step{k:02} {{\n  notify {{ '{name} {k}': }}\n}}\n"
                   for k in range(11)}  # fmt: skip
        inner = "".join(f"  class {{ '{name}::{step}': }}\n" for step in classes)
        module(directory, name, init=f"class {name} {{\n{inner}}}\n", **classes)
    site(directory, "".join(f"include {name}\n" for name in names))


def missing_types(directory):
    """500 modules without a type that is looked for in each"""
    for n in range(500):
        (directory / f"modules/other{n}/lib/puppet/type").mkdir(parents=True)
        (directory / f"modules/other{n}/manifests").mkdir()
    module(directory, "wanted", init='define wanted {\n  notify { "wanted ${title}": }\n}\n')
    site(directory, "".join(f"wanted {{ 'number {n}': }}\n" for n in range(500)))


def evaluations(directory):
    """calls, interpolation and variables, 20,000 of each"""
    texts = ", ".join('"<%s>"' % "-".join(["${x}"] * (n + 1)) for n in range(10))
    site(directory, """\
class holder {
  $one = 10
  $two = 20
}
include holder
$x = 'abcdefgh'
$count = Integer[1, 2000]
$count.each |$i| {
  $texts = [%s]
}
$count.each |$i| {
  $sums = [$holder::one, $::holder::two, $x, $::x, $i, $holder::one, $::holder::two, $x, $::x, $i]
}
$count.each |$i| {
  $calls = [
    assert_type(Integer, $i), sprintf('%%03d', $i), $x.upcase, size($x), [$i, 2].max,
    assert_type(String, $x), sprintf('%%s-%%s', $x, $i), $x.length, abs($i), [$x, 'b'].join(','),
  ]
}
$count.each |$i| {
  if $x =~ /^abc(.*)$/ and $i %% 2 == 0 {
    $rest = $1
  }
}
""" % texts)


def qualified_variables(directory):
    """1,000 files whose attributes are variables of a class"""
    params = "class names::params {\n  $dir = '/srv/names'\n  $user = 'someone'\n  $group = 'some'\n}\n"
    file = """\
  file { "${names::params::dir}/%d":
    ensure  => file,
    content => "number %d\\n",
    owner   => $names::params::user,
    group   => $names::params::group,
    require => File[$names::params::dir],
  }
"""
    files = "".join(file % (n, n) for n in range(1000))
    all_ = "class names::all {\n  include names::params\n  file { $names::params::dir: ensure => directory }\n"
    module(directory, "names", params=params, all=f"{all_}{files}}}\n")
    site(directory, "include names::all\n")


def function_loading(directory):
    """40 modules of 25 functions that call each other"""
    for m in range(40):
        here = module(directory, f"lib{m:02}")
        for f in range(25):
            other = f"lib{(m + 1) % 40:02}::f{f - 1:02}($n)" if f else "$n + 1"
            text = f"function lib{m:02}::f{f:02}(Integer $n) >> Integer {{\n  {other}\n}}\n"
            write_file(here / f"functions/f{f:02}.pp", text)
    calls = [f"notify {{ 'lib{m:02}': message => lib{m:02}::f24({m}) }}\n" for m in range(40)]
    site(directory, "".join(calls))


def dependencies(directory):
    """300 modules, each of which depends on the one before"""
    for n in range(300):
        name, other = f"layer{n:03}", f"layer{max(n - 1, 0):03}"
        call = f"  $it = {other}::own()\n  notify {{ $it: }}\n" if n % 10 == 9 else ""
        here = module(directory, name, init=f"class {name} {{\n{call}}}\n")
        write_file(here / "functions/own.pp", f"function {name}::own() {{\n  'of {name}'\n}}\n")
        write_file(here / "metadata.json", metadata(name, [other] if n else []))
    site(directory, "".join(f"include layer{n:03}\n" for n in range(9, 300, 10)))


def virtual_resources(directory):
    """500 virtual resources, collected one by one"""
    ours = "".join(f"@notify {{ 'number {n}': }}\n" for n in range(500))
    wanted = "".join(f"Notify <| title == 'number {n}' |>\n" for n in range(500))
    site(directory, ours + wanted)


def type_inference(directory):
    """10,000 values against a nested type"""
    kind = ("Struct[{ key => Variant[Integer[1, 3], Enum['a', 'b']], value => Struct[{ "
            "way => Enum['in', 'out'], names => Array[String] }] }]")  # fmt: skip
    each = "".join(f"$all.each |{kind} $v| {{ }}\n" for _ in range(100))
    site(directory, """\
$in = { 'way' => 'in', 'names' => ['fee', 'fi'] }
$out = { 'way' => 'out', 'names' => ['fo', 'fum'] }
$pair = [{ 'key' => 'a', 'value' => $in }, { 'key' => 3, 'value' => $out }]
$all = Integer[1, 50].reduce([]) |$sum, $i| { $sum + $pair }
""" + each)


def hiera(directory, hierarchy, code):
    levels = "".join(f"  - name: {name}\n    path: \"{path}\"\n" for name, path in hierarchy)
    write_file(directory / "hiera.yaml", f"---\nversion: 5\nhierarchy:\n{levels}")
    site(directory, code)


def hiera_paths(directory):
    """100 lookups in a hierarchy of 250 interpolated paths"""
    variables = "".join(f"$d{n} = 'dir{n}'\n" for n in range(50))
    levels = [(f"Level {n} {k}", f"%{{d{n}}}/part{k}.yaml") for n in range(50) for k in range(5)]
    hiera(directory, levels, variables + "Integer[1, 100].each |$i| { lookup('wanted') }\n")
    write_file(directory / "data/dir0/part0.yaml", "wanted: here\n")


def hiera_lookups(directory):
    """1,000 lookups whose values are interpolated, and 1,000 of parts of a hash"""
    hiera(directory, [("Common", "common.yaml"), ("Other", "test/data.yaml")], """\
Integer[1, 10].each |$round| {
  Integer[0, 99].each |$i| { lookup("x${i}") }
  Integer[0, 99].each |$i| { lookup('h1.h2.h3.k0') }
}
""")
    common = {}
    for n in range(100):
        common.update({f"{kind}{n}": f"value {kind}{n}" for kind in "abc"})
        common[f"joined{n}"] = ", ".join("%%{lookup('%s%d')}" % (kind, n) for kind in "abc")
    common["h1"] = {"h2": {"h3": {f"k{n}": f"v{n}" for n in range(100)}}}
    write_file(directory / "data/common.yaml", yaml(common))
    other = {f"x{n}": "%%{lookup('joined%d')}" % n for n in range(100)}
    write_file(directory / "data/test/data.yaml", yaml(other))


def hiera_classes(directory):
    """classes from data that has 6,400 other values"""
    hiera(directory, [("Common", "common.yaml"), ("Groups", "groups.yaml")],
          "lookup('classes', { 'merge' => 'unique' }).include\n")  # fmt: skip
    module(directory, "dummy", init="class dummy { }\n")
    write_file(directory / "data/common.yaml", "classes:\n  - dummy\n")
    groups = {f"group{n}": [f"user{k}" for k in range(125)] for n in range(51)}
    write_file(directory / "data/groups.yaml", yaml({"staff": {"groups": groups}}))


def serialization(directory):
    """a catalog of 2,000 resources with long texts and nested hashes"""
    site(directory, """\
define plain(Hash $data, Array $list, String $text) { }
Integer[1, 2000].each |$i| {
  plain { "number ${i}":
    data => { 'a' => { 'b' => [1, 2, { 'c' => "deep ${i}" }] }, 'on' => true, 'none' => 1.5 },
    list => ['one', 'two', "three ${i}", 4, 5, false],
    text => "a \\"text\\" of some length\\n\\twith a tab, a line and the number ${i}\\n",
  }
}
""")


# The steps that are measured with cached files, as in a server, and those of the first run.
WARM = [
    empty_catalog, defined_types, many_modules, missing_types, evaluations, qualified_variables,
    virtual_resources, type_inference, hiera_paths, hiera_lookups, hiera_classes, serialization,
]  # fmt: skip
COLD = [many_modules, missing_types, function_loading, dependencies, hiera_lookups]
