notify { ['p', 'q']: }
$both = Notify['p', 'q']
$both { message => 'both' }
