"""What a button does when it is pressed: one table entry for each `actionType`."""

from collections.abc import Mapping

from hubbub.domain.interactive.checks import Kinds, Shape, any_object, string
from hubbub.domain.interactive.urls import deep_link, web_url

ACTIONS: Mapping[str, Shape] = {
    "apiAction": Shape(
        optional={
            "url": web_url,
            "method": string,
            "payload": any_object,
            "headers": any_object,
            "dataKey": string,
        },
    ),
    "urlNavigation": Shape(required={"url": web_url}),
    "deepLinkAction": Shape(required={"url": deep_link}),
    "customAction": Shape(),
}

action = Kinds("actionType", ACTIONS)
