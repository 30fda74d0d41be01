$x = 5
notify { inline_epp("<%- | $n | -%>\nN=<%= $n %>\n<% if $n > 1 { -%>\nbig\n<% } -%>\n<%# comment %>end <%% x", { 'n' => $x }): }
