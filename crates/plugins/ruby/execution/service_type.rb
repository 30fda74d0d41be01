# The type `service`, for the providers that modules bring.
Puppet::Type.newtype(:service) do
  feature :refreshable, 'Restarts.', methods: [:restart]
  feature :enableable, 'Starts at boot.', methods: %i[disable enable enabled?]
  feature :delayed_startable, 'Starts late.', methods: [:delayed_start]
  feature :manual_startable, 'Starts by hand.', methods: [:manual_start]
  feature :controllable, 'Has a control variable.'
  feature :flaggable, 'Takes flags.', methods: [:flags]
  feature :maskable, 'Masks.', methods: [:mask]
  feature :configurable_timeout, 'Takes a timeout.'
  feature :manages_logon_credentials, 'Takes credentials.', methods: %i[logonaccount logonaccount=]

  newproperty(:enable, required_features: :enableable) do
    newvalue(:true, event: :service_enabled) { provider.enable }
    newvalue(:false, event: :service_disabled) { provider.disable }
    newvalue(:manual, event: :service_manual_start, required_features: :manual_startable) { provider.manual_start }
    newvalue(:mask, event: :service_disabled, required_features: :maskable) { provider.mask }
    newvalue(:delayed, event: :service_delayed_start, required_features: :delayed_startable) { provider.delayed_start }

    def retrieve
      provider.enabled?
    end

    def insync?(is)
      provider.respond_to?(:enabled_insync?) ? provider.enabled_insync?(is) : super
    end
  end

  newproperty(:ensure) do
    newvalue(:stopped, event: :service_stopped) { provider.stop }
    newvalue(:running, event: :service_started, invalidate_refreshes: true) { provider.start }
    aliasvalue(:false, :stopped)
    aliasvalue(:true, :running)

    def retrieve
      provider.status
    end

    # A change of the state is a good time to have it start at boot too.
    def sync
      event = super
      %i[enable].each do |name|
        other = @resource.property(name) or next
        is = other.retrieve
        other.sync unless other.safe_insync?(is)
      end
      event
    end
  end

  newproperty(:logonaccount, required_features: :manages_logon_credentials)
  newparam(:logonpassword, required_features: :manages_logon_credentials)
  newproperty(:flags, required_features: :flaggable)
  newparam(:binary)
  newparam(:hasstatus) do
    newvalues(:true, :false)
    defaultto :true
  end
  newparam(:name) { isnamevar }
  newparam(:path) do
    munge { |value| [value].flatten.flat_map { |one| one.split(':') } }
    defaultto { provider.class.defpath if provider.class.respond_to?(:defpath) }
  end
  newparam(:pattern) { defaultto { @resource[:binary] || @resource[:name] } }
  %i[restart start status stop control manifest].each { |name| newparam(name) }
  newparam(:hasrestart) { newvalues(:true, :false) }
  newparam(:timeout, required_features: :configurable_timeout) do
    defaultto { provider.respond_to?(:default_timeout) ? provider.default_timeout : 10 }
    munge { |value| Integer(value) }
  end

  def self.needs_ensure_retrieved
    false
  end

  def refresh
    state = (@parameters[:ensure] || newattr(:ensure)).retrieve
    state == :running ? provider.restart : Puppet.debug('Skipping restart; service is not running')
  end
end

# Services by the commands that the declaration has.
Puppet::Type.type(:service).provide(:base) do
  commands kill: 'kill'

  def status
    return service_command(:status, false).exitstatus.zero? ? :running : :stopped if resource[:status]

    getpid ? :running : :stopped
  end

  def start
    service_command(:start)
  end

  def stop
    return service_command(:stop) if resource[:stop]

    pid = getpid
    pid && kill(pid)
  end

  def restart
    return service_command(:restart) if resource[:restart]

    stop
    start
  end

  # The number of the process whose command line has the pattern.
  def getpid
    raise Puppet::Error, 'Either stop/status commands or a pattern must be specified' unless resource[:pattern]

    pattern = Regexp.new(resource[:pattern])
    lines = execute(%w[ps -ef], failonfail: false, combine: true).lines
    lines.find { |line| line.match?(pattern) && !line.include?("#{Process.pid} ") }&.split&.at(1)
  end

  def service_command(name, failonfail = true)
    command = resource[name] || (respond_to?("#{name}cmd") ? public_send("#{name}cmd") : nil)
    raise Puppet::Error, "Services must specify a #{name} command or a binary" unless command || resource[:binary]

    execute(command || resource[:binary], failonfail: failonfail, override_locale: false, combine: true)
  rescue Puppet::ExecutionFailure => e
    error = Puppet::Error.new("Could not #{name} #{resource.ref}: #{e}")
    error.set_backtrace(e.backtrace)
    raise error
  end
end

# Services that are controlled by a command with the action as its argument.
Puppet::Type.type(:service).provide(:service, parent: :base) do
  def self.instances
    []
  end

  def ucommand(name, failonfail = true)
    service_command(name, failonfail)
  end

  %i[start stop status].each do |name|
    define_method("#{name}cmd") { nil }
  end

  def restart
    return ucommand(:restart) if resource[:hasrestart] == :true || resource[:restart]

    super
  end
end
