$n = Integer('0x1f', 16) + Integer('12') + Integer(3.9)
notify { "${n} ${String(255, '%x')} ${Float('1.5')} ${Boolean('yes')} ${Array({ 'a' => 1 })}": }
