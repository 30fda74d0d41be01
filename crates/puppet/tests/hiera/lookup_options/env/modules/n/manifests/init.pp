class n {}
