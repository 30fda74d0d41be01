notify { epp('m/none.epp'): }
