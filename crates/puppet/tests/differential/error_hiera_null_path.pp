# A path has to be a text.
notify { 'key': message => lookup('key') }
