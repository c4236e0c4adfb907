"""What really ran: events of a log or a trace, their totals and what is found in them.

Here stand readers of logs and profiles, and the rules of the findings. Nothing here runs a program.
"""
