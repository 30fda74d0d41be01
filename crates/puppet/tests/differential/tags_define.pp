define m::d { notify { "n ${title}": } }
m::d { 'T': tag => ['One', 'two::three'] }
