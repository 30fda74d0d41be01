unless false { notify { 'yes': } } else { notify { 'no': } }
if '' { notify { 'empty is true': } }
if undef { notify { 'undef is true': } } elsif 0 { notify { 'zero is true': } }
