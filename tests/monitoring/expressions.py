"""Check the expressions of alerts and dashboards against the metrics of a real node."""

import re

from tests.monitoring.scrape import Scrape

OF_PROMETHEUS = {"job", "instance"}
"""Labels that every series gets when it is scraped."""
_METRIC = re.compile(r"\b(hubbub_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPING = re.compile(r"\bby \(([^)]*)\)")


def check_expression(expression: str, found: Scrape) -> None:
    """Check that metrics and labels of an expression exist, and values that are given in full."""
    metrics = _METRIC.findall(expression)
    assert metrics or re.match(r"up\{", expression), expression
    labels = set(OF_PROMETHEUS)
    for name, matchers in metrics:
        assert name in found.names, f"{name} is no metric: {expression}"
        own = {label: values_of(found, name, label) for label in labels_of(found, name)}
        labels |= own.keys()
        for label, operator, value in _MATCHER.findall(matchers):
            assert label in own or label in OF_PROMETHEUS, f"{label} is no label of {name}"
            if operator == "=" and label in own:
                assert value in own[label], f"{label} of {name} is never {value}"
    for group in _GROUPING.findall(expression):
        grouped = {label.strip() for label in group.split(",")}
        assert grouped <= labels, f"{grouped - labels}: no labels in {expression}"


def labels_of(found: Scrape, name: str) -> set[str]:
    """Return the labels of a metric."""
    return {label for key in found.values if key[0] == name for label, _ in key[1:]}


def values_of(found: Scrape, name: str, label: str) -> set[str]:
    """Return the values that a label of a metric has."""
    return {
        value for key in found.values if key[0] == name for each, value in key[1:] if each == label
    }
