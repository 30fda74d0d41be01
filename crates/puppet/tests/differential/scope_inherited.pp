class base { $v = 'base' }
class child inherits base { notify { "child ${v}": } }
include child
