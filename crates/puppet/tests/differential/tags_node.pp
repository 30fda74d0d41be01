node /^node/ { include c }
class c { notify { 'n': } }
