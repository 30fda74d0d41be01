notify { "${scanf('12 ab', '%d %s')} ${compare('a', 'b')} ${lstrip('  a')} ${camelcase('a_b')} ${round(2.5)} ${abs(-3)} ${floor(-1.5)} ${ceiling(1.2)}": }
