service { 'peer-nosuch': enable => true }
