notify { "${environment} ${server_facts =~ Hash}": }
