"""Permissions about messages and conversations: the rest of `access_table.py`, in its form.

In groups {id} is a message that the owner sent, and {own} one that the participant sent.
"""

KINDS = {
    "server": """
        GET     /bots
        POST    /bots
        GET     /bots/{uid}
        PUT     /bots/{uid}
        DELETE  /bots/{uid}
        POST    /bots/{uid}/messages
        PUT     /legal_hold
        PUT     /users/{uid}/legal_hold
        PUT     /groups/{guid}/legal_hold
        GET     /legal_holds
        GET     /retention_runs
        """,
    "people": """
        GET     /conversations
        POST    /users/{uid}/conversation/pin
        DELETE  /users/{uid}/conversation/pin
        POST    /groups/{guid}/conversation/pin
        DELETE  /groups/{guid}/conversation/pin
        GET     /users/{uid}/conversation/retention
        PUT     /users/{uid}/conversation/retention
        GET     /groups/{guid}/conversation/retention
        PUT     /groups/{guid}/conversation/retention
        PUT     /messages/{id}
        DELETE  /messages/{id}
        POST    /messages/append
        POST    /messages/{id}/append
        POST    /messages/{id}/finish
        POST    /messages/{id}/stop
        POST    /messages/{id}/pin
        DELETE  /messages/{id}/pin
        GET     /messages/{id}/reactions
        GET     /messages/{id}/reactions/{reaction}
        GET     /messages/{id}/thread
        GET     /messages/replies
        GET     /messages/{id}/submissions
        GET     /messages/{id}/votes
        POST    /messages/{id}/votes/close
        GET     /messages/{id}/receipts
        GET     /messages/{id}/history
        GET     /scheduled-messages
        GET     /scheduled-messages/{id}
        PATCH   /scheduled-messages/{id}
        DELETE  /scheduled-messages/{id}
        POST    /scheduled-messages/{id}/send
        """,
    "oneself": """
        GET     /reminders
        POST    /messages/{id}/reminders
        DELETE  /messages/{id}/reminders
        GET     /drafts
        GET     /conversations/{conversationId}/draft
        PUT     /conversations/{conversationId}/draft
        DELETE  /conversations/{conversationId}/draft
        GET     /conversations/{conversationId}
        DELETE  /conversations/{conversationId}
        GET     /users/{uid}/conversation
        PUT     /users/{uid}/conversation
        DELETE  /users/{uid}/conversation
        POST    /users/{uid}/conversation/delivered
        POST    /users/{uid}/conversation/read
        DELETE  /users/{uid}/conversation/read
        GET     /groups/{guid}/conversation
        PUT     /groups/{guid}/conversation
        DELETE  /groups/{guid}/conversation
        POST    /groups/{guid}/conversation/delivered
        POST    /groups/{guid}/conversation/read
        DELETE  /groups/{guid}/conversation/read
        POST    /messages/{id}/flagged
        POST    /messages/{id}/appeal
        POST    /messages/{id}/save
        DELETE  /messages/{id}/save
        POST    /messages/{id}/reactions/{reaction}
        DELETE  /messages/{id}/reactions/{reaction}
        POST    /messages/{id}/thread
        PATCH   /messages/{id}/interacted
        POST    /messages/{id}/submissions
        POST    /messages/{id}/votes
        DELETE  /messages/{id}/votes
        """,
}

