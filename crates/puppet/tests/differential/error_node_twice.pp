node 'A.b' { }
node 'a.b' { }
node default { }
