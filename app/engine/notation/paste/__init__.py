"""What a paste from a session, a debugger or a log says about a tensor."""
