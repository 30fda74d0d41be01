# Both operands are evaluated before either is looked at.
'no reference' -> fail('first')
