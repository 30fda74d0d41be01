# Expressions that are not ASCII show their options.
notice(/é/, "${/é/}", String(/é/), Regexp('é'), type(/é/))
notice("${/(?i)é/} ${/(?i:é)/} ${/(?mix:é)/} ${/(?-m:é)(b)/} ${/é\/x/}")
notice(/a/, String(/a/), "${/\p{L}/}", "${/\u00e9/}")
notice(Pattern[/é/, 'a'], /é/ == Regexp('é'), regsubst('été', /é/, 'e', 'G'))
notify { 'a': message => /é/ }
notify { 'b': message => Regexp[/é/] }
notify { 'c': message => Pattern[/é/, 'a'] }
