# Files and directories below `**` come in turn, by name.
notify { 'first': message => lookup('first') }
notify { 'list': message => lookup('list', Array[String], 'unique') }
