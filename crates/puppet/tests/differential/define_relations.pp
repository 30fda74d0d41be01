define d { notify { "d ${title}": } }
d { 'a': } -> d { 'b': } ~> notify { 'end': }
