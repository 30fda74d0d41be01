"""Generates expressions of Puppet's language, mostly of a wanted type."""

from tree import Expr, Group, Node, Type

LITERALS = {
    "int": ["0", "1", "2", "3", "7", "10", "-1", "-5", "42", "0x1F", "0755", "0xff", "1000000", "255",
            "9223372036854775807", "-9223372036854775808", "65"],
    "small": ["0", "1", "2", "3", "-1", "-2", "4"],
    "count": ["1", "2", "3", "0"],
    "float": ["1.5", "0.0", "-2.25", "1e10", "1.0e-5", "3.14159", "2.0", "1e300", "100.0", "-0.5", "0.1", "123456789.125", "1E2"],
    "str": ["''", "'a'", "'b'", "'abc'", "'A b'", "'1'", "'0x1F'", "'12.5'", "'true'", '"x\\ty"', "'ü'", "'Hello World'",
            "'1.2.3'", "'/a/b'", '"l1\\nl2"', "'a::b'", "'-7'", "' pad '", "'abcabc'", "'a,b,c'", "'0755'", "'1e3'", "' 12'",
            "'10%'", "'$x'", "'it\\'s'", '"q\\"q"', '"\\u00e9\\u{1F600}"', "'a-b_c'", "'X'", "'0b101'", "'yes'", "'ABC'",
            '"a\\\\b"', "'\\n'", "bare", "word-x", "'foo.bar'", "'undef'", "'default'"],
    "name": ["'a'", "'b'", "'c'", "'abc'", "'n0'"],
    "bool": ["true", "false"],
    "undef": ["undef"],
    "default": ["default"],
    "regex": ["/a/", "/(\\w+)-(\\d+)/", "/^a.*$/", "/(?i:abc)/", "/[[:alpha:]]+/", "/\\d+/", "/x|b/", "/(b)(c)?/", "/\\A\\w/",
              "/[^a-c]/", "/./", "/\\s*,\\s*/", "/l$/", "/(?<n>a)b/", "/\\//"],
    "arr": ["[]", "[1, 2, 3]", "['a', 'b']", "['a', 1, true]", "[1, [2, [3]]]", "[undef, 1]", "[3, 1, 2]", "['b', 'a', 'b']",
            "[[1, 'a'], [2, 'b']]", "[1.5, 2]", "['a', 'B', 'c']", "[{'a' => 1}, {'a' => 2}]", "[[]]", "['1', 1]"],
    "hash": ["{}", "{'a' => 1}", "{'a' => 1, 'b' => 'x'}", "{a => {b => {c => 2}}}", "{1 => 'one', 2 => 'two'}", "{'k' => undef}",
             "{'b' => [1, 2], 'a' => {'z' => true}}", "{[1] => 2}", "{undef => 1}", "{'a' => 'b', 'c' => 'd',}", "{'A' => 1, 'a' => 2}"],
    "timespan": ["Timespan('1-02:03:04')", "Timespan(90)", "Timespan({'hours' => 3, 'milliseconds' => 5})", "Timespan(1.25)",
                 "Timespan(0)", "Timespan(1, 2, 3, 4)", "Timespan('-00:00:10.5', '%H:%M:%S')"],
    "timestamp": ["Timestamp('2020-02-29T12:34:56.789 UTC')", "Timestamp(0)", "Timestamp(1500000000.5)", "Timestamp('1999-12-31')",
                  "Timestamp('2001/02/03', '%Y/%m/%d')"],
    "semver": ["SemVer('1.2.3')", "SemVer('1.0.0-rc1')", "SemVer('2.0.0+build.5')", "SemVer(1, 2, 3)", "SemVer(0, 1, 0, 'alpha.1')"],
    "range": ["SemVerRange('>=1.0.0 <2.0.0')", "SemVerRange('~1.2')", "SemVerRange('1.x')", "SemVerRange('^1.2.3')"],
    "binary": ["Binary('aGVsbG8=')", "Binary('héllo', '%s')", "Binary([1, 2, 255])", "Binary('')"],
    "sens": ["Sensitive('secret')", "Sensitive(1)", "Sensitive([1, 2])", "Sensitive(undef)"],
    "uri": ["URI('http://u:p@example.com:8080/a/b?q=1#f')", "URI('file:///tmp')", "URI('mailto:x@y')"],
    "ref": ["File['/tmp/x']", "Notify['a']", "Class['c0']", "D0['t']", "Package['p', 'q']", "Notify[a]", "Resource['File', 'x']"],
}

