# An object type without anything is `Object`; one without a name takes parameters as that does.
notice(Object[{}] == Object, Object[undef] == Object, Object[{ attributes => {} }] == Object, [Object[{}], Object].unique.size)
notice(assert_type(Object[{}], Any), Deferred('a') =~ Object[{}], 1 =~ Object[{}])
notice(Object[{ name => 'A' }] <= Object[{}], Object[{ attributes => { a => Integer } }] <= Object[{}])
notice(Object['A'], Object[{}]['A::B'], Object[{}][undef], Object[{ attributes => { a => Integer } }][{}])
