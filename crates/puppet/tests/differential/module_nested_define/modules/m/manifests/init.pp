class m { define tool { notify { "${module_name} ${title} ${caller_module_name}": } } }
