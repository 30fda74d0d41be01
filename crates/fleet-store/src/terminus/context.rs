//! The fields that all commands share.

/// The fields of a command besides its content.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The node.
    pub certname: &'a str,
    /// The environment of the request.
    pub environment: &'a str,
    /// When the server made the command, in microseconds since 1970.
    pub producer_timestamp: i64,
    /// The name of the server.
    pub producer: &'a str,
    /// The run, if the agent named it.
    pub transaction_uuid: Option<&'a str>,
    /// The job that started the run.
    pub job_id: Option<&'a str>,
}
