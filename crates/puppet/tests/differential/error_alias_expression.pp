type Foo = Enum[$facts[os][family]]
notice(Foo)
