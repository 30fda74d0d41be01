notice(Hash(Binary('aaaa')))
