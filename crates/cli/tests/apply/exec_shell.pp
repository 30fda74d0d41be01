exec { 'echo $((1+2)) > /w/sum; true': provider => shell }
