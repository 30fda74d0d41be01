$list = ['a', 'b']
case 'b' { *$list: { notify { 'in list': } } default: { notify { 'not': } } }
