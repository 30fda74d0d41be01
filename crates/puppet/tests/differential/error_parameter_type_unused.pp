# The types of parameters are evaluated when the text is loaded.
notice('never said')
class never(Nope $x) { }
