# What iterating over types gives that say nothing of their items.
notice([Iterable[RichData] >= Struct, Iterable[Data] >= Struct, Iterable[Integer] >= Struct])
notice([Iterable[RichData] >= Hash, Iterable[Tuple[String, Integer]] >= Hash, Iterable[Integer] >= Hash])
notice([Iterable[Tuple[Any]] >= Struct, Iterable[Tuple[String, String]] >= Struct, Iterable[Hash] >= Struct])
notice([Iterable[Tuple[String, Any]] >= Struct[{a => Any}], Iterable[RichData] >= Struct[{a => Integer}]])
notice([Iterable[Data] >= Hash[Integer, String], Iterable[Array] >= Hash[Any, Any], Iterable[Init] >= Struct])
