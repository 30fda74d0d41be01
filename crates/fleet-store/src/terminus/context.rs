//! The fields that all commands have.

/// The fields of a command besides its content.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The node.
    pub certname: &'a str,
    /// The environment of the request.
    pub environment: &'a str,
    /// When the server sent the command, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// The name of the server.
    pub producer: &'a str,
    /// Identifies the run, if the agent sent an id.
    pub transaction_uuid: Option<&'a str>,
    /// The orchestrator job that started the run.
    pub job_id: Option<&'a str>,
}
