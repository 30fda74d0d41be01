notice([inline_epp('a<% return() %>b'), inline_epp('<% [1, 2].each |$x| { next() } %>b')])
notice(strftime(Timestamp(0), '%F %Z', ''))