IN_GROUPS = """
GET /groups/{guid}/conversation/retention
             public, password             private         absent
app          ok                           ok              GUID_NOT_FOUND
owner        ok                           ok              GUID_NOT_FOUND
participant  ok                           ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED             GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER           GUID_NOT_FOUND  GUID_NOT_FOUND

PUT /groups/{guid}/conversation/retention {"disappearAfter": 0}
                public, password       private                absent
app             ok                     ok                     GUID_NOT_FOUND
as owner        ok                     ok                     GUID_NOT_FOUND
as participant  ok                     ok                     GUID_NOT_FOUND
owner's token   RETENTION_NOT_ALLOWED  RETENTION_NOT_ALLOWED  GUID_NOT_FOUND
stranger        GROUP_NOT_JOINED       GUID_NOT_FOUND         GUID_NOT_FOUND
banned          BANNED_GROUPMEMBER     GUID_NOT_FOUND         GUID_NOT_FOUND

GET /groups/{guid}/conversation
             public, password             private         absent
owner        ok                           ok              GUID_NOT_FOUND
admin        ok                           ok              GUID_NOT_FOUND
moderator    ok                           ok              GUID_NOT_FOUND
participant  ok                           ok              GUID_NOT_FOUND
stranger     CONVERSATION_NOT_ACCESSIBLE  GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER           GUID_NOT_FOUND  GUID_NOT_FOUND

GET /conversations/group_{guid}
             public, password, private    absent
owner        ok                           CONVERSATION_NOT_ACCESSIBLE
participant  ok                           CONVERSATION_NOT_ACCESSIBLE
stranger     CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE
banned       CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE

DELETE /conversations/group_{guid}
                     public, password, private    absent
owner's token        ok                           CONVERSATION_NOT_ACCESSIBLE
admin's token        ok                           CONVERSATION_NOT_ACCESSIBLE
moderator's token    NO_ADMIN_SCOPE               CONVERSATION_NOT_ACCESSIBLE
participant's token  NO_ADMIN_SCOPE               CONVERSATION_NOT_ACCESSIBLE
as participant       ok                           CONVERSATION_NOT_ACCESSIBLE
stranger             CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE
banned               CONVERSATION_NOT_ACCESSIBLE  CONVERSATION_NOT_ACCESSIBLE

PUT /groups/{guid}/conversation {"tags": ["fun"]}
             public, password    private         absent
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

DELETE /groups/{guid}/conversation
             public, password    private         absent
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/conversation/pin
             public, password
app          ok
owner        ok
participant  ok
stranger     GROUP_NOT_JOINED
banned       BANNED_GROUPMEMBER

POST /groups/{guid}/conversation/pin
             private         absent
app          ok              GUID_NOT_FOUND
owner        ok              GUID_NOT_FOUND
participant  ok              GUID_NOT_FOUND
stranger     GUID_NOT_FOUND  GUID_NOT_FOUND
banned       GUID_NOT_FOUND  GUID_NOT_FOUND

DELETE /groups/{guid}/conversation/pin
             public, password    private         absent
app          ok                  ok              GUID_NOT_FOUND
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/conversation/delivered {}
             public, password    private         absent
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

POST /groups/{guid}/conversation/read {"messageId": {id}}
             public, password    private         absent
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

DELETE /groups/{guid}/conversation/read {"messageId": {id}}
             public, password    private         absent
owner        ok                  ok              GUID_NOT_FOUND
participant  ok                  ok              GUID_NOT_FOUND
stranger     GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned       BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

PUT /messages/{id} {"data": {"text": "Good-bye"}}
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
admin        ok                         MESSAGE_ID_NOT_FOUND
moderator    ok                         MESSAGE_ID_NOT_FOUND
participant  NOT_A_SENDER               MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

PUT /messages/{own} {"data": {"text": "Good-bye"}}
             public, password, private
app          ok
owner        ok
admin        ok
moderator    ok
participant  ok

DELETE /messages/{id} {}
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
admin        ok                         MESSAGE_ID_NOT_FOUND
moderator    ok                         MESSAGE_ID_NOT_FOUND
participant  NOT_A_SENDER               MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

DELETE /messages/{own} {"permanent": true}
             public, password, private
app          ok
owner        ok
admin        ok
moderator    ok
participant  ok

POST /messages/append {"appends": [{"id": "{id}", "text": "a", "sequence": 1}]}
             public, password, private
app          ok
owner        ok
stranger     ok
banned       ok

POST /messages/{id}/append {"text": "a", "sequence": 1}
             public, password, private  absent
app          NOT_GROWING                MESSAGE_ID_NOT_FOUND
owner        NOT_GROWING                MESSAGE_ID_NOT_FOUND
participant  NOT_A_SENDER               MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/finish {}
             public, password, private  absent
app          NOT_GROWING                MESSAGE_ID_NOT_FOUND
owner        NOT_GROWING                MESSAGE_ID_NOT_FOUND
participant  NOT_A_SENDER               MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/stop
             public, password, private  absent
app          NOT_GROWING                MESSAGE_ID_NOT_FOUND
owner        NOT_GROWING                MESSAGE_ID_NOT_FOUND
participant  NOT_GROWING                MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/pin
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/appeal {}
             public, password, private, absent
owner        MESSAGE_ID_NOT_FOUND
participant  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/flagged {}
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/pin
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reminders {"at": 1800000100}
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/save
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/save
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/reactions
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/reactions/wave
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reactions/wave
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/reactions/wave
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/receipts
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/history
             public, password, private       absent
app          ok                              MESSAGE_ID_NOT_FOUND
owner        ok                              MESSAGE_ID_NOT_FOUND
moderator    ok                              MESSAGE_ID_NOT_FOUND
participant  MESSAGE_HISTORY_NOT_ACCESSIBLE  MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND            MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND            MESSAGE_ID_NOT_FOUND

GET /messages/replies?ids={id}
             public, password, private
app          ok
owner        ok
participant  ok
stranger     ok
banned       ok

GET /messages/{id}/thread
             public, password, private  absent
app          ok                         MESSAGE_ID_NOT_FOUND
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/thread {"data": {"text": "Hello, too"}}
             public, password, private  absent
owner        ok                         MESSAGE_ID_NOT_FOUND
participant  ok                         MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

PATCH /messages/{id}/interacted {"interactions": ["hello"]}
             public, password, private  absent
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/submissions {"formData": {}}
             public, password, private  absent
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/submissions
             public, password, private  absent
app          -                          MESSAGE_ID_NOT_FOUND
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/votes {"options": [0]}
             public, password, private  absent
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/votes
             public, password, private  absent
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

GET /messages/{id}/votes
             public, password, private  absent
app          -                          MESSAGE_ID_NOT_FOUND
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND

POST /messages/{id}/votes/close
             public, password, private  absent
app          -                          MESSAGE_ID_NOT_FOUND
owner        -                          MESSAGE_ID_NOT_FOUND
participant  -                          MESSAGE_ID_NOT_FOUND
stranger     MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
banned       MESSAGE_ID_NOT_FOUND       MESSAGE_ID_NOT_FOUND
"""

