//! `compat/rspec-puppet` with the real rspec-puppet: a module and its specs, compiled by Puppet and
//! by `ordain compile --requests`. Each example has to have the same result.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

const MANIFEST: &str = r#"
class web(
  String $text = lookup('web::text', undef, undef, 'none'),
  Sensitive[String] $secret = Sensitive('s'),
  Boolean $broken = false,
) {
  package { 'nginx': ensure => installed }
  file { '/etc/nginx.conf':
    content => "${text} ${facts['os']['family']}\n",
    require => Package['nginx'],
    notify  => Service['nginx'],
  }
  service { 'nginx': ensure => running }
  file { '/etc/secret': content => $secret }
  if $broken {
    file { '/etc/broken': require => File['/etc/nowhere'] }
  }
  if $facts['os']['family'] == 'windows' { fail('web needs a Unix') }
}
"#;

const SPEC: &str = r#"
require 'spec_helper'
describe 'web' do
  let(:facts) { { 'os' => { 'family' => 'Debian' } } }
  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_file('/etc/nginx.conf').with_content("none Debian\n") }
  it { is_expected.to contain_file('/etc/nginx.conf').that_requires('Package[nginx]') }
  it { is_expected.to contain_service('nginx').that_subscribes_to('File[/etc/nginx.conf]') }
  it { is_expected.to contain_file('/etc/secret').with_content(sensitive('s')) }
  it { is_expected.to have_file_resource_count(2) }
  it { is_expected.not_to contain_class('other') }
  it('fails') { is_expected.to contain_file('/etc/nginx.conf').with_content('wrong') }
  it('fails') { is_expected.to contain_service('nginx').that_requires('File[/etc/secret]') }
  context 'with a missing dependency' do
    let(:params) { { 'broken' => true } }
    it('fails') { is_expected.to compile.with_all_deps }
  end
  context 'with a wrong type' do
    let(:params) { { 'text' => 1 } }
    it { is_expected.to compile.and_raise_error(/parameter 'text' expects a String value, got Integer/) }
    it { expect { catalogue }.to raise_error(Puppet::PreformattedError, /on node/) }
  end
  context 'on another system' do
    let(:facts) { { 'os' => { 'family' => 'windows' } } }
    it { is_expected.to compile.and_raise_error(/web needs a Unix/) }
  end
  context 'with code around it' do
    let(:pre_condition) { "file { '/etc/before': }" }
    it { is_expected.to contain_file('/etc/before') }
  end
  context 'with a syntax error' do
    let(:pre_condition) { 'file {' }
    it { is_expected.to compile.and_raise_error(/[Ss]yntax error/) }
  end
  context 'with replaced code' do
    before { allow(File).to receive(:symlink?).and_return(false) }
    let(:params) { { 'text' => 'mocked' } }
    it { is_expected.to contain_file('/etc/nginx.conf').with_content("mocked Debian\n") }
  end
  context 'with a replaced method of a provider' do
    before do
      provider = Puppet::Type.type(:package).provider(:dpkg)
      allow_any_instance_of(provider).to receive(:properties).and_return({})
    end
    let(:params) { { 'text' => 'provider' } }
    it { is_expected.to compile }
    it { is_expected.to contain_file('/etc/nginx.conf').with_content("provider Debian\n") }
  end
  context 'with facts for types' do
    let(:facts) { { 'kernel' => 'Plan9', 'empty' => nil, 'os' => { 'family' => 'Glenda' } } }
    before { catalogue }
    it { expect(Facter.value(:kernel)).to eq('Plan9') }
    it { expect(Facter.value('KERNEL')).to eq('Plan9') }
    it { expect(Facter.value('os.family')).to eq('Glenda') }
    it { expect(Facter.value('empty')).to be_nil }
    it { expect(Facter.fact(:kernel).value).to eq('Plan9') }
    it { expect(Facter.to_hash['os']['family']).to eq('Glenda') }
    it 'adds facts' do
      Facter.add('extra') { setcode { 'more' } }
      expect([Facter.value('extra'), Facter.value('kernel')]).to eq(%w[more Plan9])
    end
    it 'removes facts' do
      Facter.clear
      expect(Facter.value('kernel')).not_to eq('Plan9')
    end
  end
  context 'without facts of the example before' do
    before { catalogue }
    it { expect(Facter.value('kernel')).not_to eq('Plan9') }
    it { expect(Facter.value('extra')).to be_nil }
  end
  context 'with types that are written later' do
    let(:libraries) { File.join(__dir__, '../../lib') }
    it { expect(Puppet::Type.type(:late)).to be_nil }
    it 'writes one' do
      FileUtils.mkdir_p(File.join(libraries, 'puppet/type'))
      type = 'Puppet::Type.newtype(:late) { newparam(:name) }'
      File.write(File.join(libraries, 'puppet/type/late.rb'), type)
    end
    it { expect(Puppet::Type.type(:late).name).to eq(:late) }
    it { catalogue && expect($LOAD_PATH.count { |path| path.end_with?('modules/web/lib') }).to(be_positive) }
    it('fails') { require 'puppet/type/late' }
    it { catalogue && expect { require 'puppet/type/late' }.not_to(raise_error) }
  end
  context 'with a changed load path' do
    it { $LOAD_PATH << '/nowhere' && expect($LOAD_PATH).to(include('/nowhere')) }
    it { expect($LOAD_PATH).not_to include('/nowhere') }
  end
  context 'with Windows' do
    let(:facts) { { :OSFamily => 'Windows', 'os' => { 'family' => 'Debian' } } }
    it { catalogue && expect(File::PATH_SEPARATOR).to(eq(';')) }
  end
