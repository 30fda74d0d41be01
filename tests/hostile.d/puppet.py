"""Puppet's language: growth, depth, patterns, relations, and errors in large numbers."""

import common
from common import chain, nest


def cases(case):
    def code(name, text, verb=("eval",), **more):
        case(name, [verb[0], "in.pp", *verb[1:]], {"in.pp": text}, **more)

    def grown(step, count=60, first="$v0 = 'abcdefgh'"):
        return common.grown(step, count, first + "\n", "$")

    catalog = ("compile", "--format", "puppet-catalog")

    # Exponential growth.
    code("double-interpolated", lambda: grown('{b} = "{a}-{a}"'), fails=True)
    code("double-added", lambda: grown("{b} = {a} + {a}", first="$v0 = [1, 2, 3]"), fails=True)
    code("double-hash", lambda: grown("{b} = {{ l => {a}, r => {a} }}", first="$v0 = { k => 1 }") + "\nnotice($v60)", fails=True)
    code("double-join", lambda: grown("{b} = join([{a}, {a}, {a}], ',')"), fails=True)
    code("double-regsubst", lambda: grown("{b} = regsubst({a}, '.', 'xxxx', 'G')"), fails=True)
    code("double-splat", lambda: grown("{b} = [*{a}, *{a}]", first="$v0 = [1, 2]"), fails=True)
    code("double-map", lambda: grown("{b} = {a}.map |$x| {{ {a} }}", 12, first="$v0 = [1, 2, 3, 4]"), fails=True)
    code("double-sprintf", lambda: grown("{b} = sprintf('%s%s%s', {a}, {a}, {a})"), fails=True)
    code("double-heredoc", lambda: grown('{b} = @("E")\n  ${{v{n}}}${{v{n}}}\n  | E'), fails=True)
    code("double-deep-merge", lambda: grown("{b} = {{ 'x{n}' => {a}, 'y{n}' => {a} }} + {a}", first="$v0 = { k => 1 }") + "\nnotice($v60.length)")
    code("double-json", lambda: grown("{b} = to_json([{a}, {a}])", 60), fails=True)
    code("double-shared-yaml", lambda: grown("{b} = [{a}, {a}]", first="$v0 = [1]") + "\nnotice(to_yaml($v60))", fails=True)
    code("double-shared-compare", lambda: grown("{b} = [{a}, {a}]", 24, first="$v0 = [1]") + "\n" + grown("{b} = [{a}, {a}]", 24, first="$v0 = [1]").replace("$v", "$w") + "\nnotice($v24 == $w24)")
    code("double-shared-catalog", lambda: grown("{b} = [{a}, {a}]", 19, first="$v0 = [1]") + "\nnotify { 'n': message => $v19 }", catalog)
    code("double-shared-many", lambda: grown("{b} = [{a}, {a}]", 17, first="$v0 = [1]") + "\nInteger[1, 200].each |$i| { notify { \"n${i}\": message => $v17 } }", catalog)
    code("pad", "notice(sprintf('%900000000d', 1))", fails=True)
    code("pad-star", "notice(sprintf('%-*s|', 800000000, 'a'))")
    code("pad-precision", "notice(sprintf('%.900000000f', 1.0))", fails=True)
    code("pad-loop", "$a = Integer[1, 3000].map |$i| { sprintf('%90000s', $i) } notice($a.length)", fails=True)
    code("string-new-pad", "notice(String(255, '%#900000000x'))", fails=True)
    code("repeat-list", "notice([0] * 5)", fails=True)
    code("range-list", "notice(Array(Integer[1, 900000000]).length)", fails=True)
    code("range-text", "notice(range('aa0', 'zz999999').length)")
    code("range-reduce", "notice(Integer[1, 9000000000].reduce |$m, $x| { $m + $x })", fails=True)
    code("range-filter", "notice(Integer[1, 9000000000].filter |$x| { $x > 5 })", fails=True)
    code("range-slice", "notice(Integer[1, 90000000].slice(3).length)", fails=True)
    code("range-each-nested", "Integer[1, 90000].each |$a| { Integer[1, 90000].each |$b| { $c = $a * $b } }", fails=True)
    code("range-each", "Integer[0, 4000000000].each |$i| { $x = $i }", fails=True)
    code("permute", "notice(Integer[1, 2000].map |$i| { Integer[1, 2000].map |$j| { [$i, $j] } }.flatten.length)", fails=True)
    code("split-many", "notice(split(sprintf('%1000000s', 'x'), '').length)")
    code("unique-many", "notice(unique(Integer[1, 300000].map |$x| { $x % 9 }).length)")
    code("sort-many", "notice(sort(Integer[1, 200000].map |$x| { String(($x * 7919) % 200003) }).length)")
    code("group-many", "notice(Integer[1, 100000].group_by |$x| { $x % 90000 }.length)")
    code("hash-many", "notice(Hash(Integer[1, 300000].map |$x| { [$x, $x] }).length)")
    code("delete-many", "notice(delete(Integer[1, 100000].map |$x| { $x }, 5).length)")
    code("difference-many", "notice((Integer[1, 100000].map |$x| { $x } - Integer[2, 100001].map |$x| { $x }).length)")
    code("seeded", "notice(seeded_rand_string(900000000, 'seed'))", fails=True)
    code("base64", "notice(base64('encode', sprintf('%900000s', 'x')).length)")
    code("digest", "notice(Integer[1, 4000].map |$i| { sha512(sprintf('%90000s', $i)) }.length)", fails=True)
    code("pbkdf2", "notice(str2saltedpbkdf2('p', 'ssssssssssssssssssssssssssssssss', 900000000))", fails=True)
    code("pw-hash", "notice(pw_hash('p', 'SHA-512', 'rounds=999999999$salt'))")
    code("strftime", "notice(strftime(Timestamp(0), '%999999999Y'))")
    code("fqdn-rand", "notice(fqdn_rand(999999999999999999))")
    code("timespan", "notice(Timespan(days => 9223372036854775807))")

    # Depth.
    for name, opening, closing in [
        ("parens", "(", ")"), ("list", "[", "]"), ("hash", "{ k => ", "}"), ("index", "$facts[", "]"),
        ("call", "notice(", ")"), ("text", '"${', '}"'), ("not", "!(", ")"), ("lambda", "[1].map |$x| { ", " }"),
        ("if", "if true { ", " }"), ("selector", "1 ? { default => ", " }"), ("type", "Array[", "]"),
        ("case", "case 1 { default: { ", " } }"), ("class", "class c { ", " }"),
    ]:
        inner = "Any" if name == "type" else "$x" if name == "text" else "1"
        code(f"deep-{name}", lambda o=opening, c=closing, i=inner: nest(o, c, 90000, i), fails=True)
        code(f"open-{name}", lambda o=opening: o * 90000, fails=True)
    code("deep-valid", lambda: "$x = " + nest("[", "]", 190) + " notice($x)")
    code("long-else", lambda: "if false { }" + " elsif false { }" * 60000 + " else { }")
    code("long-sum", lambda: "notice(1" + " + 1" * 60000 + ")", fails=True)
    code("long-arrows", lambda: "notify { 'a': }\n" + "Notify['a']" + " ~> Notify['a']" * 30000, ("compile",))
    code("long-chain", lambda: "notice([1]" + ".flatten" * 60000 + ")", fails=True)
    code("long-name", lambda: "include " + "::".join(["a"] * 200000), ("compile",), fails=True)
    code("recursion", "function r($n) { r($n + 1) } r(0)", fails=True)
    code("recursion-two", "function r($n) { s($n) } function s($n) { [$n].each |$x| { r($x) } } r(0)", fails=True)
    code("recursion-tree", "function r($n) { if $n == 0 { 1 } else { r($n - 1) + r($n - 1) } } notice(r(60))", fails=True)
    code("recursion-define", "define d($n) { d { \"${title}a\": n => $n + 1 } } d { 'a': n => 0 }", ("compile",), fails=True)
    code("recursion-define-tree", "define d() { d { [\"${title}l\", \"${title}r\"]: } } d { 't': }", ("compile",), fails=True)
    code("recursion-class", "class a { include b } class b { include a } include a", ("compile",))
    code("recursion-alias", "type T = Variant[Array[T], Hash[String, T], Tuple[T, T]] notice([[[[[]]]]] =~ T)")
    code("recursion-alias-wide", lambda: chain("", lambda n: f"type A{n} = Variant[Tuple[A{n + 1}, A{n + 1}], Array[A{n + 1}]]\n", 50) + "type A50 = Integer\nnotice([[[[1, 1], [1, 1]]]] =~ A0)")

    # Patterns.
    for name, pattern, subject in [
        ("nested", "(x+)+y", "x" * 60), ("alternatives", "(x|xx)+y", "x" * 60), ("lazy", "(.*?,){30}z", "1," * 40),
        ("back", "(x*)\\1*y\\1", "x" * 2000), ("look", "(?=(x+))x*y\\1", "x" * 3000), ("words", "(\\w+\\s?)*$!", "ab " * 400),
    ]:
        code(f"pattern-{name}", f"notice('{subject}' =~ /{pattern}/) notice(regsubst('{subject}', '{pattern}', 'z', 'G'))")
    code("pattern-counts", "notice('x' =~ /(((x{1,200}){1,200}){1,200})/)", fails=True)
    code("pattern-many-large", "Integer[1, 20000].each |$i| { $m = 'x' =~ Regexp(\"(\\\\p{L}{1,60}|[a-z]{1,500}){1,6}${i}\") }", fails=True)
    code("pattern-many-small", "Integer[1, 20000].each |$i| { $m = 'x' =~ Regexp(\"^host-${i}-[a-z]+$\") }")
    code("pattern-long", lambda: "notice('x' =~ /" + "ab|" * 200000 + "z/)", fails=True)
    code("pattern-type", "notice('%s' =~ Pattern[/(x+)+y/, /(x+x+)+z/])" % ("x" * 80))
    code("pattern-loop", "Integer[1, 2000].each |$i| { notice('%s' =~ /(x+x+)+y(?=z)/) }" % ("x" * 40))

    # Relations and resources.
    pairs = "Integer[1, {n}].each |$i| {{ notify {{ \"n${{i}}\": }} file {{ \"/f${{i}}\": }} }}\n"
    code("relations-collected", pairs.format(n=20000) + "Notify<| |> -> File<| |>", ("compile",))
    code("relations-collected-plan", pairs.format(n=1500) + "Notify<| |> -> File<| |>", ("plan", "--root", "."))
    code("relations-collected-apply", "Integer[1, 900].each |$i| { notify { \"a${i}\": } notify { \"b${i}\": } }\nNotify<| message == undef |> -> Notify['b1']", ("apply", "--noop", "--root", "."), fails=None)
    code("relations-listed", "$n = Integer[1, 2000].map |$i| { \"n${i}\" } $f = Integer[1, 2000].map |$i| { \"/f${i}\" } notify { $n: } file { $f: } Notify[$n] ~> File[$f]", ("compile",))
    code("relations-catalog", pairs.format(n=20000) + "Notify<| |> -> File<| |>", catalog, fails=True, place=False)
    code("relations-itself", "Integer[1, 3000].each |$i| { notify { \"n${i}\": } } Notify<| |> -> Notify<| |>", ("compile",))
    code("relations-parameter", "$f = Integer[1, 1500].map |$i| { \"/f${i}\" } file { $f: } Integer[1, 1500].each |$i| { notify { \"n${i}\": require => File[$f] } }", ("compile",))
    code("relations-default", "$f = Integer[1, 1500].map |$i| { \"/f${i}\" } file { $f: } Notify { require => File[$f] } Integer[1, 1500].each |$i| { notify { \"n${i}\": } }", ("compile",))
    code("relations-graph-svg", pairs.format(n=400) + "Notify<| |> -> File<| |>", ("graph", "--format", "svg"))
    code("relations-graph-html", pairs.format(n=400) + "Notify<| |> ~> File<| |>", ("graph", "--format", "html"))
    code("relations-graph-dot", pairs.format(n=4000) + "Notify<| |> ~> File<| |>", ("graph", "--format", "dot"))
    case("relations-explain", ["explain", "Notify[n7]", "in.pp"], {"in.pp": pairs.format(n=4000) + "Notify<| |> ~> File<| |>"})
    case("relations-diff", ["diff", "a.pp", "b.pp"], {"a.pp": pairs.format(n=2000) + "Notify<| |> ~> File<| |>", "b.pp": pairs.format(n=2001) + "Notify<| |> ~> File<| |>"})
    code("cycle-long", "Integer[1, 30000].each |$i| { $j = $i % 30000 + 1 notify { \"n${i}\": before => Notify[\"n${j}\"] } }", ("plan", "--root", "."), fails=True, place=False)
    code("cycle-dense", "Integer[1, 600].each |$i| { notify { \"n${i}\": } } Notify<| |> -> Notify<| |>", ("plan", "--root", "."), fails=True)
    code("collector-feeds-itself", "define d() { @notify { \"${title}x\": } } Notify<| |> { message => 'x' } d { 'a': }", ("compile",))
    code("resources", "Integer[1, 100000].each |$i| { file { \"/srv/f${i}\": content => \"text ${i}\", mode => '0644' } }", catalog)
    code("resources-too-many", "Integer[1, 9000000].each |$i| { notify { \"n${i}\": } }", ("compile",), fails=True)
    code("title-long", "notify { sprintf('%900000s', 'x'): }", ("compile",))
    code("tags", "Integer[1, 300].each |$i| { notify { \"n${i}\": tag => Integer[1, 2000].map |$t| { \"t${t}\" } } }", catalog)
    code("content-large", "file { '/a': content => sprintf('%1000000s', 'x') } Integer[1, 200].each |$i| { file { \"/b${i}\": content => sprintf('%1000000s', $i) } }", ("compile",), fails=True)
    code("notices", "Integer[1, 90000000].each |$i| { notice($i) }", fails=True)

    # Templates.
    code("epp-loops", "notice(inline_epp('" + "<% [1, 2, 3, 4, 5, 6, 7, 8].each |$x| { -%>" * 10 + "text" + "<% } -%>" * 10 + "'))", fails=True)
    code("epp-recursion", "function t() { inline_epp('<%= t() %>') } notice(t())", fails=True)
    code("epp-double", lambda: grown("{b} = inline_epp('<%= $a %><%= $a %>', {{ a => {a} }})"), fails=True)
    code("epp-open", lambda: "notice(inline_epp('" + "<% if true { %>" * 60000 + "'))", fails=True)
    for name, text in [
        ("double", "s = 'abcd'; 60.times { s = s + s }"), ("append", "s = 'abcd'; loop { s << s }"),
        ("times", "('x' * 9_000_000_000).size"), ("list", "([1] * 9_000_000_000).size"), ("range", "(1..9_000_000_000).to_a.size"),
        ("sum", "(1..9_000_000_000_000).inject { |a, b| a + b }"), ("permute", "(1..11).to_a.permutation.to_a.size"),
        ("combine", "(1..50).to_a.combination(25).to_a.size"), ("product", "a = (1..200).to_a; a.product(a, a, a).size"),
        ("power", "7 ** (9 ** 9)"), ("square", "x = 9; 50.times { x = x * x }"), ("shift", "1 << 9_000_000_000"),
        ("loop", "loop { }"), ("retry", "begin; raise 'x'; rescue; retry; end"), ("recursion", "def f(x) f([x]) end; f(1)"),
        ("ljust", "'x'.ljust(9_000_000_000)"), ("format", "'%900000000d' % 1"), ("gsub", "s = 'a' * 900; 20.times { s = s.gsub('a', 'aaaa') }"),
        ("flatten", "a = [1]; 60.times { a = [a, a] }; a.flatten.size"), ("inspect", "a = [1]; 60.times { a = [a, a] }; a.inspect.size"),
        ("each-cons", "(1..40000).each_cons(20000).to_a.size"), ("slices", "(1..3000000).each_slice(1).to_a.size"),
        ("split", "('a,' * 5_000_000).split(',').size"), ("scan", "('a' * 9_000_000).scan(/./).size"), ("chars", "('a' * 9_000_000).chars.size"),
        ("hash", "h = {}; 9_000_000.times { |i| h[i] = i.to_s }"), ("pattern", "('x' * 60) =~ /(x+)+y/"), ("self", "a = []; a << a; a.flatten"),
        ("zip", "a = (1..900).to_a; 20.times { a = a.zip(a) }; a.inspect.size"), ("transpose", "([[1] * 3000] * 3000).transpose.flatten.size"),
        ("digits", "('9' * 3_000_000).to_i.to_s.size"),
    ]:
        code(f"erb-{name}", f'notice(inline_template("<%= {text} %>"))')

    # Many errors, and texts that are no program.
    code("errors-many", "$x = ;\n" * 60000, fails=True)
    code("errors-classes", "class a(\n" * 60000, fails=True)
    code("findings-many", lambda: chain("", lambda n: f"$a{n} = $b{n}\n", 40000), ("check",))
    code("quote-open", lambda: "$x = '" + "a" * 9000000, fails=True)
    code("comment-long", lambda: "# " + "a" * 20000000)
    code("comment-open", lambda: "/* " * 3000000, fails=True)
    code("number-long", lambda: "$x = " + "9" * 900000, fails=True)
    code("hex-long", lambda: "$x = 0x" + "f" * 900000, fails=True)
    code("float-long", lambda: "$x = 1e" + "9" * 900000, fails=True)
    code("bytes", lambda: bytes(range(256)) * 4000, fails=True)
    code("nul", b"notice('a\0b')")
    code("heredocs", lambda: "$x = [" + ", ".join(f"@(E{n})" for n in range(9000)) + "]\n" + "".join(f"a\n| E{n}\n" for n in range(9000)))
    code("statements", lambda: chain("", lambda n: f"$v{n} = {n} + 1\n", 200000))
    code("statements-check", lambda: chain("", lambda n: f"$v{n} = {n} + 1 notice($v{n})\n", 60000), ("check",))
    code("parse-large", lambda: chain("", lambda n: f"notify {{ 'n{n}': message => 'x' }}\n", 60000), ("parse",))
    code("parse-json", lambda: chain("", lambda n: f"notify {{ 'n{n}': message => 'x' }}\n", 40000), ("parse", "--format", "json"))
