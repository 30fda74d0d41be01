node 'other' { }
node default { notify { "default ${facts['os']['family']}": } }
