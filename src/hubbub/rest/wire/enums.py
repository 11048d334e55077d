"""Closed sets of words; each is a component of the document, under its title.

A field that is checked later, with an error of its own, is text: `Annotated[str,
documented_as(ReceiverType)]`.
"""

from typing import Annotated, Literal

from msgspec import Meta

ReceiverType = Annotated[
    Literal["user", "group"],
    Meta(title="ReceiverType", description="Whether it is a user or a group."),
]
SentCategory = Annotated[
    Literal["message", "custom", "interactive"],
    Meta(title="SentCategory", description="The category of a message that clients send."),
]
MessageCategory = Annotated[
    Literal["message", "custom", "interactive", "action"],
    Meta(
        title="MessageCategory",
        description="The category of a message; `action` is an entry of the server.",
    ),
]
Scope = Annotated[
    Literal["admin", "moderator", "participant"],
    Meta(title="MemberScope", description="The scope of a member of a group."),
]
GroupType = Annotated[
    Literal["public", "private", "password"],
    Meta(
        title="GroupType",
        description="Who can join: everybody, nobody without being added, or who has the password.",
    ),
]
UserStatus = Annotated[
    Literal["available", "offline"],
    Meta(title="UserStatus", description="Whether a user is connected."),
]
KeyScope = Annotated[
    Literal["authOnly", "fullAccess"],
    Meta(title="KeyScope", description="Whether a key only signs users in, or may do everything."),
]
Audience = Annotated[
    Literal["all", "friendsOnly"],
    Meta(title="Audience", description="All users, or only friends."),
]
Affix = Annotated[
    Literal["append", "prepend"],
    Meta(
        title="Affix",
        description="The side of the cursor: `append` for what follows it, `prepend` for what "
        "precedes it.",
    ),
]
MutedType = Annotated[
    Literal["oneOnOne", "group"],
    Meta(title="MutedType", description="Whether the conversation is with a user or of a group."),
]
PushPlatform = Annotated[
    Literal[
        "fcm_android",
        "fcm_ios",
        "fcm_web",
        "fcm_flutter_android",
        "fcm_flutter_ios",
        "fcm_react_native_android",
        "fcm_react_native_ios",
        "fcm_ionic_cordova_android",
        "fcm_ionic_cordova_ios",
        "apns_ios_device",
        "apns_flutter_device",
        "apns_react_native_device",
        "apns_ionic_cordova_device",
        "apns_ios_voip",
        "apns_flutter_voip",
        "apns_react_native_voip",
        "apns_ionic_cordova_voip",
        "web_push",
    ],
    Meta(title="PushPlatform", description="The push gateway, and what runs on the device."),
]
