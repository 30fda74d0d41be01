notify { 'w': loglevel => warning }
notify { 'c': loglevel => crit, withpath => true }
