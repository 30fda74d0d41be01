class m { include m::sub::deep  notify { "module ${module_name}": } }
