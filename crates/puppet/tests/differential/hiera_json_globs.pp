notify { "${lookup('a')} ${lookup('b')}": }
