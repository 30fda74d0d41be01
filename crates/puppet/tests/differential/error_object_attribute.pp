type Word = Object[{ attributes => { text => { type => String, kind => computed } } }]
notice(Word)
