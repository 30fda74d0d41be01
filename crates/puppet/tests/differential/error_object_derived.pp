type Word = Object[{ attributes => { text => String, loud => { type => String, kind => derived } } }]
notice(Word('a').loud)
