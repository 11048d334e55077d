"""Permissions of the methods that only sockets have: the rest of `access_table.py`, in its form."""

IN_GROUPS = """
CALL start_typing {"receiver": "{guid}", "receiverType": "group"}
                                          public, password    private         absent
owner, admin, moderator, participant      ok                  ok              GUID_NOT_FOUND
stranger                                  GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned                                    BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

CALL end_typing {"receiver": "{guid}", "receiverType": "group"}
                                          public, password    private         absent
owner, participant                        ok                  ok              GUID_NOT_FOUND
stranger                                  GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned                                    BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND

CALL send_transient {"receiver": "{guid}", "receiverType": "group", "data": 1}
                                          public, password    private         absent
owner, admin, moderator, participant      ok                  ok              GUID_NOT_FOUND
stranger                                  GROUP_NOT_JOINED    GUID_NOT_FOUND  GUID_NOT_FOUND
banned                                    BANNED_GROUPMEMBER  GUID_NOT_FOUND  GUID_NOT_FOUND
"""

BETWEEN_TWO = """
CALL start_typing {"receiver": "ben", "receiverType": "user"}
       no block  blocks ben        is blocked
anna   ok        BLOCKED_RECEIVER  BLOCKED_SENDER
clara  ok        ok                ok

CALL end_typing {"receiver": "ben", "receiverType": "user"}
       no block  blocks ben        is blocked
anna   ok        BLOCKED_RECEIVER  BLOCKED_SENDER
clara  ok        ok                ok

CALL send_transient {"receiver": "ben", "receiverType": "user", "data": 1}
       no block  blocks ben        is blocked
anna   ok        BLOCKED_RECEIVER  BLOCKED_SENDER
clara  ok        ok                ok

CALL send_transient {"receiver": "nobody", "receiverType": "user", "data": 1}
       no block, blocks ben, is blocked
anna   UID_NOT_FOUND

CALL send_transient {"receiver": "app_system", "receiverType": "user", "data": 1}
       no block, blocks ben, is blocked
anna   UID_NOT_FOUND

CALL subscribe_presence {"presence": "all"}
             no block, blocks ben, is blocked
anna, clara  ok
"""
