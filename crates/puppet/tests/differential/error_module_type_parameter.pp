pond { 'first': depth => 1 }
pond {
  'second':
    fish => 'pike',
}
