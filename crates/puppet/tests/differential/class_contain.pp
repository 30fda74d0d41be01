class inner { notify { 'i': } }
class outer { contain inner  notify { 'o': } }
include outer
notify { 'before': } -> Class['outer'] -> notify { 'after': }
