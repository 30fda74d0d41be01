if 'abc-def' =~ /(\w+)-(\w+)/ { notify { "${1} ${2}": } }
case 'x12' { /(\d+)/: { notify { "number ${1}": } } default: { } }
notify { "after ${1}.": }
