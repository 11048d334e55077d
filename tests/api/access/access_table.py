"""Table of permissions, written by hand; `test_access_table.py` makes every one of these calls.

A table begins with its call, with a body if it takes one. Its rows are callers; its columns are
the objects of the call. A cell is `ok`, or the last words of an error's code; STATUS alone maps
codes to statuses. In parentheses is the outcome of one item of a call that itself succeeds. `-`
means that there is no such case, or that another table has it.

`owner` calls in both ways: with a key on the owner's behalf, and with the owner's token; `as owner`
and `owner's token` are one of them. `app` is the app itself. Names separated by commas share a row
or a column.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

STATUS = {
    400: """
        ERR_BAD_REQUEST ERR_CANNOT_BLOCK_SELF ERR_CANNOT_FORM_SELF_RELATION ERR_EMPTY_GROUP_PASS
        ERR_SAME_SCOPE
        """,
    401: """
        AUTH_ERR_AUTH_TOKEN_NOT_FOUND AUTH_ERR_EMPTY_APPID AUTH_ERR_EMPTY_AUTH_HEADER
        """,
    403: """
        AUTH_ERR_NO_ACCESS ERR_BANNED_GROUPMEMBER ERR_BLOCKED_RECEIVER ERR_BLOCKED_SENDER
        ERR_GROUP_NOT_JOINED ERR_GROUP_NO_ADMIN_SCOPE ERR_GROUP_NO_CLEARANCE
        ERR_GROUP_NO_MODERATOR_SCOPE ERR_GROUP_NO_SCOPE_CLEARANCE ERR_GROUP_NO_SELF_ACTION
        ERR_MESSAGE_HISTORY_NOT_ACCESSIBLE ERR_MESSAGE_NOT_A_SENDER ERR_RETENTION_NOT_ALLOWED
        ERR_WRONG_GROUP_PASS
        """,
    404: """
        ERR_SCHEDULED_MESSAGE_NOT_FOUND
        ERR_BOT_NOT_FOUND ERR_CONVERSATION_NOT_ACCESSIBLE ERR_GUID_NOT_FOUND
        ERR_MESSAGE_ID_NOT_FOUND ERR_NOT_A_BANNED_USER ERR_NOT_A_FRIEND ERR_NOT_A_MEMBER
        ERR_AUTH_TOKEN_NOT_FOUND ERR_SESSION_NOT_FOUND ERR_UID_NOT_FOUND
        ERR_IDENTITY_PROVIDER_NOT_FOUND
        ERR_IMPORT_NOT_FOUND ERR_EXPORT_NOT_FOUND ERR_RULE_NOT_FOUND ERR_KEYWORD_NOT_FOUND
        ERR_REASON_NOT_FOUND
        """,
    409: """
        ERR_ALREADY_BANNED ERR_ALREADY_FRIEND ERR_ALREADY_JOINED ERR_GUID_ALREADY_EXISTS
        ERR_MESSAGE_NOT_GROWING ERR_UID_ALREADY_EXISTS
        """,
}

# Credentials: which ones are accepted by which kind of call. For `in`, the tables below decide.
# Anna's is the uid in the path, if there is one. Gerd is deactivated.
DOORS = """
                     server           sign-in          people           oneself
no key               EMPTY_APPID      EMPTY_APPID      EMPTY_APPID      EMPTY_APPID
auth key             NO_ACCESS        in               NO_ACCESS        NO_ACCESS
app                  in               in               in               BAD_REQUEST
as anna              in               in               in               in
as ben               in               in               in               in
as nobody            in               in               UID_NOT_FOUND    UID_NOT_FOUND
as gerd              in               in               UID_NOT_FOUND    UID_NOT_FOUND
as an@na             BAD_REQUEST      BAD_REQUEST      BAD_REQUEST      BAD_REQUEST
anna's token         NO_ACCESS        NO_ACCESS        in               in
ben's token          NO_ACCESS        NO_ACCESS        in               in
anna's token as ben  NO_ACCESS        NO_ACCESS        NO_ACCESS        NO_ACCESS
gerd's token         TOKEN_NOT_FOUND  TOKEN_NOT_FOUND  TOKEN_NOT_FOUND  TOKEN_NOT_FOUND

                     own              profile          management
