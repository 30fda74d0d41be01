define d { notify { "d ${title}": } }
d { '1': }
notify { 'between': }
d { '2': }
