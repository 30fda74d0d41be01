type Word = Object[{ attributes => { text => { type => String, final => true } } }]
type Name = Object[{ parent => Word, attributes => { text => { type => String, override => true } } }]
notice(Name)
