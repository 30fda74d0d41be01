notify { 'a: }
