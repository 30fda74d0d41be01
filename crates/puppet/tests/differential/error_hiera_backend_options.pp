# The YAML backend takes a path and nothing else.

notify { 'key': message => lookup('key') }
