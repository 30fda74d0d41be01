define outer { inner { "${title}-a": }  inner { "${title}-b": } }
define inner { notify { $title: } }
outer { 'x': }
