class c($require) { }