FORMATS = ["%d", "%s", "%p", "%x", "%X", "%o", "%b", "%f", "%e", "%g", "%a", "%c", "%#x", "%#o", "%#b", "%+d", "%05d", "%-6d",
           "% d", "%.3f", "%10.2f", "%-10s", "%10s", "%.2s", "%#s", "%#p", "%t", "%y", "%B", "%i", "%u", "%E", "%G", "%n", "%v",
           "%m", "%T", "%Y", "%D", "%#d", "%#X", "%08.3f", "%+.2e", "%h", "%#h", "%q", "%[a", "%{h", "%(a", "%|a", "%<a", "% a", "%#a",
           "%S", "%u", "%C", "%r", "%#r", "%A", "%5p", "%-5p", "%.1p", "%M", "%z"]

# Functions: result, name, parameters. `?` marks optional ones, `f1` is a lambda of one parameter,
# `/` separates alternative types.
FUNCTIONS = """
num abs num
arr any? all
bool all coll f12
bool any coll f12
any assert_type type any
any assert_type type any f2
any assert_type typestr any
str camelcase str/arr
str capitalize str/arr
int ceiling num
str chomp str
str chop str
int compare str/num str/num
int compare str str bool
int compare timespan/timestamp/semver timespan/timestamp/semver
any convert_to any type
any convert_to any type f1
str downcase str/arr/hash
any dig hash/arr name/small
any dig hash/arr name/small name/small
any each coll f12
bool empty any
coll filter coll f12
arr flatten arr any?
int floor num
any get hash/arr dotted
any get hash/arr dotted any
any get hash/arr dotted any f2
hash group_by coll f12
any index coll f12
any index coll/str any
str join arr str?
arr keys hash
int length str/arr/hash/binary
any lest any f0
any then any f1
any then undef f1
str lstrip str/arr
str rstrip str/arr
str strip str/arr
arr map coll f12
any match str regex/type/str
any match arr regex/arr
any max num num num?
any max arr
any min num/str num/str
any min coll
arr partition coll f12
any reduce arr f2
any reduce coll any f2
str regsubst str/arr regex/str str
str regsubst str/arr regex/str repl flags?
arr reverse_each coll
arr reverse_each coll f1
int round num
arr scanf str scan
arr scanf str scan f1
str shellquote str/int str/arr?
int size str/arr/hash/binary
arr slice coll count
arr slice coll count f12
arr sort arr
arr sort arr/str f2
arr split str str/regex
arr split str str/regex bool
arr split sens str/regex
str sprintf format any
str sprintf format any any
str sprintf hformat hash
arr step arr/range count
arr step coll count f1
str strftime timespan/timestamp timeformat
str strftime timestamp timeformat tz
arr tree_each arr/hash treeopts?
any tree_each arr/hash treeopts f12
any tree_each coll f12
type type any infer?
coll unique str/arr/hash
coll unique coll f1
any unwrap any
any unwrap sens
any unwrap sens f1
str upcase str/arr
arr values hash
int versioncmp str str bool?
any with any f1
any with any any f2
str md5 str/sens
str sha1 str
str sha256 str
bool defined type/str/ref
any getvar varname any?
int fqdn_rand count str?
str String any
str String any fmt
str String any fmtmap
int Integer any
int Integer str radix bool?
num Numeric any bool?
float Float any bool?
bool Boolean any
arr Array any bool?
hash Hash any
hash Hash any treekind
any Optional any
regex Regexp str bool?
regex Regexp regex
type Type any
type Type str
any new type any
any new type any any
any new typestr any
any call funname any
any call funname coll f1
any break
any next any?
any return any?
any fail str
any inline_epp epp hash?
any convert_to any type any
any lookup name
any lookup name type?
arr sort any
""".strip().splitlines()

