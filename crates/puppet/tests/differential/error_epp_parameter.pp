notify { epp('m/t.epp', { 'wrong' => 1 }): }
