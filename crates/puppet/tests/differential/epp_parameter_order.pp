# Templates take their parameters by name: one without a default may follow one that has one.
$page = @(PAGE)
  <%- | Integer $weight = 1, String $name, Optional[String] $note = undef, Boolean $last | -%>
  <%= $name %> <%= $weight %> <%= $note %> <%= $last %>
  | PAGE
notify { inline_epp($page, { 'name' => 'a', 'last' => true }): }
notify { inline_epp($page, { 'last' => false, 'name' => 'b', 'note' => 'n', 'weight' => 3 }): }
