#!/usr/bin/env python3
"""Build the mail about low stock.

Sending is somebody else's job: `deliver` takes any function.
"""
import textwrap

FOOTER = """
--
print("me") is not code here
"""


def compose(names):
	"""This function is indented by tabs."""
	if not names:
		print("nothing is low, no mail")
		return None
	body = "Low:\n" + textwrap.indent("\n".join(names), "  ")
	return body + FOOTER


def deliver(names, send):
    body = compose(names)
    if body is not None:
        try:
            send(body)
        except OSError as error:
            print("mail failed:", error)
            return False
        print("mail with {} names sent".format(len(names)))
    return body is not None
