exec { '/bin/echo out': logoutput => true, loglevel => crit }
exec { '/bin/echo alert': logoutput => true, loglevel => alert }
