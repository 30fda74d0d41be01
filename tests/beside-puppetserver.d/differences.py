"""The differences from puppetserver that are intended, by case, each with its reason."""

NO_ADVICE = "the advice names a setting of puppetserver; `ordain ca sign` has a flag for it"
OWN_DETAILS = "the details are those of the server's own parts"
NO_JRUBY = "there is no JRuby and no profiler"

REASONS = {
    "generate --certname alt.example.org --subject-alt-names alt,DNS:other.example.org,IP:192.0.2.1": NO_ADVICE,
    "GET /puppet/v3/tasks/m/wrong?environment=production by node": "the message is that of another reader of JSON",
    "GET /puppet/v3/environments by node": "an edit is live at once, and modules of the system are others",
    "GET /status/v1/simple/ by nobody": "a slash at the end makes no difference",
    "GET /status/v1/services by nobody": NO_JRUBY,
    "GET /status/v1/services/jruby-metrics by nobody": NO_JRUBY,
    "GET /status/v1/services/puppet-profiler by nobody": NO_JRUBY,
    "GET /status/v1/services/server?level=debug by nobody": OWN_DETAILS,
    "GET /status/v1/services/ca?level=debug by nobody": OWN_DETAILS,
}
