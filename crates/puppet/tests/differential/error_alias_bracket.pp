notify { ['/t/[1', '/t/[2']: name => 'x' }
