type Owner = Object[{ attributes => { team => String[1] } }]
type Server = Object[{ annotations => { Owner => { team => 'ops' } } }]
notice(Server)
