class m(Sensitive[String] $secret, Integer $count) { notify { "n ${count} ${secret}": message => $secret } }
