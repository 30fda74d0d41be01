node /^(n\w+)\.example/ { notify { "matched ${1}": } }
node default { notify { 'default': } }
