# The keys of a hash in data are texts or numbers.
notify { 'key': message => lookup('key') }
