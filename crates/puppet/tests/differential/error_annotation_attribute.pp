type Owner = Object[{ parent => Annotation, attributes => { team => String[1] } }]
type Server = Object[{}]
$server = Server({})
Owner.annotate($server, { team => 3 })
