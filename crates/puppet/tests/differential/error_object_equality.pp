type Word = Object[{ constants => { text => 'a' }, equality => [text] }]
notice(Word)
