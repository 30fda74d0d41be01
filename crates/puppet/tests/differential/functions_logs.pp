notice('a', 1, [2, { 'b' => 3 }])
warning('careful')
info('told')
err("bad ${1.0}")
