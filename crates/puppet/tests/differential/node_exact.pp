node 'other' { notify { 'other': } }
node 'node.example.org', 'second' { notify { 'exact': } }
node default { notify { 'default': } }
