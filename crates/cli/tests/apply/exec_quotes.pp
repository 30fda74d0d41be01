exec { "/bin/sh -c 'echo \"it is\" >> /w/log'": }
