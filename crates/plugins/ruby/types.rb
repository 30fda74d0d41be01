# Resource types.
module Ordain
  module Types
  end
end
