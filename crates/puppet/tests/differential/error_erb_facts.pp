# Facts are frozen, under whatever name.
$os = $facts['os']
notice(inline_template("<% @os['name'] = 'x' -%>"))
