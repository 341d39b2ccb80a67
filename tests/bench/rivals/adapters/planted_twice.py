"""Planted, for --self-check: sends everything twice."""

STORE = "none"


def guard(place):
    def call():
        place.pay()
        return place.pay()

    return call
