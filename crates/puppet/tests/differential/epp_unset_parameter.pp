# A parameter that the template does not have may be given if it has no value.
notice(inline_epp('<%- |String $a, Optional[Integer] $p| -%>[<%= $a %>]', { 'a' => 'x', 'b' => undef, 'p' => undef }))
