file { '/w/a': content => inline_epp('<% [1,2].each |$n| { -%>n<%= $n %>
<% } -%>') }
