type Two = Optional[Hash[Integer]]
notice(Two)
