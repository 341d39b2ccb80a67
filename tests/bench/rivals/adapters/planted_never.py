"""Planted, for --self-check: says that it paid, and sends nothing."""

STORE = "none"


def guard(place):
    return lambda: {"id": "pay_1"}
