class need { notify { 'need': } }
class c { require need  notify { 'c': } }
include c
