# frozen_string_literal: true

require 'ordain/rspec_puppet'
