# The lambda is not called for an only item.
notify { 'a': message => [[1].unique |$x| { fail('asked') }, 'a'.unique |$x| { fail('asked') }] }
