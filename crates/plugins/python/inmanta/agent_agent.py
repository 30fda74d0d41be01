"""The names of the agent's classes, for annotations."""


class AgentInstance:
    pass


class Agent:
    pass
