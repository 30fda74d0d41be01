# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = 'ordain-rspec-puppet'
  spec.version = '0.1.0'
  spec.summary = 'Compiles the catalogs of rspec-puppet with Ordain'
  spec.authors = ['The Ordain authors']
  spec.license = 'Apache-2.0'
  spec.files = Dir['lib/**/*.rb'] + ['README.md', 'bin/ordain-rspec']
  spec.bindir = 'bin'
  spec.executables = ['ordain-rspec']
  spec.required_ruby_version = '>= 2.5'
  spec.add_dependency 'rspec-puppet', '>= 2.9'
end
