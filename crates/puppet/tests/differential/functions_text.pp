notify { "${upcase('a')} ${'b'.capitalize} ${' x '.strip} ${'a,b'.split(',')} ${join(['a', 'b'], '-')} ${regsubst('aXb', 'X', '-')} ${sprintf('%05.1f|%-4s|%x', 3.14159, 'a', 255)}": }
