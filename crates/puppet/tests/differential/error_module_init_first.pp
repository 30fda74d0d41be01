# `init.pp` of the module is loaded before the file that has the class.
include broken::part
