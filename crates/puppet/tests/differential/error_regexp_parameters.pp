notice(Regexp[a,
 b])
