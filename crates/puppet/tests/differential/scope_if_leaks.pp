if true { $inside = 'seen' }
notify { $inside: }