BETWEEN_TWO = """
GET /users/ben/conversation/retention
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

PUT /users/ben/conversation/retention {"disappearAfter": 0}
              no block, blocks ben, is blocked
as anna       ok
anna's token  RETENTION_NOT_ALLOWED
as clara      CONVERSATION_NOT_ACCESSIBLE

GET /conversations
       no block, blocks ben, is blocked
app    ok
anna   ok
clara  ok

GET /reminders
       no block, blocks ben, is blocked
anna   ok
clara  ok

GET /drafts
       no block, blocks ben, is blocked
anna   ok
clara  ok

PUT /conversations/anna_user_ben/draft {"data": {"text": "Dear "}}
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

GET /conversations/anna_user_ben/draft
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

DELETE /conversations/anna_user_ben/draft
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

GET /scheduled-messages
       no block, blocks ben, is blocked
app    ok
anna   ok

GET /scheduled-messages/unknown
       no block, blocks ben, is blocked
app    SCHEDULED_MESSAGE_NOT_FOUND
anna   SCHEDULED_MESSAGE_NOT_FOUND

PATCH /scheduled-messages/unknown {}
       no block, blocks ben, is blocked
app    SCHEDULED_MESSAGE_NOT_FOUND
anna   SCHEDULED_MESSAGE_NOT_FOUND

DELETE /scheduled-messages/unknown
       no block, blocks ben, is blocked
app    SCHEDULED_MESSAGE_NOT_FOUND
anna   SCHEDULED_MESSAGE_NOT_FOUND

POST /scheduled-messages/unknown/send
       no block, blocks ben, is blocked
app    SCHEDULED_MESSAGE_NOT_FOUND
anna   SCHEDULED_MESSAGE_NOT_FOUND

GET /conversations/anna_user_ben
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

GET /users/ben/conversation
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

GET /users/anna/conversation
     no block, blocks ben, is blocked
ben  ok

PUT /users/ben/conversation {"tags": ["fun"]}
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

DELETE /users/ben/conversation
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

POST /users/ben/conversation/pin
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

DELETE /users/ben/conversation/pin
       no block, blocks ben, is blocked
anna   ok
clara  CONVERSATION_NOT_ACCESSIBLE

POST /users/anna/conversation/delivered {}
       no block, blocks ben, is blocked
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

POST /users/anna/conversation/read {"messageId": {id}}
       no block, blocks ben, is blocked
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

DELETE /users/anna/conversation/read {"messageId": {id}}
       no block, blocks ben, is blocked
ben    ok
clara  CONVERSATION_NOT_ACCESSIBLE

PUT /messages/{id} {"data": {"text": "Good-bye"}}
       no block
app    ok
anna   ok
ben    NOT_A_SENDER
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id} {}
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    NOT_A_SENDER
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/append {"text": "a", "sequence": 1}
       no block
app    NOT_GROWING
anna   NOT_GROWING
ben    NOT_A_SENDER
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/finish {}
       no block
app    NOT_GROWING
anna   NOT_GROWING
ben    NOT_A_SENDER
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/stop
       no block
app    NOT_GROWING
anna   NOT_GROWING
ben    NOT_GROWING
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/pin
       no block
app    ok
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/appeal {}
       no block, blocks ben, is blocked
anna   MESSAGE_ID_NOT_FOUND

POST /messages/{id}/flagged {}
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reminders {"at": 1800000100}
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/reminders
       no block, blocks ben, is blocked
anna   ok
clara  ok

POST /messages/{id}/save
       no block, blocks ben, is blocked
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reactions/wave
       no block
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/reactions
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/thread {"data": {"text": "Hello, too"}}
       no block              blocks ben            is blocked
anna   ok                    BLOCKED_RECEIVER      BLOCKED_SENDER
ben    ok                    BLOCKED_SENDER        BLOCKED_RECEIVER
clara  MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/thread
       no block, blocks ben, is blocked
app    ok
anna   ok
ben    ok
clara  MESSAGE_ID_NOT_FOUND
"""

