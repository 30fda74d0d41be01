notify { 'a': }
inline_epp('x
<% if %>')
