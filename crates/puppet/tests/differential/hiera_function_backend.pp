notify { lookup('fn_key'): }
