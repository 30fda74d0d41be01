# Starts a provider process with the files of `script.rs`, as the program does, and speaks with it.
require 'json'
require 'rbconfig'
require 'socket'

class ProviderProcess
  ROOT = File.expand_path('../..', __dir__)
  OPTIONS = %w[-W0 -EUTF-8:UTF-8 --disable=gems,rubyopt -rjson -e].freeze

  # The files of one of the lists in `script.rs`, by their names.
  def self.files(script, list)
    text = script[/const #{list}: .*?\n\];/m]
    text.scan(/"(ordain\/[^"]+)",\s*source!\("([^"]+)"\)/m)
  end

  def initialize(seconds: 60, memory: 2 << 30)
    script = File.read(File.join(ROOT, 'src/script.rs'))
    loader = script[/const PROVIDER_LOADER: &str = "\\\n(.*?)";/m, 1].gsub('\\"', '"').gsub('\\\\', '\\')
    @channel, theirs = UNIXSocket.pair
    @pid = Process.spawn(RbConfig.ruby, *OPTIONS, loader, in: theirs, out: :err)
    theirs.close
    frame('ordain/limits.rb', "module Ordain\n  SECONDS = #{seconds}\n  MEMORY = #{memory}\n  LATER = {}\nend\n")
    lists = %w[LATER_FILES PROVIDER_FILES].flat_map { |list| self.class.files(script, list) }
    lists.each { |name, path| frame(name, File.read(File.join(ROOT, path))) }
    @channel.write([0].pack('N'))
  end

  # The answer to a request; nil after the end of the process.
  def ask(request)
    text = JSON.generate(request)
    @channel.write([text.bytesize].pack('N'), text)
    head = @channel.read(4) or return nil
    JSON.parse(@channel.read(head.unpack1('N')))
  rescue Errno::EPIPE, Errno::ECONNRESET
    nil
  end

  # Ends the process; its status, and the seconds of its processor time.
  def finish
    @channel.close_write
    status = Process.wait2(@pid)[1]
    @channel.close
    status
  end

  private

  def frame(name, text)
    body = "#{name}\n#{text}"
    @channel.write([body.bytesize].pack('N'), body)
  end
end
