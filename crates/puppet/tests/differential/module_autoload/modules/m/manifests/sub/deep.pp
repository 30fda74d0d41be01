class m::sub::deep { notify { 'deep': } }