no key               EMPTY_APPID      EMPTY_APPID      EMPTY_AUTH_HEADER
auth key             NO_ACCESS        in               EMPTY_AUTH_HEADER
app                  in               in               EMPTY_AUTH_HEADER
as anna              in               in               EMPTY_AUTH_HEADER
as ben               NO_ACCESS        NO_ACCESS        EMPTY_AUTH_HEADER
as nobody            UID_NOT_FOUND    UID_NOT_FOUND    EMPTY_AUTH_HEADER
as gerd              UID_NOT_FOUND    UID_NOT_FOUND    EMPTY_AUTH_HEADER
as an@na             BAD_REQUEST      BAD_REQUEST      EMPTY_AUTH_HEADER
anna's token         in               in               EMPTY_AUTH_HEADER
ben's token          NO_ACCESS        NO_ACCESS        EMPTY_AUTH_HEADER
anna's token as ben  NO_ACCESS        NO_ACCESS        EMPTY_AUTH_HEADER
gerd's token         TOKEN_NOT_FOUND  TOKEN_NOT_FOUND  EMPTY_AUTH_HEADER
"""

# Every declared operation, under its kind of call.
KINDS = {
    "management": """
        GET     /apps
        POST    /apps
        GET     /apps/{appId}
        DELETE  /apps/{appId}
        GET     /apps/{appId}/triggers
        GET     /apps/{appId}/webhooks
        POST    /apps/{appId}/webhooks
        GET     /apps/{appId}/webhooks/{webhookId}
        PUT     /apps/{appId}/webhooks/{webhookId}
        DELETE  /apps/{appId}/webhooks/{webhookId}
        GET     /apps/{appId}/webhooks/{webhookId}/triggers
        POST    /apps/{appId}/webhooks/{webhookId}/triggers
        DELETE  /apps/{appId}/webhooks/{webhookId}/triggers
        GET     /apps/{appId}/webhooks/{webhookId}/secret
        POST    /apps/{appId}/webhooks/{webhookId}/secret/rotate
        GET     /apps/{appId}/webhooks/{webhookId}/deliveries
        GET     /apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}
        POST    /apps/{appId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay
        POST    /apps/{appId}/webhooks/{webhookId}/replay
        POST    /apps/{appId}/webhooks/{webhookId}/test
        """,
    "server": """
        GET     /apikeys
        POST    /apikeys
        GET     /apikeys/{apiKey}
        PUT     /apikeys/{apiKey}
        DELETE  /apikeys/{apiKey}
        GET     /settings
        PUT     /settings
        DELETE  /settings
        GET     /identity_provider
        PUT     /identity_provider
        DELETE  /identity_provider
        POST    /identity_provider/revoke
        GET     /stats
        GET     /stats/messages
        GET     /events
        GET     /events/set-aside
        GET     /roles
        POST    /roles
        GET     /roles/{role}
        PUT     /roles/{role}
        DELETE  /roles/{role}
        GET     /roles/{role}/restrictedfeatures
        POST    /roles/{role}/restrictedfeatures
        DELETE  /roles/{role}/restrictedfeatures
        GET     /roles/{role}/permissions
        PUT     /roles/{role}/permissions
        DELETE  /roles/{role}/permissions/{permission}
        GET     /groups/{guid}/scopes/{scope}/permissions
        PUT     /groups/{guid}/scopes/{scope}/permissions
        DELETE  /groups/{guid}/scopes/{scope}/permissions/{permission}
        GET     /notifications/push/v1/providers/fcm
        POST    /notifications/push/v1/providers/fcm
        PUT     /notifications/push/v1/providers/fcm
        DELETE  /notifications/push/v1/providers/fcm/{providerId}
        PUT     /notifications/push/v1/providers/fcm/default/{providerId}
        GET     /notifications/push/v1/providers/apns
        POST    /notifications/push/v1/providers/apns
        PUT     /notifications/push/v1/providers/apns
        DELETE  /notifications/push/v1/providers/apns/{providerId}
        PUT     /notifications/push/v1/providers/apns/default/{providerId}
        GET     /notifications/v1/settings
        PATCH   /notifications/v1/settings
        DELETE  /notifications/v1/settings
        GET     /notifications/push/v1/providers/webpush
        POST    /notifications/push/v1/providers/webpush
        DELETE  /notifications/push/v1/providers/webpush/{providerId}
        GET     /notifications/push/v1/providers/custom
        POST    /notifications/push/v1/providers/custom
        PUT     /notifications/push/v1/providers/custom
        DELETE  /notifications/push/v1/providers/custom
        GET     /notifications/email/v1/providers/custom
        POST    /notifications/email/v1/providers/custom
        PUT     /notifications/email/v1/providers/custom
        DELETE  /notifications/email/v1/providers/custom
        GET     /notifications/sms/v1/providers/custom
        POST    /notifications/sms/v1/providers/custom
        PUT     /notifications/sms/v1/providers/custom
        DELETE  /notifications/sms/v1/providers/custom
        GET     /notifications/email/v1/providers/sendgrid
        POST    /notifications/email/v1/providers/sendgrid
        PUT     /notifications/email/v1/providers/sendgrid
        DELETE  /notifications/email/v1/providers/sendgrid
        GET     /notifications/email/v1/providers/smtp
        POST    /notifications/email/v1/providers/smtp
        PUT     /notifications/email/v1/providers/smtp
        DELETE  /notifications/email/v1/providers/smtp
        GET     /notifications/sms/v1/providers/twilio
        POST    /notifications/sms/v1/providers/twilio
        PUT     /notifications/sms/v1/providers/twilio
        DELETE  /notifications/sms/v1/providers/twilio
        GET     /notifications/v1/logs
        POST    /notifications/v1/test
        GET     /triggers
        GET     /webhooks
        POST    /webhooks
        GET     /webhooks/{webhookId}
        PUT     /webhooks/{webhookId}
        DELETE  /webhooks/{webhookId}
        GET     /webhooks/{webhookId}/triggers
        POST    /webhooks/{webhookId}/triggers
        DELETE  /webhooks/{webhookId}/triggers
        GET     /webhooks/{webhookId}/secret
        POST    /webhooks/{webhookId}/secret/rotate
        GET     /webhooks/{webhookId}/deliveries
        GET     /webhooks/{webhookId}/deliveries/{deliveryId}
        POST    /webhooks/{webhookId}/deliveries/{deliveryId}/replay
        POST    /webhooks/{webhookId}/replay
        POST    /webhooks/{webhookId}/test
        POST    /data_import/users
        POST    /data_import/groups
        POST    /data_import/members
        POST    /data_import/messages
        POST    /moderation/reasons
        GET     /moderation/reasons
        GET     /moderation/reasons/{id}
        PUT     /moderation/reasons/{id}
        DELETE  /moderation/reasons/{id}
        GET     /moderation/flagged-messages
        PATCH   /moderation/flagged-messages/{id}
        GET     /moderation/reviewed-messages
        GET     /moderation/blocked-messages
        PATCH   /moderation/blocked-messages/{id}
        POST    /exports
        GET     /exports
        GET     /exports/{exportId}
        DELETE  /exports/{exportId}
        POST    /moderation/rules
        GET     /moderation/rules
        GET     /moderation/rules/{ruleId}
        PUT     /moderation/rules/{ruleId}
        DELETE  /moderation/rules/{ruleId}
        GET     /moderation/rules/{ruleId}/revisions
        POST    /moderation/rules/{ruleId}/try
        POST    /moderation/keywords
        GET     /moderation/keywords
        GET     /moderation/keywords/{keywordId}
        PUT     /moderation/keywords/{keywordId}
        DELETE  /moderation/keywords/{keywordId}
        POST    /imports
        GET     /imports
        GET     /imports/{importId}
        GET     /imports/{importId}/refused
        DELETE  /imports/{importId}
        PUT     /users
        DELETE  /users
        DELETE  /users/{uid}
        GET     /users/{uid}/auth_tokens
        GET     /users/{uid}/auth_tokens/{authToken}
        POST    /users/{uid}/friends
        DELETE  /users/{uid}/friends
        """,
    "sign-in": """
        POST    /users
        POST    /users/{uid}/auth_tokens
        """,
    "profile": """
        PUT     /users/{uid}
        """,
    "own": """
        DELETE  /users/{uid}/auth_tokens
        PUT     /users/{uid}/auth_tokens/{authToken}
        DELETE  /users/{uid}/auth_tokens/{authToken}
        GET     /users/{uid}/sessions
        DELETE  /users/{uid}/sessions/{sessionId}
        GET     /users/{uid}/friends
        GET     /users/{uid}/blockedusers
        POST    /users/{uid}/blockedusers
        DELETE  /users/{uid}/blockedusers
        """,
    "oneself": """
        GET     /notifications/v1/contact-details
        PATCH   /notifications/v1/contact-details
        DELETE  /notifications/v1/contact-details
        """,
    "people": """
        GET     /users
        GET     /users/{uid}
        GET     /users/{uid}/messages
        GET     /groups
        POST    /groups
        GET     /groups/{guid}
        PUT     /groups/{guid}
        DELETE  /groups/{guid}
        GET     /groups/{guid}/members
        POST    /groups/{guid}/members
        PUT     /groups/{guid}/members/{uid}
        DELETE  /groups/{guid}/members/{uid}
        GET     /groups/{guid}/bannedusers
        POST    /groups/{guid}/bannedusers/{uid}
        DELETE  /groups/{guid}/bannedusers/{uid}
        GET     /groups/{guid}/banned_members
        POST    /groups/{guid}/banned_members/{uid}
        DELETE  /groups/{guid}/banned_members/{uid}
        GET     /groups/{guid}/messages
        GET     /notifications/push/v1/tokens
        POST    /notifications/push/v1/tokens
        DELETE  /notifications/push/v1/tokens
        DELETE  /notifications/push/v1/tokens/{pushToken}
        GET     /notifications/v1/preferences
        PATCH   /notifications/v1/preferences
        DELETE  /notifications/v1/preferences
        GET     /notifications/v1/preferences/mute
        PUT     /notifications/v1/preferences/mute
        DELETE  /notifications/v1/preferences/mute
        GET     /notifications/v1/preferences/timezone
        PATCH   /notifications/v1/preferences/timezone
        GET     /messages
        POST    /messages
        GET     /messages/{id}
        """,
}
NOT_ABOUT_PEOPLE = (
    "/apps",
    "/apikeys",
    "/settings",
    "/stats",
    "/events",
    "/identity_provider",
    "/legal_hold",
    "/retention_runs",
    "/roles",
    "/notifications/email",
    "/notifications/push/v1/providers",
    "/notifications/v1/settings",
    "/notifications/sms",
    "/notifications/v1/logs",
    "/notifications/v1/test",
    "/triggers",
    "/webhooks",
)
"""Path prefixes of operations that touch no user, group or message; only credentials matter."""

# In groups: by the caller's standing in {guid}, and by the type of the group; `absent` means none.
# {id} is a message that was sent in it. {uid}, where there is one, stands for any user.
IN_GROUPS = """
GET /groups/{guid}
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
admin        ok                  ok              GUID_NOT_FOUND
moderator    ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     ok                  GUID_NOT_FOUND  GUID_NOT_FOUND
banned       ok                  GUID_NOT_FOUND  GUID_NOT_FOUND

PUT /groups/{guid}/legal_hold {"hold": false}
     public, password, private  absent
app  ok                         GUID_NOT_FOUND

PUT /groups/{guid} {"name": "Climbers"}
             public, password    private             absent
app          ok                  ok                  GUID_NOT_FOUND
owner        ok                  ok                  GUID_NOT_FOUND
admin        ok                  ok                  GUID_NOT_FOUND
moderator    ok                  ok                  GUID_NOT_FOUND
participant  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND

PUT /groups/{guid} {"type": "private"}
             public, password    private             absent
app          ok                  ok                  GUID_NOT_FOUND
owner        ok                  ok                  GUID_NOT_FOUND
admin        ok                  ok                  GUID_NOT_FOUND
moderator    ok                  ok                  GUID_NOT_FOUND
participant  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND

PUT /groups/{guid} {"owner": "other-participant"}
                     public, password    private             absent
app                  ok                  ok                  GUID_NOT_FOUND
owner's token        ok                  ok                  GUID_NOT_FOUND
admin's token        NO_CLEARANCE        NO_CLEARANCE        GUID_NOT_FOUND
moderator's token    NO_CLEARANCE        NO_CLEARANCE        GUID_NOT_FOUND
participant's token  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
stranger's token     GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
banned's token       BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND
as owner             ok                  ok                  GUID_NOT_FOUND
as admin             ok                  ok                  GUID_NOT_FOUND
as moderator         ok                  ok                  GUID_NOT_FOUND
as participant       NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
as stranger          GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
as banned            BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND

PUT /groups/{guid} {"owner": "other-stranger"}
               public, password  private       absent
app            ok                ok            GUID_NOT_FOUND
owner's token  NOT_A_MEMBER      NOT_A_MEMBER  GUID_NOT_FOUND
admin's token  NO_CLEARANCE      NO_CLEARANCE  GUID_NOT_FOUND

DELETE /groups/{guid}
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
admin        ok                  ok              GUID_NOT_FOUND
moderator    NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
participant  NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

GET /groups/{guid}/members
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
admin        ok                  ok              GUID_NOT_FOUND
moderator    ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

GET /groups/{guid}/bannedusers
             public, password    private             absent
app          ok                  ok                  GUID_NOT_FOUND
owner        ok                  ok                  GUID_NOT_FOUND
admin        ok                  ok                  GUID_NOT_FOUND
moderator    ok                  ok                  GUID_NOT_FOUND
participant  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND

POST /groups/{guid}/members {}
             public              password            private         absent
owner        ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
admin        ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
moderator    ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
participant  ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
stranger     ok                  EMPTY_GROUP_PASS    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/members {"password": "wrong"}
             public              password            private         absent
owner        ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
participant  ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
stranger     ok                  WRONG_GROUP_PASS    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/members {"password": "open sesame"}
             public              password            private         absent
owner        ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
participant  ALREADY_JOINED      ALREADY_JOINED      ALREADY_JOINED  GUID_NOT_FOUND
stranger     ok                  ok                  GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/members {"participants": ["{uid}"]}
             public, password    private         absent
app          -                   -               GUID_NOT_FOUND
owner        -                   -               GUID_NOT_FOUND
admin        -                   -               GUID_NOT_FOUND
moderator    NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
participant  NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/members {"usersToBan": ["{uid}"]}
             public, password    private         absent
app          -                   -               GUID_NOT_FOUND
owner        -                   -               GUID_NOT_FOUND
admin        -                   -               GUID_NOT_FOUND
moderator    NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
participant  NO_ADMIN_SCOPE      NO_ADMIN_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

PUT /groups/{guid}/members/{uid} {"scope": "moderator"}
             public, password    private         absent
app          -                   -               GUID_NOT_FOUND
owner        -                   -               GUID_NOT_FOUND
admin        -                   -               GUID_NOT_FOUND
moderator    -                   -               GUID_NOT_FOUND
participant  -                   -               GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

DELETE /groups/{guid}/members/{uid}
             public, password    private         absent
app          -                   -               GUID_NOT_FOUND
owner        -                   -               GUID_NOT_FOUND
admin        -                   -               GUID_NOT_FOUND
moderator    -                   -               GUID_NOT_FOUND
participant  -                   -               GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/bannedusers/{uid}
             public, password    private         absent
app          -                   -               GUID_NOT_FOUND
owner        -                   -               GUID_NOT_FOUND
admin        -                   -               GUID_NOT_FOUND
moderator    -                   -               GUID_NOT_FOUND
participant  -                   -               GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

DELETE /groups/{guid}/bannedusers/{uid}
             public, password    private             absent
app          -                   -                   GUID_NOT_FOUND
owner        -                   -                   GUID_NOT_FOUND
admin        -                   -                   GUID_NOT_FOUND
moderator    -                   -                   GUID_NOT_FOUND
participant  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE  GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND      GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND      GUID_NOT_FOUND

GET /groups/{guid}/messages
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
admin        ok                  ok              GUID_NOT_FOUND
moderator    ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /messages {"receiver": "{guid}", "receiverType": "group", "data": {"text": "Hello"}}
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
admin        ok                  ok              GUID_NOT_FOUND
moderator    ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

GET /messages?conversationId=group_{guid}
             public, password             private                      absent
app          ok                           ok                           CONVERSATION_NOT_ACCESSIBLE
owner        ok                           ok                           CONVERSATION_NOT_ACCESSIBLE
admin        ok                           ok                           CONVERSATION_NOT_ACCESSIBLE
moderator    ok                           ok                           CONVERSATION_NOT_ACCESSIBLE
participant  ok                           ok                           CONVERSATION_NOT_ACCESSIBLE
stranger     CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE
banned       CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE

GET /messages/{id}
             public, password      private               absent
app          ok                    ok                    MESSAGE_ID_NOT_FOUND
owner        ok                    ok                    MESSAGE_ID_NOT_FOUND
admin        ok                    ok                    MESSAGE_ID_NOT_FOUND
moderator    ok                    ok                    MESSAGE_ID_NOT_FOUND
participant  ok                    ok                    MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND

GET /groups/{guid}/scopes/participant/permissions
     public, password, private  absent
app  ok                         GUID_NOT_FOUND

PUT /groups/{guid}/scopes/participant/permissions {"permissions": {"sendMessage": "deny"}}
     public, password, private  absent
app  ok                         GUID_NOT_FOUND

DELETE /groups/{guid}/scopes/participant/permissions/sendMessage
     public, password, private  absent
app  ok                         GUID_NOT_FOUND
"""

# On members: what members of a group, of any type, may do there to {uid}.
ON_MEMBERS = """
DELETE /groups/{guid}/members/{uid}
             owner         admin, moderator  participant   oneself
app          ok            ok                ok            -
owner        -             ok                ok            ok
admin        NO_CLEARANCE  ok                ok            ok
moderator    NO_CLEARANCE  NO_CLEARANCE      ok            ok
participant  NO_CLEARANCE  NO_CLEARANCE      NO_CLEARANCE  ok

DELETE /groups/{guid}/members/{uid}
             stranger, banned  nobody, app_system
app          NOT_A_MEMBER      UID_NOT_FOUND
owner        NOT_A_MEMBER      UID_NOT_FOUND
admin        NOT_A_MEMBER      UID_NOT_FOUND
moderator    NOT_A_MEMBER      UID_NOT_FOUND
participant  NO_CLEARANCE      NO_CLEARANCE

POST /groups/{guid}/bannedusers/{uid}
             owner         admin, moderator  participant   stranger      oneself
app          ok            ok                ok            ok            -
owner        -             ok                ok            ok            NO_SELF_ACTION
admin        NO_CLEARANCE  ok                ok            ok            NO_SELF_ACTION
moderator    NO_CLEARANCE  NO_CLEARANCE      ok            ok            NO_SELF_ACTION
participant  NO_CLEARANCE  NO_CLEARANCE      NO_CLEARANCE  NO_CLEARANCE  NO_SELF_ACTION

POST /groups/{guid}/bannedusers/{uid}
             banned          nobody         app_system
app          ALREADY_BANNED  UID_NOT_FOUND  NO_SELF_ACTION
owner        ALREADY_BANNED  UID_NOT_FOUND  UID_NOT_FOUND
admin        ALREADY_BANNED  UID_NOT_FOUND  UID_NOT_FOUND
moderator    ALREADY_BANNED  UID_NOT_FOUND  UID_NOT_FOUND
participant  NO_CLEARANCE    NO_CLEARANCE   NO_CLEARANCE

DELETE /groups/{guid}/bannedusers/{uid}
             banned              owner, admin, moderator, participant, stranger, oneself
app          ok                  NOT_A_BANNED_USER
owner        ok                  NOT_A_BANNED_USER
admin        ok                  NOT_A_BANNED_USER
moderator    ok                  NOT_A_BANNED_USER
participant  NO_MODERATOR_SCOPE  NO_MODERATOR_SCOPE

PUT /groups/{guid}/members/{uid} {"scope": "admin"}
             owner               admin               moderator           participant
app          SAME_SCOPE          SAME_SCOPE          ok                  ok
owner        -                   SAME_SCOPE          ok                  ok
admin        SAME_SCOPE          SAME_SCOPE          ok                  ok
moderator    NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE
participant  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE

PUT /groups/{guid}/members/{uid} {"scope": "moderator"}
             owner               admin               moderator           participant
app          ok                  ok                  SAME_SCOPE          ok
owner        -                   ok                  SAME_SCOPE          ok
admin        NO_CLEARANCE        ok                  SAME_SCOPE          ok
moderator    NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  SAME_SCOPE          ok
participant  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE

PUT /groups/{guid}/members/{uid} {"scope": "participant"}
             owner               admin               moderator           participant
app          ok                  ok                  ok                  SAME_SCOPE
owner        -                   ok                  ok                  SAME_SCOPE
admin        NO_CLEARANCE        ok                  ok                  SAME_SCOPE
moderator    NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  ok                  SAME_SCOPE
participant  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE  NO_SCOPE_CLEARANCE

PUT /groups/{guid}/members/{uid} {"scope": "participant"}
             stranger, banned    oneself         nobody, app_system
app          NOT_A_MEMBER        -               UID_NOT_FOUND
owner        NOT_A_MEMBER        NO_SELF_ACTION  UID_NOT_FOUND
admin        NOT_A_MEMBER        NO_SELF_ACTION  UID_NOT_FOUND
moderator    NOT_A_MEMBER        NO_SELF_ACTION  UID_NOT_FOUND
participant  NO_SCOPE_CLEARANCE  NO_SELF_ACTION  NO_SCOPE_CLEARANCE

POST /groups/{guid}/members {"participants": ["{uid}"]}
       owner, admin, moderator, participant  stranger  banned                nobody, app_system
app    (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)
owner  (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)
admin  (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)

POST /groups/{guid}/members {"admins": ["{uid}"]}
       owner, admin, moderator, participant  stranger  banned                nobody, app_system
app    (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)
owner  (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)
admin  (ALREADY_JOINED)                      ok        (BANNED_GROUPMEMBER)  (UID_NOT_FOUND)

POST /groups/{guid}/members {"usersToBan": ["{uid}"]}
       owner           admin, moderator, participant, stranger  banned            nobody
app    ok              ok                                       (ALREADY_BANNED)  (UID_NOT_FOUND)
owner  -               ok                                       (ALREADY_BANNED)  (UID_NOT_FOUND)
admin  (NO_CLEARANCE)  ok                                       (ALREADY_BANNED)  (UID_NOT_FOUND)

POST /groups/{guid}/members {"usersToBan": ["{uid}"]}
       oneself           app_system
app    -                 (NO_SELF_ACTION)
owner  (NO_SELF_ACTION)  (UID_NOT_FOUND)
admin  (NO_SELF_ACTION)  (UID_NOT_FOUND)
"""

# Between two users: Anna or another user calls, about Ben or their one message {id}, which Anna
# sent. `blocks ben`: Anna has blocked Ben; `is blocked`: Ben has blocked Anna. Both are in a club,
# Clara is not.
BETWEEN_TWO = """
POST /messages {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}
      no block  blocks ben        is blocked
app   ok        ok                ok
anna  ok        BLOCKED_RECEIVER  BLOCKED_SENDER

POST /messages {"receiver": "anna", "receiverType": "user", "data": {"text": "Hello"}}
     no block  blocks ben      is blocked
app  ok        ok              ok
ben  ok        BLOCKED_SENDER  BLOCKED_RECEIVER

POST /messages {"receiver": "club", "receiverType": "group", "data": {"text": "Hello"}}
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  GROUP_NOT_JOINED

GET /groups/club/messages
      no block, blocks ben, is blocked
anna  ok
ben   ok

GET /groups/club/members
      no block, blocks ben, is blocked
anna  ok
ben   ok

GET /messages/{id}
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

GET /messages?conversationId=anna_user_ben
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

GET /messages
       no block, blocks ben, is blocked
app    ok
anna   ok
clara  ok

GET /users/ben/messages
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  ok

GET /users/ben
       no block, blocks ben, is blocked
app    ok
anna   ok
clara  ok

GET /users
      no block, blocks ben, is blocked
app   ok
anna  ok

POST /users/anna/blockedusers {"blockedUids": ["ben"]}
      no block, blocks ben, is blocked
app   ok
anna  ok

DELETE /users/anna/blockedusers {"blockedUids": ["ben"]}
      no block, blocks ben, is blocked
app   ok
anna  ok

GET /users/anna/blockedusers
      no block, blocks ben, is blocked
app   ok
anna  ok

POST /users/anna/friends {"accepted": ["ben"]}
     no block, blocks ben, is blocked
app  ok
"""

# Messages between others: a user who takes no part in them is answered as if there were none.
ABOUT_MESSAGES = """
GET /messages/{id}
        anybody
clara   MESSAGE_ID_NOT_FOUND

GET /messages?conversationId={uid}_user_ben
        anybody
clara   CONVERSATION_NOT_ACCESSIBLE

GET /messages?id={id}
        anybody
clara   BAD_REQUEST

GET /users/ben/messages?id={id}
        anybody
clara   BAD_REQUEST
"""

# On users: by the state of {uid}. Anna is another user, `oneself` is {uid}, in both ways;
# `app_system` is the name under which the app itself writes, and no user's uid.
ON_USERS = """
GET /users/{uid}
      active  deactivated    deleted        nobody, app_system
app   ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
anna  ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

PUT /users/{uid} {"name": "Carl"}
          active     deactivated    deleted        nobody, app_system
app       ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
auth key  ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself   ok         -              -              -
anna      NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

PUT /users/{uid} {"role": "default"}
          active     deactivated    deleted        nobody, app_system
app       ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
auth key  NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS
oneself   NO_ACCESS  -              -              -

PUT /users/{uid} {"metadata": {"@private": {"email": "carl@example.com"}}}
         active
app      ok
oneself  NO_ACCESS

DELETE /users/{uid}
     active  nobody, app_system
app  ok      UID_NOT_FOUND

POST /users {"uid": "{uid}", "name": "Carl"}
          active, deactivated, deleted  nobody  app_system
app       UID_ALREADY_EXISTS            ok      BAD_REQUEST
auth key  UID_ALREADY_EXISTS            ok      BAD_REQUEST

POST /users {"uid": "{uid}", "name": "Carl", "role": "default"}
          active, deactivated, deleted  nobody
app       UID_ALREADY_EXISTS            ok
auth key  NO_ACCESS                     NO_ACCESS

PUT /users {"uidsToActivate": ["{uid}"]}
     active, deactivated
app  ok

DELETE /users {"uidsToDeactivate": ["{uid}"]}
     active, deactivated
app  ok

POST /users/{uid}/auth_tokens {}
          active  deactivated    deleted        nobody, app_system
app       ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
auth key  ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

GET /users/{uid}/auth_tokens
     active  deleted        nobody, app_system
app  ok      UID_NOT_FOUND  UID_NOT_FOUND

PUT /users/{uid}/legal_hold {"hold": false}
     active, deleted  nobody, app_system
app  ok               UID_NOT_FOUND

DELETE /users/{uid}/auth_tokens
         active     deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS

GET /users/{uid}/auth_tokens/{authToken}
     active  deleted        nobody, app_system
app  ok      UID_NOT_FOUND  UID_NOT_FOUND

PUT /users/{uid}/auth_tokens/{authToken} {"platform": "android"}
         active     deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS

DELETE /users/{uid}/auth_tokens/{authToken}
         active     deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS

GET /users/{uid}/sessions
         active     deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS

DELETE /users/{uid}/sessions/0123456789abcdef0123456789abcdef
         active             deleted        nobody, app_system
app      SESSION_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  SESSION_NOT_FOUND  -              -
anna     NO_ACCESS          NO_ACCESS      NO_ACCESS

GET /users/{uid}/messages
      active
app   ok
anna  ok

POST /messages {"receiver": "{uid}", "receiverType": "user", "data": {"text": "Hello"}}
      active  deactivated    deleted        nobody, app_system
app   ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
anna  ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

POST /groups {"guid": "{uid}-s", "name": "Hikers", "type": "public"}
      active
app   ok
anna  ok

POST /groups {"guid": "hikers", "name": "Hikers", "type": "public"}
      active
app   GUID_ALREADY_EXISTS
anna  GUID_ALREADY_EXISTS

POST /groups {"guid": "{uid}-s", "name": "Hikers", "type": "public", "owner": "{uid}"}
     active, app_system  deactivated    deleted        nobody
app  ok                  UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

GET /users/{uid}/friends
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

POST /users/{uid}/friends {"accepted": ["anna"]}
     active  deactivated    deleted        nobody, app_system
app  ok      UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

POST /users/anna/friends {"accepted": ["{uid}"]}
     active  deactivated      deleted          nobody, app_system
app  ok      (UID_NOT_FOUND)  (UID_NOT_FOUND)  (UID_NOT_FOUND)

POST /users/{uid}/friends {"accepted": ["{uid}"]}
     active
app  (CANNOT_FORM_SELF_RELATION)

DELETE /users/{uid}/friends {"friends": ["anna"]}
     active        deactivated    deleted        nobody, app_system
app  NOT_A_FRIEND  UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND

GET /users/{uid}/blockedusers
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

POST /users/{uid}/blockedusers {"blockedUids": ["anna"]}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

POST /users/{uid}/blockedusers {"blockedUids": ["{uid}"]}
         active
app      (CANNOT_BLOCK_SELF)
oneself  (CANNOT_BLOCK_SELF)

DELETE /users/{uid}/blockedusers {"blockedUids": ["anna"]}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

GET /notifications/v1/contact-details
      active
anna  ok

PATCH /notifications/v1/contact-details {"email": "anna@example.com"}
      active
anna  ok

DELETE /notifications/v1/contact-details
      active
anna  ok

GET /notifications/v1/preferences?uid={uid}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

PATCH /notifications/v1/preferences?uid={uid} {"usePrivacyTemplate": true}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

DELETE /notifications/v1/preferences?uid={uid}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

GET /notifications/v1/preferences/mute?uid={uid}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

PUT /notifications/v1/preferences/mute?uid={uid} {"conversations": []}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

DELETE /notifications/v1/preferences/mute?uid={uid} {"conversations": []}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

GET /notifications/v1/preferences/timezone?uid={uid}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

PATCH /notifications/v1/preferences/timezone?uid={uid} {"timezone": "Asia/Tokyo"}
         active     deactivated    deleted        nobody, app_system
app      ok         UID_NOT_FOUND  UID_NOT_FOUND  UID_NOT_FOUND
oneself  ok         -              -              -
anna     NO_ACCESS  NO_ACCESS      NO_ACCESS      NO_ACCESS

POST /notifications/push/v1/tokens {"platform":"fcm_web","fcmToken":"x","authToken":"{authToken}"}
         active     deactivated, deleted, nobody
app      ok         ERR_AUTH_TOKEN_NOT_FOUND
oneself  ok         -
anna     NO_ACCESS  ERR_AUTH_TOKEN_NOT_FOUND

GET /notifications/push/v1/tokens?authToken={authToken}
         active     deactivated, deleted, nobody
app      ok         ERR_AUTH_TOKEN_NOT_FOUND
oneself  ok         -
anna     NO_ACCESS  ERR_AUTH_TOKEN_NOT_FOUND

DELETE /notifications/push/v1/tokens {"authToken": "{authToken}"}
         active     deactivated, deleted, nobody
app      ok         ERR_AUTH_TOKEN_NOT_FOUND
oneself  ok         -
anna     NO_ACCESS  ERR_AUTH_TOKEN_NOT_FOUND

DELETE /notifications/push/v1/tokens/x-{uid} {"authToken": "{authToken}"}
         active     deactivated, deleted, nobody
app      ok         ERR_AUTH_TOKEN_NOT_FOUND
oneself  ok         -
anna     NO_ACCESS  ERR_AUTH_TOKEN_NOT_FOUND

POST /data_import/users {"users": {"{uid}-2": {"uid": "{uid}-2", "name": "Carl"}}}
     active
app  ok

POST /data_import/groups {"groups": {"g": {"guid": "g", "name": "Golfers", "type": "public"}}}
     active
app  ok

POST /data_import/members {"members": {}}
     active
app  ok

POST /data_import/messages {"messages": {}}
     active
app  ok

POST /moderation/reasons {"id": "spam", "name": "Spam"}
     active
app  ok

GET /moderation/reasons
     active
app  ok

GET /moderation/reasons/rude
     active
app  ERR_REASON_NOT_FOUND

PUT /moderation/reasons/rude {"name": "Rude"}
     active
app  ERR_REASON_NOT_FOUND

DELETE /moderation/reasons/rude
     active
app  ERR_REASON_NOT_FOUND

GET /moderation/flagged-messages
     active
app  ok

PATCH /moderation/flagged-messages/999 {"status": "approved"}
     active
app  ERR_MESSAGE_ID_NOT_FOUND

GET /moderation/reviewed-messages
     active
app  ok

GET /moderation/blocked-messages
     active
app  ok

PATCH /moderation/blocked-messages/999 {"status": "approved"}
     active
app  ERR_MESSAGE_ID_NOT_FOUND

POST /exports {}
     active
app  ok

GET /exports
     active
app  ok

GET /exports/0123456789abcdef0123456789abcdef
     active
app  ERR_EXPORT_NOT_FOUND

DELETE /exports/0123456789abcdef0123456789abcdef
     active
app  ERR_EXPORT_NOT_FOUND

POST /moderation/rules {"enabled": false}
     active
app  ok

GET /moderation/rules
     active
app  ok

GET /moderation/rules/none
     active
app  ERR_RULE_NOT_FOUND

PUT /moderation/rules/none {"enabled": true}
     active
app  ERR_RULE_NOT_FOUND

DELETE /moderation/rules/none
     active
app  ERR_RULE_NOT_FOUND

GET /moderation/rules/none/revisions
     active
app  ERR_RULE_NOT_FOUND

POST /moderation/rules/none/try {}
     active
app  ERR_RULE_NOT_FOUND

POST /moderation/keywords {"category": "word", "searchTerms": ["spam"]}
     active
app  ok

GET /moderation/keywords
     active
app  ok

GET /moderation/keywords/none
     active
app  ERR_KEYWORD_NOT_FOUND

PUT /moderation/keywords/none {"searchTerms": ["spam"]}
     active
app  ERR_KEYWORD_NOT_FOUND

DELETE /moderation/keywords/none
     active
app  ERR_KEYWORD_NOT_FOUND

POST /imports {"url": "https://example.org/export.zip"}
     active
app  ok

GET /imports
     active
app  ok

GET /imports/0123456789abcdef
     active
app  ERR_IMPORT_NOT_FOUND

GET /imports/0123456789abcdef/refused
     active
app  ERR_IMPORT_NOT_FOUND

DELETE /imports/0123456789abcdef
     active
app  ERR_IMPORT_NOT_FOUND
"""

# Lists of groups and messages: the caller of a row finds them, or does not.
SHOWN = """
GET /groups
             public, password  private
app          shown             shown
owner        shown             shown
admin        shown             shown
moderator    shown             shown
participant  shown             shown
stranger     shown             hidden
banned       shown             hidden

GET /groups?hasJoined=true
             public, password  private
owner        shown             shown
admin        shown             shown
moderator    shown             shown
participant  shown             shown
stranger     hidden            hidden
banned       hidden            hidden

GET /messages
             public, password  private
app          shown             shown
owner        shown             shown
admin        shown             shown
moderator    shown             shown
participant  shown             shown
stranger     hidden            hidden
banned       hidden            hidden
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One cell, for one caller and one object of the call."""

    caller: str
    about: str
    cell: str


@dataclass(frozen=True, slots=True)
class Table:
    """A call, and its outcomes by caller."""

    method: str
    path: str
    body: str
    cases: tuple[Case, ...]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.body}".strip()


def read_tables(text: str) -> list[Table]:
    """Return the tables of a text, which are separated by empty lines."""
    return [_read_table(block) for block in text.strip().split("\n\n")]


def read_cases(block: str) -> Iterator[Case]:
    """Yield the cells of one table."""
    heading, *lines = block.strip("\n").split("\n")
    columns = _cells(heading)
    for line in lines:
        callers, *cells = _cells(line)
        assert len(cells) == len(columns), line
        for column, cell in zip(columns, cells, strict=True):
            for caller in callers.split(", "):
                for about in column.split(", "):
                    yield Case(caller, about, cell)


def code_of(cell: str) -> str:
    """Return the code that is these words, or the one that ends with them.

    A code with which another one ends is written whole.
    """
    codes = _statuses()
    if cell in codes:
        return cell
    whole = {code for code in codes if any(other.endswith(f"_{code}") for other in codes)}
    found = [code for code in codes if code not in whole and f"_{code}".endswith(f"_{cell}")]
    assert len(found) == 1, f"{cell} may be any of {found}"
    return found[0]


def status_of(code: str) -> int:
    """Return the status of a code."""
    return _statuses()[code]


def _statuses() -> dict[str, int]:
    return {code: status for status, codes in STATUS.items() for code in codes.split()}


def _read_table(block: str) -> Table:
    call, cells = block.split("\n", 1)
    method, path, body = (*call.split(" ", 2), "")[:3]
    cases = tuple(case for case in read_cases(cells) if case.cell != "-")
    return Table(method, path, body, cases)


def _cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())
