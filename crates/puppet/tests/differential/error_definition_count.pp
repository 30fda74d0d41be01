type Two = Struct[{ a => Variant[Integer, File['/a', '/b']] }]
notice(Two)
