$g = ['apple', 'avocado', 'bean'].group_by |$w| { $w[0] }
notify { "${g}": }
