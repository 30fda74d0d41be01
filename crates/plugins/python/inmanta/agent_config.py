"""Settings of the agent."""
from inmanta.config import Option, is_int, is_str, log_dir, state_dir

environment = Option("config", "environment", None, validator=lambda value: value)
executor_venv_retention_time = Option("agent", "executor-venv-retention-time", 3600, validator=is_int)
agent_names = Option("config", "agent-names", "$node-name", validator=is_str)
