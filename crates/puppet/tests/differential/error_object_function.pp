type Word = Object[{ attributes => { text => String }, functions => { repeat => Callable[Integer] } }]
notice(Word('a').repeat(1, 2))