ABOUT_MESSAGES = """
PUT /messages/{id} {"data": {"text": "Good-bye"}}
       anybody
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id} {"permanent": true}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/append {"text": "a", "sequence": 1}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/finish {}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/stop
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/pin
       anybody
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/pin
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reminders {"at": 1800000100}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/save
       anybody
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/save
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/reactions
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/reactions/wave
       anybody
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/reactions/wave
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/thread
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/thread {"data": {"text": "Hello, too"}}
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/receipts
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/history
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /conversations/{uid}_user_ben
       anybody
clara  CONVERSATION_NOT_ACCESSIBLE

DELETE /conversations/{uid}_user_ben
       anybody
clara  CONVERSATION_NOT_ACCESSIBLE

PATCH /messages/{id}/interacted {"interactions": ["hello"]}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/submissions {"formData": {}}
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/submissions
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/votes {"options": [0]}
       anybody
clara  MESSAGE_ID_NOT_FOUND

DELETE /messages/{id}/votes
       anybody
clara  MESSAGE_ID_NOT_FOUND

GET /messages/{id}/votes
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages/{id}/votes/close
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /users/ben/conversation/read {"messageId": {id}}
       anybody
clara  MESSAGE_ID_NOT_FOUND

POST /messages {"receiver": "ben", "receiverType": "user", "quotedMessageId": {id}, "data": {hi}}
       anybody
clara  MESSAGE_ID_NOT_FOUND
"""

ON_USERS = """
GET /users/{uid}/conversation
      active                       nobody
anna  CONVERSATION_NOT_ACCESSIBLE  UID_NOT_FOUND

PUT /users/{uid}/conversation {"tags": ["fun"]}
      active                       nobody
anna  CONVERSATION_NOT_ACCESSIBLE  UID_NOT_FOUND

POST /users/{uid}/conversation/read {}
      active                       nobody
anna  CONVERSATION_NOT_ACCESSIBLE  UID_NOT_FOUND
"""

ON_USERS += """
GET /bots
     active
app  ok

POST /bots {"uid": "{uid}-bot", "name": "Robot"}
     active
app  ok

GET /bots/{uid}
     active, nobody
app  BOT_NOT_FOUND

PUT /bots/{uid} {"name": "Robot"}
     active, nobody
app  BOT_NOT_FOUND

DELETE /bots/{uid}
     active, nobody
app  BOT_NOT_FOUND

POST /bots/{uid}/messages {"receiver": "anna", "receiverType": "user", "data": {"text": "Hi"}}
     active, nobody
app  BOT_NOT_FOUND
"""

SHOWN = """
GET /conversations
             public, password  private
owner        shown             shown
admin        shown             shown
moderator    shown             shown
participant  shown             shown
stranger     hidden            hidden
banned       hidden            hidden
"""
