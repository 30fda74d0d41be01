$x = fqdn_rand(-7)
