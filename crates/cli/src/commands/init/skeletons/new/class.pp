# Describe the purpose of the class here.
class {full} {}
