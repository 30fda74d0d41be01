type Foo = Integer[1 + 1 * 2]
notice(Foo)
