@@notify { 'one': tag => 'shared' }
@notify { 'two': tag => 'shared' }
notify { 'three': }
Notify <<| tag == 'shared' |>> { message => 'collected' } -> Notify['three']
