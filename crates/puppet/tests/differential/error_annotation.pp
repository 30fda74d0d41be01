type Owner = Object[{ parent => Annotation, attributes => { team => String[1] } }]
type Server = Object[{ annotations => { Owner => { team => 'ops' } } }]
notice(Owner.annotate(Server, clear))
