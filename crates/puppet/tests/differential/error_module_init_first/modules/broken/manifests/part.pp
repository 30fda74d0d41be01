class broken::part { }
