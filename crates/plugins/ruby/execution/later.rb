# The parts of Puppet that are loaded when code uses them.
module Ordain
  # The file of each constant.
  LATER_CONSTANTS = {
    Puppet => { FileSystem: 'file_system', Confine: 'confine', Confiner: 'confine', Functions: 'deferred', ResourceApi: 'resource_api',
                SSL: 'network',
                Network: 'network', FileServing: 'network', FileBucket: 'network', Application: 'network',
                Face: 'network', Interface: 'network', SELFileContext: 'core_attributes', Configurer: 'network',
                GettextConfig: 'network', Metatype: 'network' },
    Puppet::Util => { FileType: 'file_types', FileParsing: 'parsed_file', IniConfig: 'ini_config', Checksums: 'checksums',
                      Diff: 'utilities', Backups: 'utilities', SELinux: 'utilities', Plist: 'utilities', ClassGen: 'utilities',
                      MethodHelper: 'utilities', Autoload: 'utilities', Storage: 'utilities', Log: 'utilities',
                      Feature: 'utilities', NetworkDevice: 'network_device',
                      InstanceLoader: 'utilities', Lockfile: 'utilities', Pidlock: 'utilities', Metric: 'utilities',
                      TagSet: 'utilities', Tagging: 'utilities', Limits: 'utilities', CommandLine: 'utilities', RetryAction: 'utilities',
                      HttpProxy: 'network', ConstantInflector: 'utilities' },
    Puppet::Provider => { ParsedFile: 'parsed_file', Package: 'packages', NameService: 'name_services', Exec: 'exec_provider',
                          AixObject: 'name_services' }
  }.freeze

  LATER_CONSTANTS.each do |holder, names|
    names.each { |name, file| later(holder, "ordain/execution/#{file}", name) }
  end
  later(self, 'ordain/execution/data_types', :DataTypes, :DataType)
  later(self, 'ordain/execution/deferred', :Deferred)
  later(Puppet, 'ordain/http', :Runtime, :HTTP)
  later(self, 'ordain/execution/file_types', :Bucket)
  later(Puppet::Type::File, 'ordain/execution/core_attributes', :ParameterSource)
  later(self, 'ordain/execution/versions', :VersionRanges)
end
