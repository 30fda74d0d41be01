}
class a { }
$b = "${c} {"
