notify { 'a': alias => [{ 'x' => undef }] }
notify { 'b': alias => { 'x' => undef } }
