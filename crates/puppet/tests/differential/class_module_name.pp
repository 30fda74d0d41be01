class m { notify { "name ${name} title ${title} module ${module_name} caller ${caller_module_name}": } }
class m::sub { include m notify { "sub ${module_name}": } }
include m::sub
