notify { 'n': message => inline_template('<%= scope.call_function("fail", ["boom"]) %>') }