end
"#;

const HELPER: &str = "require 'rspec-puppet'\n\
RSpec.configure do |c|\n\
  c.module_path = File.join(__dir__, 'fixtures', 'modules')\n\
  c.environmentpath = __dir__\n\
end\n";

/// The status of each example, and standard error.
fn run(module: &Path, arguments: &[&str]) -> (BTreeMap<String, String>, String) {
    let done = Command::new("rspec")
        .args(["--format", "json", "spec/classes"])
        .args(arguments)
        .env("ORDAIN", env!("CARGO_BIN_EXE_ordain"))
        .current_dir(module)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    let start = text.find("{\"version\"").unwrap_or_else(|| panic!("{text}"));
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Json>();
    let report = documents.next().unwrap().unwrap();
    let examples = report["examples"].as_array().unwrap().iter().map(|example| {
        let text = |key: &str| example[key].as_str().unwrap().to_owned();
        (text("id"), format!("{}: {}", text("status"), text("full_description")))
    });
    (examples.collect(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn specs_have_the_same_results() {
    let has = |gem: &str| {
        Command::new("ruby")
            .args(["-e", &format!("require '{gem}'")])
            .output()
            .is_ok_and(|done| done.status.success())
    };
    if !has("rspec-puppet") {
        eprintln!("rspec-puppet is not installed");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let module = dir.path();
    for (path, text) in [
        ("manifests/init.pp", MANIFEST),
        ("spec/classes/web_spec.rb", SPEC),
        ("spec/spec_helper.rb", HELPER),
    ] {
        let path = module.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir_all(module.join("spec/fixtures/modules")).unwrap();
    std::os::unix::fs::symlink(module, module.join("spec/fixtures/modules/web")).unwrap();
    let (puppet, _) = run(module, &[]);
    // The file of a type that an example has written.
    fs::remove_dir_all(module.join("lib")).unwrap();
    let gem = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compat/rspec-puppet/lib");
    let (ordain, log) = run(module, &["-I", gem.to_str().unwrap(), "-r", "ordain-rspec-puppet"]);
    assert_eq!(ordain, puppet, "{log}");
    let failed = puppet.values().filter(|status| status.starts_with("failed")).count();
    assert_eq!((puppet.len(), failed), (37, 4), "{puppet:#?}");
    assert!(log.contains("Ruby 1\n  replaced code: File: 1\n"), "{log}");
}
