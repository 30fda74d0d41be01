node default { $v = 'node'  notify { "block ${site}": } }
class e { notify { "enc sees ${v}": } }
