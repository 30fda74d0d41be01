notify { "${type([1, 'a'])} ${type({ 'a' => 1 })} ${Integer[1, default]} ${Variant[String, Undef]}": }
