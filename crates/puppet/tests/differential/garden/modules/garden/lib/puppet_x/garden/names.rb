module PuppetX
  module Garden
    def self.proper(name)
      name.capitalize
    end
  end
end
