type Word = Object[{
  attributes => {
    text => String,
    loud => { type => String, kind => derived, annotations => { RubyMethod => { body => '@text.upcase' } } },
  },
  functions => {
    repeat => { type => Callable[Integer], annotations => { RubyMethod => { parameters => 'times', body => '([text] * times).join("-")' } } },
    '[]' => { type => Callable[Integer], annotations => { RubyMethod => { parameters => 'at', body => '@text[at]' } } },
  },
}]
$w = Word('abc')
notify { 'word': message => "${w.loud} ${w.repeat(3)} ${w[1]}" }