CONVERSIONS = {
    "coll": ["arr", "arr", "arr", "hash", "hash", "str", "int", "rangetype", "type"],
    "num": ["int", "int", "float"],
}
ANY = ["int", "int", "float", "str", "str", "str", "bool", "undef", "default", "regex", "arr", "arr", "hash", "hash", "type", "timespan",
       "timestamp", "semver", "range", "binary", "sens", "uri", "ref"]

SIMPLE_TYPES = ["Any", "Integer", "Float", "String", "Boolean", "Undef", "Scalar", "ScalarData", "Data", "RichData", "Numeric", "Collection",
                "Array", "Hash", "Tuple", "Struct", "Variant", "Optional", "NotUndef", "Enum", "Pattern", "Regexp", "Type", "Callable", "Default",
                "Sensitive", "Timespan", "Timestamp", "SemVer", "SemVerRange", "Binary", "URI", "Iterable", "Iterator", "CatalogEntry",
                "Resource", "Class", "File", "Notify", "Runtime", "Unit", "Init", "Object", "TypeSet", "Error", "Deferred", "Target", "RichDataKey"]


class Expressions:
    """Generates expressions; `random` is the only source of chance."""

    def __init__(self, random, wrong=0.06):
        self.random, self.wrong = random, wrong
        self.variables = []  # pairs of name and kind
        self.functions = []  # names with numbers of parameters
        self.aliases = []
        self.by_result = {}
        for line in FUNCTIONS:
            result, name, *takes = line.split()
            self.by_result.setdefault(result, []).append((name, takes))
            if result in ("int", "float"):
                self.by_result.setdefault("num", []).append((name, takes))
            if result in ("arr", "hash"):
                self.by_result.setdefault("coll", []).append((name, takes))
            self.by_result.setdefault("any", []).append((name, takes))

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, p):
        return self.random.random() < p

    def expr(self, kind="any", depth=3):
        if self.chance(self.wrong):
            kind = "any"
        if "/" in kind:
            kind = self.pick(kind.split("/"))
        kind = self.pick(CONVERSIONS.get(kind, [kind]))
        if kind == "any":
            kind = self.pick(ANY)
        special = getattr(self, "the_" + kind, None)
        if special:
            return special(depth)
        if depth <= 0 or self.chance(0.25):
            return self.leaf(kind)
        options = [self.call, self.call, self.operator, self.operator, self.structure, self.control, self.access]
        return self.pick(options)(kind, depth - 1)

    def leaf(self, kind):
        fitting = [name for name, of in self.variables if of in (kind, "any")]
        if fitting and self.chance(0.4):
            return Expr("$" + self.pick(fitting))
        if kind not in LITERALS:
            return self.expr(kind, 0) if hasattr(self, "the_" + kind) else Expr(self.pick(LITERALS["str"]))
        return Expr(self.pick(LITERALS[kind]))

    # Literals with structure

    def structure(self, kind, depth):
        if kind == "arr":
            items = [self.item(depth) for _ in range(self.random.randint(0, 4))]
            return Expr("[", Group(", ", items), "]")
        if kind == "hash":
            entries = [Node(self.expr(self.pick(["name", "name", "int", "any"]), 0), " => ", self.expr("any", depth))
                       for _ in range(self.random.randint(0, 4))]
            return Expr("{", Group(", ", entries), "}")
        if kind == "str":
            return self.interpolated(depth)
        return self.leaf(kind)

    def item(self, depth):
        if self.chance(0.1):
            return Node("*", self.expr("coll", depth))
        return self.expr("any", depth)

    def interpolated(self, depth):
        if self.chance(0.2):
            return self.heredoc(depth)
        parts = [self.string_part(depth) for _ in range(self.random.randint(1, 4))]
        return Expr('"', Group("", parts), '"')

    def string_part(self, depth):
        plain = ["a", " ", "x-", "\\n", "\\t", "\\$", "\\\\", "ü", "'", "${", "$", "\\u00e9", "#", "::", ".", "[0]", "->", "\\s", "\\d", "{", "}"]
        weights = self.random.random()
        if weights < 0.35:
            text = self.pick(plain)
            return Node("\\${" if text == "${" and self.chance(0.8) else text)
        names = [name for name, _ in self.variables] or ["x"]
        name = self.pick(names)
        if weights < 0.45:
            return Node("$" + name, self.pick(["", " ", "x", "[0]", ".b", "::", "-"]))
        if weights < 0.6:
            return Node("${" + name, self.pick(["", "", "[0]", "['a']", ".length", ".map |$q| { $q }", "[1, 2]", ".upcase.size", " + 1", "[a]", "['a']['b']"]), "}")
        return Node("${", self.expr("any", depth), "}")

    def heredoc(self, depth):
        quoted = self.chance(0.6)
        flags = self.pick(["", "", "/", "/t", "/n", "/L", "/ts", "/$", "/tn$L", "/u", "/r", "/s", "/tnrsuL$"])
        syntax = self.pick(["", "", "", ":json", ":x"]) if self.chance(0.15) else ""
        tag = f'"END"{syntax}{flags}' if quoted else f"END{syntax}{flags}"
        body = []
        for _ in range(self.random.randint(0, 3)):
            parts = [self.pick(["a", "  b", "\\t", "\\n", "$x", "\\$y", "\\u00e9", "\t", "c\\", " ", "|", "'q\"", "\\\\", "[", "1"])
                     for _ in range(self.random.randint(0, 4))]
            if self.chance(0.3) and depth > 0:
                parts.append(Node("${", self.simple(depth - 1), "}"))
            body.append(Node(self.pick(["", "  ", "    "]), Group("", parts), "\n"))
        end = self.pick(["END", "  END", "| END", "  | END", "|- END", "  |-END", "- END", "  -END"])
        return Expr("@(", tag, ")\n", Group("", body), end, "\n")

    def simple(self, depth):
        return Expr(self.pick(["$x", "1 + 1", "'a'", "[1,2].map |$v| { $v }", "{'a'=>1}"]))

    # Special kinds

    def the_type(self, depth):
        return Expr(self.type(depth))

    def the_rangetype(self, depth):
        low = self.random.randint(-3, 3)
        return Expr(f"Integer[{low}, {low + self.random.randint(-1, 6)}]")

    def the_typestr(self, depth):
        return Expr("'", self.type(min(depth, 1)), "'") if self.chance(0.5) else self.the_type(depth)

    def the_dotted(self, depth):
        return Expr(self.pick(["'a'", "'a.b'", "'a.b.c'", "'0'", "'1.0'", "'b.1'", "'\"a\".b'", "'x'", "''", "'a..b'", "'0.a'", "a", "'a.b.0'"]))

    def the_repl(self, depth):
        return Expr(self.pick(["'\\\\1-\\\\2'", "'<\\\\0>'", "''", "'X'", "'\\\\\\\\'", '"\\\\1"', "'\\\\k<n>'", "'$1'", "'\\1'", "\"\\\\0\\\\0\""]))

    def the_flags(self, depth):
        return Expr(self.pick(["'G'", "'I'", "'GI'", "'E'", "'M'", "'GIM'", "''", "['G', 'I']", "undef", "'x'"]))

    def the_scan(self, depth):
        return Expr(self.pick(["'%d'", "'%s'", "'%i.%i.%i'", "'%f'", "'%x'", "'%3s%d'", "'%c'", "'%*d %s'", "'%[a-c]'", "'%s %s'", "'%o'", "'a%d'", "'%%'", "'%e'", "'%5c'"]))

    def the_format(self, depth):
        count = self.random.randint(0, 2)
        return Expr("'", "".join(self.pick(["", "x ", "%% ", "=", ": "]) + self.random_format() for _ in range(count)), "'")

    def random_format(self):
        if self.chance(0.5):
            return self.pick(FORMATS[:40])
        flags = "".join(self.pick("#+- 0") for _ in range(self.random.randint(0, 2)))
        width = self.pick(["", "", "1", "5", "12"])
        precision = self.pick(["", "", ".0", ".2", ".10", "."])
        return "%" + flags + width + precision + self.pick("dduxXobBfeEgGaAcsspi%")

    def the_hformat(self, depth):
        return Expr(self.pick(["'%<a>d'", "'%{a}'", "'%{a} %{b}'", "'%<a>s|%<b>5s'", "'%<a>#x'", "'%-10<a>s.'", "'%{c}'", "'%<a>.2f %%'"]))

    def the_fmt(self, depth):
        return Expr("'", self.pick(FORMATS) if self.chance(0.6) else self.random_format(), "'")

    def the_fmtmap(self, depth):
        def entry():
            kind = self.pick(["Integer", "Float", "String", "Array", "Hash", "Boolean", "Undef", "Any", "Default", "Numeric", "Collection", "Object",
                              "Regexp", "Timestamp", "Timespan", "Type", "Sensitive", "Binary", "Scalar", "Integer[0, 5]"])
            if self.chance(0.35):
                keys = [Node(key, " => ", value) for key, value in (
                    ("'format'", self.pick(["'%#a'", "'%a'", "'%(a'", "'%h'", "'%#h'", "'%{h'", "'%s'", "'%p'", "'%[a'", "'%d'", "'% a'", "'%<a'"])),
                    ("'separator'", self.pick(["';'", "', '", "''", "\"\\n\""])), ("'separator2'", self.pick(["': '", "'='"])),
                    ("'string_formats'", self.pick(["{Integer => '%x'}", "{String => '%s'}", "{Any => '%p'}", "{Array => '%#(a'}", "{Hash => '%(h'}"])))
                    if key == "'format'" or self.chance(0.5)]
                return Node(kind, " => {", Group(", ", keys), "}")
            return Node(kind, " => ", self.the_fmt(0))
        return Expr("{", Group(", ", [entry() for _ in range(self.random.randint(1, 3))]), "}")

    def the_timeformat(self, depth):
        directives = ["%Y", "%m", "%d", "%H", "%M", "%S", "%L", "%N", "%3N", "%j", "%a", "%A", "%b", "%B", "%p", "%I", "%y", "%C", "%e", "%l", "%z",
                      "%:z", "%Z", "%s", "%F", "%T", "%D", "%%", "%-d", "%_5S", "%010H", "%c", "%x", "%X", "%u", "%w", "%U", "%V", "%G", "%n", "%t",
                      "%-H", "%_H", "%6N", "%^a", "%#p", "%Q", "%+", "%h", "%r", "%R", "%v"]
        return Expr("'", " ".join(self.pick(directives) for _ in range(self.random.randint(0, 3))), "'")

    def the_tz(self, depth):
        return Expr(self.pick(["'UTC'", "'GMT'", "'+02:00'", "'PST'", "'current'", "'EST'", "'-0330'", "'xyz'", "default"]))

    def the_treeopts(self, depth):
        return Expr(self.pick(["{}", "{order => breadth_first}", "{'include_root' => false}", "{include_containers => false}", "{include_values => false}",
                               "{include_refs => true}", "{container_type => Array}", "{order => 'depth_first', include_root => true}", "{x => 1}"]))

    def the_infer(self, depth):
        return Expr(self.pick(["'generalized'", "'reduced'", "'detailed'", "generalized", "'x'"]))

    def the_varname(self, depth):
        return Expr(self.pick(["'x'", "'x.a'", "'x.0.b'", "'facts'", "'facts.os.family'", "'nope'", "'::x'", "'a::b'", "'x.\"a\"'", "'1'", "'X'"]))

    def the_radix(self, depth):
        return Expr(self.pick(["2", "8", "10", "16", "default", "7"]))

    def the_treekind(self, depth):
        return Expr(self.pick(["'tree'", "'hash_tree'", "'x'"]))

    def the_funname(self, depth):
        names = [name for name, _ in self.functions]
        return Expr("'", self.pick(["length", "map", "notice", "upcase", "nope", "type", "size", *names]), "'")

    def the_epp(self, depth):
        texts = ["a<%= $x %>b", "<%- |$p = 1| -%>v=<%= $p %>\\n", "<% [1,2].each |$i| { %>i<%= $i %><% } %>", "<%# c %>x", "<%% y %%>", "  <%- if true { -%>\\n  t\\n  <%- } -%>\\nz",
                 "<%= 1 + %>", "<%- |String $p, $q = 2| -%><%= $p %><%= $q %>", "<%= $nope %>", "<%= 'a' -%>\\n b", "<% $z = 1 %><%= $z %>", "plain", ""]
        return Expr("'", self.pick(texts).replace("'", "\\'"), "'") if self.chance(0.5) else Expr('"', self.pick(texts).replace("$", "\\$"), '"')

    def lambda_(self, counts, depth, body_kind="any"):
        count = int(self.pick(counts))
        if self.chance(0.04):
            count = self.random.randint(0, 3)
        start = len(self.variables)
        names = [f"{self.pick('kvqz')}{n}" for n in range(count)]
        params = []
        for name in names:
            prefix = "" if self.chance(0.9) else f"{self.type(1)} "
            suffix = "" if self.chance(0.95) else " = 1"
            params.append(f"{prefix}${name}{suffix}")
            self.variables.append((name, "any"))
        if params and self.chance(0.04):
            params[-1] = f"*${names[-1]}"
        result = f" >> {self.type(1)}" if self.chance(0.02) else ""
        body = [self.expr(body_kind, depth)]
        if self.chance(0.1):
            body.insert(0, Node("$lv = ", self.expr("any", 1), "\n"))
        if self.chance(0.05):
            body.insert(0, Node("if ", self.expr("bool", 1), " { ", self.pick(["next", "break", "return", "next", "next"]), "(", self.expr("any", 0), ") }\n"))
        del self.variables[start:]
        return Node(" |", ", ".join(params), f"|{result} {{ ", Group(" ", body, 1), " }")

    # Types

    def type(self, depth=2):
        if self.aliases and self.chance(0.15):
            return Type(self.pick(self.aliases))
        if depth <= 0 or self.chance(0.25):
            return Type(self.pick(SIMPLE_TYPES[:31] if self.chance(0.85) else SIMPLE_TYPES))
        sub = lambda: self.type(depth - 1)
        integer = lambda: self.pick(["0", "1", "2", "3", "5", "-1", "default", "10"])
        makers = {
            "Integer": lambda: [Group(", ", [integer(), integer()][:self.random.randint(1, 2)])],
            "Float": lambda: [Group(", ", [self.pick(["0.0", "1.5", "default", "2", "-1.0"]), self.pick(["3.5", "default", "10"])][:self.random.randint(1, 2)])],
            "String": lambda: [Group(", ", [integer(), integer()][:self.random.randint(1, 2)])] if self.chance(0.8) else [self.pick(["'a'", "String", "''"])],
            "Array": lambda: [Group(", ", [sub(), integer(), integer()][:self.random.randint(1, 3)], 1)],
            "Hash": lambda: [Group(", ", [sub(), sub(), integer(), integer()][:self.random.randint(2, 4)], 1)],
            "Collection": lambda: [Group(", ", [integer(), integer()][:self.random.randint(1, 2)])],
            "Tuple": lambda: [Group(", ", [sub() for _ in range(self.random.randint(1, 3))] + [integer(), integer()][:self.pick([0, 0, 1, 2])], 1)],
            "Struct": lambda: ["{", Group(", ", [Node(self.pick(["'a'", "'b'", "c", "Optional['d']", "NotUndef['e']", "Optional[f]"]), " => ", sub())
                                                 for _ in range(self.random.randint(0, 3))]), "}"],
            "Variant": lambda: [Group(", ", [sub() for _ in range(self.random.randint(1, 3))], 1)],
            "Optional": lambda: [sub() if self.chance(0.85) else "'a'"],
            "NotUndef": lambda: [sub() if self.chance(0.85) else "'a'"],
            "Enum": lambda: [Group(", ", [self.pick(["'a'", "'b'", "'abc'", "c", "true", "'A'"]) for _ in range(self.random.randint(1, 3))], 1)],
            "Pattern": lambda: [Group(", ", [self.pick(["/a/", "/^b/", "'c'", "Regexp[/x/]", "/\\d+/", "Pattern[/y/]"]) for _ in range(self.random.randint(1, 2))], 1)],
            "Regexp": lambda: [self.pick(["/a/", "'b'", "/\\d/"])],
            "Type": lambda: [sub()], "Sensitive": lambda: [sub()], "Iterable": lambda: [sub()], "Iterator": lambda: [sub()],
            "Callable": lambda: [Group(", ", [sub() for _ in range(self.random.randint(0, 2))] + [integer(), integer()][:self.pick([0, 0, 0, 1, 2])]
                                       + self.pick([[], [], ["Callable[1]"], ["Optional[Callable]"]]), 1)],
            "Timespan": lambda: [Group(", ", [self.pick(["'0-01:00:00'", "1", "default"]), self.pick(["'2-00:00:00'", "7200", "default"])][:self.random.randint(1, 2)])],
            "Timestamp": lambda: [Group(", ", [self.pick(["'2000-01-01'", "0", "default"]), self.pick(["'2020-01-01'", "default", "1500000000"])][:self.random.randint(1, 2)])],
            "SemVer": lambda: [Group(", ", [self.pick(["'1.x'", "'>=1.0.0'", "SemVerRange('2.x')"]) for _ in range(self.random.randint(1, 2))], 1)],
            "URI": lambda: [self.pick(["'http://a.b/'", "{'scheme' => 'http'}", "URI('file:///x')"])],
            "Class": lambda: [self.pick(["'c0'", "c1", "'nope'", "'c0', 'c1'"])],
            "Resource": lambda: [self.pick(["'File'", "File", "'file', '/x'", "'nope'"])],
            "File": lambda: [self.pick(["'/a'", "a", "'/a', '/b'"])],
            "Notify": lambda: [self.pick(["'a'", "b", "1"])],
            "Init": lambda: [Group(", ", [sub(), self.pick(["16", "'x'", "true"])][:self.pick([1, 1, 2])], 1)],
            "Runtime": lambda: [self.pick(["'ruby', 'X'", "ruby, 'Symbol'", "'go', 'x'"])],
            "Object": lambda: ["{", Group(", ", [self.pick(["attributes => {a => Integer}", "name => 'N'", "attributes => {b => {type => String, value => 'x'}}",
                                                           "functions => {f => Callable}", "constants => {c => 1}", "equality => [a]", "parent => Object", "x => 1"])
                                               for _ in range(self.random.randint(0, 2))]), "}"],
            "Boolean": lambda: [self.pick(["true", "false"])],
            "Undef": lambda: [sub()],
        }
        name = self.pick(list(makers))
        if name in ("Object", "Runtime", "Init", "Undef", "URI") and self.chance(0.7):
            name = self.pick(["Integer", "Array", "Variant", "Struct"])
        return Type(name, "[", *makers[name](), "]")

    # Operators, calls, control

    def operator(self, kind, depth):
        sub = lambda of: self.operand(of, depth)
        arithmetic = ["+", "-", "*", "/", "%", "<<", ">>"]
        if kind in ("int", "float"):
            if self.chance(0.1):
                return Expr("-", sub("num"))
            return Expr(sub("num"), f" {self.pick(arithmetic)} ", sub("num"))
        if kind == "arr":
            return Expr(sub("arr"), f" {self.pick(['+', '-', '<<', '+', '-'])} ", sub("any/arr/arr/hash"))
        if kind == "hash":
            return Expr(sub("hash"), f" {self.pick(['+', '-', '+'])} ", sub("hash/hash/arr/name"))
        if kind == "bool":
            choice = self.random.randint(0, 6)
            if choice == 0:
                return Expr("!", sub("any/bool"))
            if choice == 1:
                return Expr(sub("bool/any"), self.pick([" and ", " or "]), sub("bool/any"))
            if choice == 2:
                same = self.pick(["num", "str", "type", "timespan", "timestamp", "semver", "any"])
                return Expr(sub(same), f" {self.pick(['<', '<=', '>', '>='])} ", sub(same))
            if choice == 3:
                return Expr(sub("any"), f" {self.pick(['=~', '!~'])} ", sub("type/type/regex/str/range"))
            if choice == 4:
                return Expr(sub("any"), " in ", sub("arr/hash/str/type/any"))
            same = self.pick(["num", "str", "any", "arr", "hash", "type"])
            return Expr(sub(same), f" {self.pick(['==', '!='])} ", sub(same))
        if kind in ("timespan", "timestamp"):
            return Expr(sub("timespan/timestamp/num"), f" {self.pick(['+', '-', '*', '/', '%'])} ", sub("timespan/timestamp/num"))
        if kind == "binary":
            return Expr(sub("binary"), " + ", sub("binary/str"))
        if self.chance(0.15):
            return Expr(sub("any"), f" {self.pick(arithmetic)} ", sub("any"))
        if self.chance(0.15):
            return Expr("(", self.expr(kind, depth), ")")
        return self.call(kind, depth)

    def operand(self, kind, depth):
        made = self.expr(kind, depth)
        text = str(made)
        if any(c in text for c in " \n") and not text.endswith("]") and self.chance(0.85):
            return Expr("(", made, ")")
        return made

    def call(self, kind, depth):
        if self.functions and self.chance(0.15):
            name, count = self.pick(self.functions)
            if self.chance(0.05):
                count += self.pick([-1, 1])
            return Expr(name, "(", Group(", ", [self.expr("any", depth) for _ in range(count)]), ")")
        options = self.by_result.get(kind)
        if not options or self.chance(0.1):
            options = self.by_result["any"]
        name, takes = self.pick(options)
        if name in ("break", "next", "return", "fail") and self.chance(0.7):
            name, takes = self.pick(options)
        args, block = [], ""
        for take in takes:
            if take.startswith("f") and take[1:].isdigit():
                body = "bool" if name in ("filter", "any", "all", "partition", "index") and self.chance(0.8) else "any"
                block = self.lambda_(take[1:], depth, body)
                continue
            if take.endswith("?"):
                if self.chance(0.5):
                    continue
                take = take[:-1]
            args.append(self.expr(take, depth - len(takes) // 2))
        if self.chance(self.wrong / 2):
            args = args[1:] if self.chance(0.5) else [*args, self.expr("any", 0)]
        if self.chance(self.wrong / 4):
            block = "" if block else self.lambda_("1", 0)
        if args and self.chance(0.4) and name[0].islower():
            rest = args[1:]
            receiver = self.operand_for_dot(args[0])
            if not rest and self.chance(0.7):
                return Expr(receiver, ".", name, block)
            return Expr(receiver, ".", name, "(", Group(", ", rest), ")", block)
        if args and self.chance(0.03):
            args[-1] = Node("*", args[-1])
        return Expr(name, "(", Group(", ", args), ")", block)

    def operand_for_dot(self, made):
        text = str(made)
        if text[:1] in "-!*" or " " in text and text[-1] not in ")]}" or text[:1].isdigit() and self.chance(0.5) or "\n" in text or any(op in text for op in (" + ", " ? ", " == ", " - ")):
            return Expr("(", made, ")")
        return made

    def access(self, kind, depth):
        target = self.operand_for_dot(self.expr("arr/arr/hash/hash/str/type/any", depth))
        keys = [self.expr("small/small/name/any", 0 if self.chance(0.8) else depth) for _ in range(self.pick([1, 1, 1, 2]))]
        return Expr(target, "[", Group(", ", keys, 1), "]")

    def control(self, kind, depth):
        choice = self.random.randint(0, 4)
        sub = lambda: self.expr(kind, depth)
        if choice == 0:
            branches = [Node("if ", self.expr("bool", depth), " { ", sub(), " }")]
            if self.chance(0.3):
                branches.append(Node(" elsif ", self.expr("bool", depth), " { ", sub(), " }"))
            if self.chance(0.7):
                branches.append(Node(" else { ", sub(), " }"))
            return Expr("(", *branches, ")") if self.chance(0.1) else Expr(*branches)
        if choice == 1:
            otherwise = Node(" else { ", sub(), " }") if self.chance(0.6) else ""
            return Expr("unless ", self.expr("bool/any", depth), " { ", sub(), " }", otherwise)
        options = [Node(Group(", ", [self.option(depth) for _ in range(self.pick([1, 1, 1, 2]))], 1), None, None) for _ in range(self.random.randint(1, 3))]
        if choice == 2:
            cases = [Node(option.parts[0], ": { ", sub(), " }") for option in options]
            if self.chance(0.6):
                cases.append(Node("default: { ", sub(), " }"))
            return Expr("case ", self.expr("any", depth), " { ", Group(" ", cases, 1), " }")
        arms = [Node(self.option(depth), " => ", sub()) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.6):
            arms.append(Node("default => ", sub()))
        return Expr(self.operand(self.pick(["any", "str", "int"]), depth), " ? { ", Group(", ", arms, 1), " }")

    def option(self, depth):
        if self.chance(0.1):
            return Node("*", self.expr("arr", min(depth, 1)))
        return self.expr(self.pick(["str", "int", "regex", "type", "any", "arr", "hash", "undef", "bool"]), min(depth, 1))
