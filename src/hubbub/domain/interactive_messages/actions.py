"""The action of a button: one table entry for each `actionType`."""

from collections.abc import Mapping

from hubbub.domain.interactive_messages.checks import KindCheck, ObjectCheck, any_object, string
from hubbub.domain.interactive_messages.urls import deep_link, web_url

ACTIONS: Mapping[str, ObjectCheck] = {
    "apiAction": ObjectCheck(
        optional={
            "url": web_url,
            "method": string,
            "payload": any_object,
            "headers": any_object,
            "dataKey": string,
        },
    ),
    "urlNavigation": ObjectCheck(required={"url": web_url}),
    "deepLinkAction": ObjectCheck(required={"url": deep_link}),
    "customAction": ObjectCheck(),
}

action = KindCheck("actionType", ACTIONS)
