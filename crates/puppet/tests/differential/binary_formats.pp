# Bytes as text: the alternative form shows those beyond ASCII as numbers.
$b = Binary('héllo #{x} "q"', '%s')
$odd = Binary('AAECAxsfICF/gP8=')
notice(String($b, '%s'), String($b, '%#s'), String($b, '%#20.5s'), String($b, '%-60sx'))
notice(String($odd, '%#s'), String($odd, '%b'), String($odd, '%#B'), String($odd, '%u'), String($odd, '%10.2p'))
notice(String([$b], { Array => { 'format' => '%a', 'string_formats' => { Binary => '%#s' } } }))
notify { 'b': message => String(Binary('/w=='), '%#s') }
