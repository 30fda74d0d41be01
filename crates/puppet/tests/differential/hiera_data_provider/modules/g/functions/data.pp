function g::data() { { 'g::a' => 'puppet function' } }
