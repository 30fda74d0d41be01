notify { "${trusted['certname']} ${trusted['extensions']['pp_role']} ${facts['x']['y']}": }
