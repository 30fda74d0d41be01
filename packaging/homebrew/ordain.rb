# Formula of Homebrew. For a release, set `url` to the archive of the sources and `sha256` to its
# line in SHA256SUMS: `packaging/release` makes both.
class Ordain < Formula
  desc "Engine for desired state: Puppet, Inmanta, mcl and dynaml"
  homepage "https://example.org/ordain"
  url "https://example.org/ordain/ordain-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "rust" => :build
  # The engine reads /proc and systemd.
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/cli")
    system bin/"ordain", "man", man1
    generate_completions_from_executable(bin/"ordain", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    (testpath/"site.pp").write "notify { 'hi': }\n"
    assert_match "no errors", shell_output("#{bin}/ordain check site.pp")
  end
end
