type Owner = Object[{ parent => Annotation, attributes => { team => String[1], since => { type => Integer, value => 2000 } } }]
type Color = Object[{ parent => Annotation, attributes => { name => Enum[red, green] } }]
type Server = Object[{
  annotations => { Owner => { team => 'ops' } },
  attributes => { host => String },
}]
$a = Server('a')
$b = Server('a')
Owner.annotate($a, { team => 'web' })
$found = Owner.annotate($b)
$color = Color.annotate($a) || { { name => red } }
$again = Color.annotate($a) || { { name => green } }
Pcore.annotate($b, { Owner => { team => 'db', since => 2010 }, Color => { name => green } })
$gone = Color.annotate($b, clear)
$rest = Color.annotate($b)
notify {
  'declared': message => "${Owner.annotate(Server)}";
  'given': message => "${Owner.annotate($a)} ${Owner.annotate($b)}";
  'none': message => "<${found}> <${rest}>";
  'kept': message => "${color} ${again} ${gone}";
  'type': message => String(Server);
}
