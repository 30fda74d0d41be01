@notify { 'never': }
notify { 'there': }
