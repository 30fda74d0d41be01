# Nothing is written where options of lookups, the hierarchy and the defaults may stand.
notify { 'key': message => lookup('key') }
